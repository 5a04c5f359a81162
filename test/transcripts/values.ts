/** Small operations on JSON values, with the semantics of the recordings' reference replayer. */
import { type Json, type JsonObject, NumberAsWritten } from "./recording.ts";

export type Names = ReadonlyMap<string, Json>;

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberAsWritten);

// Array.isArray alone narrows a readonly array to any[].
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The object with every value mapped; keys such as `__proto__` are ordinary keys. */
export function mapObject(value: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item, key)]));
}

/** The value at a dotted path (`\_` is a dot within a key); null if absent. */
export function dig(value: Json, path: string): Json {
  let here: Json = value;
  for (const part of path.split(".").filter((part) => part !== "")) {
    if (isList(here)) here = here.at(Number(part)) ?? null;
    else if (isObject(here)) {
      const key = part.replaceAll("\\_", ".");
      here = Object.hasOwn(here, key) ? here[key] ?? null : null;
    } else return null;
  }
  return here;
}

/** The text in base64, with or without padding, of either alphabet; null if invalid. */
export function decodedText(value: Json): string | null {
  if (typeof value !== "string") return null;
  try {
    const bytes = Uint8Array.from(atob(value.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null; // Not base64, or no text in it: a difference of the response.
  }
}

/** The value without the value at the path. */
export function cut(value: Json, path: readonly string[]): Json {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (isList(value)) return value.map((item, index) => index === Number(first) ? cut(item, rest) : item);
  if (!isObject(value)) return value;
  if (rest.length > 0) return mapObject(value, (item, key) => key === first ? cut(item, rest) : item);
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== first));
}

/** The value without fields of these names, at any depth. */
export function without(value: Json, names: readonly string[]): Json {
  if (isList(value)) return value.map((item) => without(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => !names.includes(key)).map(([key, item]) => [key, without(item, names)]),
  );
}

/**
 * Entries of managed fields in the order that they have if all of one operation are made within a second: by their managers. Whether a
 * second passed between two steps is not part of the response; that applies precede updates is.
 */
export function ownersInOneSecond(value: Json): Json {
  if (isList(value)) return value.map(ownersInOneSecond);
  if (!isObject(value)) return value;
  return mapObject(value, (item, key) => isList(item) && /(^|\.)managedFields$/.test(key) ? byManager(item) : ownersInOneSecond(item));
}

function byManager(entries: readonly Json[]): readonly Json[] {
  const wordsOf = (entry: Json) => ["manager", "apiVersion", "subresource"].map((key) => dump(dig(entry, key))).join(" ");
  const runs: Json[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run === undefined || dig(run[0] ?? null, "operation") !== dig(entry, "operation")) runs.push([entry]);
    else run.push(entry);
  }
  return runs.flatMap((run) => run.sort((a, b) => wordsOf(a) < wordsOf(b) ? -1 : wordsOf(a) > wordsOf(b) ? 1 : 0));
}

/** A value in the format within a string. */
function shown(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? value : dump(value);
}

/** Fills `${name}` into a string; a string that consists of one `${name}` has the value's type. */
export function fillText(text: string, names: Names): Json {
  const whole = /^\$\{([\w.-]+)\}$/.exec(text)?.[1];
  if (whole !== undefined && names.has(whole)) return names.get(whole) ?? null;
  return text.replace(/\$\{([\w.-]+)\}/g, (written, name: string) => names.has(name) ? shown(names.get(name) ?? null) : written);
}

/** fillText() for values that must be text. */
export function fillString(text: string, names: Names): string {
  return shown(fillText(text, names));
}

/** fillText() at any depth, also in keys. */
export function fill(value: Json, names: Names): Json {
  if (typeof value === "string") return fillText(value, names);
  if (isList(value)) return value.map((item) => fill(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fillString(key, names), fill(item, names)]));
}

/** JSON text in the format of the recorded requests: spaces after colons and commas, ASCII only; limits count these bytes. */
export function dump(value: Json): string {
  if (value instanceof NumberAsWritten) return value.text;
  if (typeof value === "string") return ascii(JSON.stringify(value));
  if (isList(value)) return `[${value.map(dump).join(", ")}]`;
  if (isObject(value)) return `{${Object.entries(value).map(([key, item]) => `${dump(key)}: ${dump(item)}`).join(", ")}}`;
  return String(value);
}

const ascii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

function sameNumber(a: number | NumberAsWritten, b: number | NumberAsWritten): boolean {
  const [x, y] = [a, b].map((value) => value instanceof NumberAsWritten ? value.text : String(value)) as [string, string]; // Two in, two out.
  const whole = /^-?\d+$/;
  return whole.test(x) && whole.test(y) ? BigInt(x) === BigInt(y) : Number(x) === Number(y);
}

const isNumber = (value: Json): value is number | NumberAsWritten => typeof value === "number" || value instanceof NumberAsWritten;

/** Whether two values are equal; the order of keys is ignored, that of lists is not. */
export function same(a: Json, b: Json): boolean {
  return differences(a, b).length === 0;
}

/** One line for each difference of the values. */
export function differences(want: Json, got: Json, path = ""): string[] {
  if (isObject(want) && isObject(got)) {
    return [...new Set([...Object.keys(want), ...Object.keys(got)])].sort().flatMap((key) => {
      const wanted = Object.hasOwn(want, key) ? want[key] : undefined;
      const gotten = Object.hasOwn(got, key) ? got[key] : undefined;
      if (gotten === undefined) return [`${path}.${key}: missing, want ${brief(wanted)}`];
      if (wanted === undefined) return [`${path}.${key}: unexpected ${brief(gotten)}`];
      return differences(wanted, gotten, `${path}.${key}`);
    });
  }
  if (isList(want) && isList(got)) {
    if (want.length !== got.length) {
      return [`${path}: want ${want.length} items, got ${got.length}: want ${brief(want)} got ${brief(got)}`];
    }
    return want.flatMap((item, index) => differences(item, got[index] ?? null, `${path}[${index}]`));
  }
  const equal = isNumber(want) && isNumber(got) ? sameNumber(want, got) : want === got;
  return equal ? [] : [`${path}: want ${brief(want)} got ${brief(got)}`];
}

const brief = (value: Json | undefined): string => (value === undefined ? "nothing" : dump(value)).slice(0, 400);
