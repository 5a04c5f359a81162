/** Protobuf messages of canonical objects as kube-apiserver reads and writes them, without the envelope. */
export { protobufReader } from "./protobuf-read.ts";
export { ProtobufError } from "../codec/protobuf-wire.ts";
export { protobufWriter } from "./protobuf-write.ts";
