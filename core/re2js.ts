import { createRequire } from "node:module";
import { once } from "./async.ts";

/** Loads the library for patterns in RE2's syntax at its first use, because most servers have no schema or expression with a pattern. */
export const re2js = once(() => createRequire(import.meta.url)("re2js") as typeof import("re2js"));
