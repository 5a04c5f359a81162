/** Canonical objects in protobuf as kube-apiserver reads and writes it: messages without their envelope. */
export { protobufReader } from "./protobuf-read.ts";
export { ProtobufError } from "../codec/protobuf-wire.ts";
export { protobufWriter } from "./protobuf-write.ts";
