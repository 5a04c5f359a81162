import { once } from "../../core/async.ts";

/** The library for signed tokens, loaded at the first one: sixty modules. */
export const jose = once(() => import("jose"));
