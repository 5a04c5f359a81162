import { createRequire } from "node:module";
import type { Reader, Writer } from "protobufjs/minimal.js";
import { once } from "../async.ts";

/**
 * The library for the protobuf wire format, loaded at first use. A server with JSON clients only and a store other than etcd saves 2 MiB
 * of memory.
 */
export const protobufjs = once(() => createRequire(import.meta.url)("protobufjs/minimal.js") as typeof import("protobufjs/minimal.js"));

/** Returns a writer for a new message. */
export function newWriter(): Writer {
  return new (protobufjs().Writer)();
}
/** Returns a reader at the start of these bytes. */
export function newReader(bytes: Uint8Array): Reader {
  return new (protobufjs().Reader)(bytes);
}
