import type { Json } from "../json.ts";
import { goNumber } from "./go-number.ts";

/** Levels of a value that error messages show: values may have ten thousand. */
export const shownDepthMax = 500;

/** Returns a value as Go's `%v` shows it. */
export function goText(value: Json, depth = 0): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (typeof value !== "object") return String(value);
  if (depth === shownDepthMax) return "...";
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map((item) => goText(item, depth + 1)).join(" ")}]`;
  const object = value as { readonly [key: string]: Json };
  return `map[${Object.keys(object).sort().map((key) => `${key}:${goText(object[key]!, depth + 1)}`).join(" ")}]`;
}
