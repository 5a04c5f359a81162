/** Canonical objects in protobuf as kube-apiserver reads and writes it: messages without their envelope. */
export { ProtobufError, protobufReader } from "./protobuf-read.ts";
export { protobufWriter } from "./protobuf-write.ts";
