/** Reduces generated JSON to the part that matters. */
import { isObject, type Json } from "../../core/json.ts";

/** The search ends after this number of calls of `fails`. */
const triesMax = 3_000;

/** A small value that still fails: no single member or item can be left out of it. */
export function smallest(value: Json, fails: (value: Json) => boolean): Json {
  let least = value, tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const next of reductions(least)) {
      if (++tries > triesMax) return least;
      if (!fails(next)) continue;
      least = next;
      isSmaller = true;
      break;
    }
  }
  return least;
}

/** The value without one member or item, those near the root first. */
function* reductions(value: Json): Generator<Json> {
  if (isList(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1);
    for (const [at, item] of value.entries()) for (const next of reductions(item)) yield value.with(at, next);
  } else if (isObject(value)) {
    const entries = Object.entries(value);
    for (const at of entries.keys()) yield Object.fromEntries(entries.toSpliced(at, 1));
    for (const [at, [key, member]] of entries.entries()) {
      for (const next of reductions(member)) yield Object.fromEntries(entries.with(at, [key, next]));
    }
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
