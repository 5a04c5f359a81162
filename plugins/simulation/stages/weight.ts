/** What it costs to read a whole value: expressions and templates are charged for it, because a short one can use a large value many times. */
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";

/** Nested lists and objects of a value that a function of a stage reads. */
const valueDepthMax = bound(200);
/** Characters that cost as much as one value. */
const weighedCharacters = 64;

/** Returns the number of values in a value, and one for each 64 characters; Infinity above `most`, and for a value that is nested too deep. */
export function weightOf(value: Json, most: number): number {
  let weight = 0;
  return visit(value, 0) && weight <= most ? weight : Infinity;

  function visit(each: Json, depth: number): boolean {
    if (++weight > most || depth > valueDepthMax) return false;
    if (typeof each === "string") weight += textWeight(each);
    if (each === null || typeof each !== "object") return true;
    if (Array.isArray(each)) return each.every((item) => visit(item, depth + 1));
    for (const key in each) {
      weight += textWeight(key);
      if (!visit((each as Readonly<Record<string, Json>>)[key]!, depth + 1)) return false;
    }
    return true;
  }
}

/** The weight of a text, without that of the value itself. */
export function textWeight(text: string): number {
  return Math.floor(text.length / weighedCharacters);
}
