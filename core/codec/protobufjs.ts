import { createRequire } from "node:module";
import type { Reader, Writer } from "protobufjs/minimal.js";
import { once } from "../async.ts";

/**
 * The library that reads and writes the wire format of protobuf, loaded when it is first used: whoever serves JSON alone, from a store
 * that is not etcd, starts without it, in 2 MiB less.
 */
export const protobufjs = once(() => createRequire(import.meta.url)("protobufjs/minimal.js") as typeof import("protobufjs/minimal.js"));

/** For a message that begins. */
export function newWriter(): Writer {
  return new (protobufjs().Writer)();
}
/** At the beginning of these bytes. */
export function newReader(bytes: Uint8Array): Reader {
  return new (protobufjs().Reader)(bytes);
}
