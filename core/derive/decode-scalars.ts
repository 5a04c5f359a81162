/** Scalars from lexical trees. A wrong type is recorded for Go's built-in types, and ends the run for types with an UnmarshalJSON method. */
import { base64Of, parseBase64 } from "../scalars/base64.ts";
import { durationText, parseDuration } from "../scalars/duration.ts";
import { isInt32 } from "../scalars/int-or-string.ts";
import { storedQuantity } from "../scalars/quantity.ts";
import { parseMicroTime, parseTime } from "../scalars/time.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { NumberText, type Tree } from "../tree/tree.ts";
import { numberText } from "../tree/values.ts";
import { DecodeError, type Decoding } from "./decoding.ts";
import { rawOf } from "./raw-json.ts";

export function decodeBoolean(tree: Tree, prior: unknown, run: Decoding): unknown {
  if (typeof tree === "boolean") return tree;
  if (tree !== null) run.wrongType(tree, "bool");
  return prior ?? false;
}
/** Makes the decoder of a string. `type` is the name of its type in upstream. */
export function decodeString(type: string): (tree: Tree, prior: unknown, run: Decoding) => unknown {
  return (tree, prior, run) => {
    if (typeof tree === "string") return tree;
    if (tree !== null) run.wrongType(tree, type);
    return prior ?? "";
  };
}

export function decodeInt(type: "int32" | "int64"): (tree: Tree, prior: unknown, run: Decoding) => unknown {
  return (tree, prior, run) => {
    if (tree instanceof NumberText) {
      const value = integerOf(tree.text, run);
      if (value !== undefined && (type === "int32" ? typeof value === "number" && isInt32(value) : isInt64(value))) return value;
      run.wrongType(tree, type, shownNumber(tree.text, run));
    } else if (tree !== null) run.wrongType(tree, type);
    return prior ?? 0;
  };
}

/** Returns the integer of a number, as this reader accepts it: JSON has digits only, YAML also whole floats. */
function integerOf(text: string, run: Decoding): number | bigint | undefined {
  const value = Number(text);
  if (/^-?[0-9]+$/.test(text)) return Number.isSafeInteger(value) ? value + 0 : text.length <= int64Digits ? BigInt(text) : undefined;
  if (run.reader === "json" || !Number.isInteger(value) || Math.abs(value) >= 1e21) return undefined;
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}
/** Longer texts cannot be an int64, so no bigint is made of them. */
const int64Digits = 20;
function isInt64(value: number | bigint): boolean {
  return typeof value === "number" || (value >= -(2n ** 63n) && value < 2n ** 63n);
}
/** Upstream converts YAML to JSON first, so YAML floats appear as Go formats doubles. */
function shownNumber(text: string, run: Decoding): string {
  const value = Number(text);
  return run.reader === "yaml" && /[.eE]/.test(text) && Number.isFinite(value) ? numberText(value) : text;
}

export function decodeDouble(tree: Tree, prior: unknown, run: Decoding): unknown {
  if (tree instanceof NumberText) {
    const value = Number(tree.text);
    if (Number.isFinite(value)) return value;
    run.wrongType(tree, "float64", tree.text);
  } else if (tree !== null) run.wrongType(tree, "float64");
  return prior ?? 0;
}

/** Decodes bytes: base64 or a list of numbers, as in Go. */
export function decodeBytes(tree: Tree, prior: unknown, run: Decoding): unknown {
  if (tree === null) return "";
  if (typeof tree === "string") return readable(parseBase64(tree));
  if (!Array.isArray(tree)) {
    run.wrongType(tree, "[]uint8");
    return prior ?? "";
  }
  const bytes = tree.map((item) => {
    if (item instanceof NumberText) {
      const value = integerOf(item.text, run);
      if (typeof value === "number" && value >= 0 && value <= 255 && item.text !== "-0") return value;
      run.wrongType(item, "uint8", shownNumber(item.text, run));
    } else if (item !== null) run.wrongType(item, "uint8");
    return 0;
  });
  return base64Of(Uint8Array.from(bytes));
}

/** Quantities are parsed from strings and from numbers. */
export function decodeQuantity(tree: Tree, _prior: unknown, run: Decoding): unknown {
  if (tree === null) return "0";
  const text = typeof tree === "string" ? tree : tree instanceof NumberText ? shownNumber(tree.text, run) : "?";
  return readable(storedQuantity(text));
}

export function decodeIntOrString(tree: Tree, prior: unknown, run: Decoding): unknown {
  if (typeof tree === "string") return tree;
  if (tree === null) return typeof prior === "number" ? prior : 0;
  if (!(tree instanceof NumberText)) return run.refuseType(tree, "int32");
  const value = integerOf(tree.text, run);
  return typeof value === "number" && isInt32(value) ? value : run.refuseType(tree, "int32", shownNumber(tree.text, run));
}

export function decodeTime(tree: Tree, _prior: unknown, run: Decoding): unknown {
  if (tree === null) return null;
  return typeof tree === "string" ? readable(parseTime(tree)) : run.refuseType(tree, "string");
}
export function decodeMicroTime(tree: Tree, _prior: unknown, run: Decoding): unknown {
  if (tree === null) return null;
  return typeof tree === "string" ? readable(parseMicroTime(tree)) : run.refuseType(tree, "string");
}
export function decodeDuration(tree: Tree, _prior: unknown, run: Decoding): unknown {
  if (tree !== null && typeof tree !== "string") return run.refuseType(tree, "string");
  return durationText(readable(parseDuration(tree ?? "")));
}

export function decodeRaw(tree: Tree, prior: unknown, run: Decoding): unknown {
  if (tree === null) return prior ?? null;
  const raw = rawOf(tree);
  return "value" in raw ? raw.value : run.refuseType(new NumberText(raw.huge), "float64", raw.huge);
}

/** Returns the value. Throws `DecodeError` for an `Unreadable`, which ends the run. */
function readable<T>(value: T | Unreadable): T {
  if (value instanceof Unreadable) throw new DecodeError(value.error);
  return value;
}
