import { createRequire } from "node:module";
import type { Reader, Writer } from "protobufjs/minimal.js";
import { once } from "../async.ts";

/**
 * The library for the wire format of protobuf, loaded at its first use: a server of JSON alone on a store other than etcd takes 2 MiB
 * less without it.
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
