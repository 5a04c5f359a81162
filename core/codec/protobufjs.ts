import { createRequire } from "node:module";
import { once } from "../derive/zero.ts";

/**
 * The library that reads and writes the wire format of protobuf, loaded when it is first used: whoever serves JSON alone, from a store
 * that is not etcd, starts without it, in 2 MiB less.
 */
export const protobufjs = once(() => createRequire(import.meta.url)("protobufjs/minimal.js") as typeof import("protobufjs/minimal.js"));
