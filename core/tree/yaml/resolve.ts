/** Resolution of scalars: the literals and numbers of YAML 1.1 as in upstream's library, and explicit tags. */

import { textOfBytes } from "../utf8.ts";
import { YamlProblem } from "./problem.ts";

/** A resolved scalar. A timestamp is text that cannot be written as a plain scalar. */
export type Resolved =
  | { readonly type: "null"; readonly value: null }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "str" | "timestamp"; readonly value: string };

const standard = "tag:yaml.org,2002:";
const binaryTag = `${standard}binary`;
const mergeTag = `${standard}merge`;

/** The text of a scalar with its whole tag, "" for none. Only the text of an implicit scalar, plain and without a tag, determines its type. */
export interface ScalarText {
  readonly text: string;
  readonly tag: string;
  readonly implicit: boolean;
}

/** Whether a scalar is a merge key (`<<`). */
export function isMerge({ text, tag, implicit }: ScalarText): boolean {
  return text === "<<" && (implicit || tag === mergeTag);
}

/** Resolves a scalar. Throws YamlProblem if the text does not match the tag. */
export function resolveScalar({ text, tag, implicit }: ScalarText): Resolved {
  if (tag === "") return implicit ? resolvePlain(text) : { type: "str", value: text };
  if (tag === binaryTag) return { type: "str", value: decodeBinary(text) };
  const wanted = tag.startsWith(standard) ? tag.slice(standard.length) : "";
  switch (wanted) {
    case "str":
      return { type: "str", value: text };
    case "null":
    case "bool":
    case "int":
    case "float":
    case "timestamp": {
      const found = resolvePlain(text, wanted === "timestamp");
      if (found.type === wanted) return found;
      if (wanted === "float" && found.type === "int" && found.value <= int64Max) return { type: "float", value: Number(found.value) };
      throw new YamlProblem(`cannot decode !!${found.type} \`${text}\` as a !!${wanted}`);
    }
    default:
      return { type: "str", value: text };
  }
}

const words: ReadonlyMap<string, Resolved> = new Map([
  ...meaning(["", "~", "null", "Null", "NULL"], { type: "null", value: null }),
  ...meaning(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], { type: "bool", value: true }),
  ...meaning(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], { type: "bool", value: false }),
  ...meaning([".nan", ".NaN", ".NAN"], { type: "float", value: NaN }),
  ...meaning([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], { type: "float", value: Infinity }),
  ...meaning(["-.inf", "-.Inf", "-.INF"], { type: "float", value: -Infinity }),
]);

function meaning(spellings: readonly string[], resolved: Resolved): [string, Resolved][] {
  return spellings.map((spelling) => [spelling, resolved]);
}

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;

/** Resolves a plain scalar. */
export function resolvePlain(text: string, timestamps = true): Resolved {
  if (!/^(?:$|[-+.0-9~yYnNtTfFoO])/.test(text)) return { type: "str", value: text };
  const word = words.get(text);
  if (word !== undefined) return word;
  return resolveNumber(text, timestamps) ?? { type: "str", value: text };
}

function resolveNumber(text: string, timestamps: boolean): Resolved | undefined {
  if (text.startsWith(".")) return pointFloat.test(text) ? finite(text.replaceAll("_", "")) : undefined;
  if (!/^[-+0-9]/.test(text)) return undefined;
  if (timestamps && isTimestamp(text)) return { type: "timestamp", value: text };
  const plain = text.replaceAll("_", "");
  const integer = resolveInteger(plain);
  if (integer !== undefined) return { type: "int", value: integer };
  return float.test(plain) ? finite(plain) : undefined;
}

// A number that begins with a point may have underscores only between digits, other numbers anywhere.
const pointFloat = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Returns a double; undefined if the number exceeds it. */
function finite(text: string): Resolved | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? { type: "float", value } : undefined;
}

/** Returns an int64 or, without a sign, a uint64. Octal with a leading zero. */
function resolveInteger(text: string): bigint | undefined {
  const parts = /^([-+]?)(?:0[bB]([01]+)|0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]*)|([1-9][0-9]{0,19}))$/.exec(text) ??
    /^()0b([-+]?[01]+)$/.exec(text);
  if (parts === null) return undefined;
  const [, sign, binary, hexadecimal, octal, decimal] = parts;
  if (octal === "" && !/^[-+]?0$/.test(text)) return undefined; // `0o` alone
  // Upstream parses the text after `0b` as a signed number, so `0b-1` is valid.
  const inner = binary !== undefined && /^[-+]/.test(binary) ? binary.charAt(0) : "";
  const size = binary !== undefined
    ? BigInt(`0b${binary.slice(inner.length)}`)
    : hexadecimal !== undefined
    ? BigInt(`0x${hexadecimal}`)
    : octal !== undefined
    ? BigInt(`0o${octal === "" ? "0" : octal}`)
    : BigInt(decimal ?? "0");
  const value = sign === "-" || inner === "-" ? -size : size;
  const largest = sign === "" && inner === "" ? uint64Max : int64Max;
  return value < int64Min || value > largest ? undefined : value;
}

const timestamp =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]| +)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/;

/** Whether a text is a date, or a date and time in a format of upstream's library. */
export function isTimestamp(text: string): boolean {
  const parts = timestamp.exec(text);
  if (parts === null) return false;
  const [, year, month, day, hour, minute, second, zone] = parts;
  const last = new Date(Date.UTC(2000 + Number(year) % 400, Number(month), 0)).getUTCDate(); // calendars repeat after 400 years
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > last) return false;
  if (hour === undefined) return true;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false;
  const withZone = /[Tt]/.test(text);
  if (withZone !== (zone !== undefined)) return false;
  return zone === undefined || zone === "Z" || Number(zone.slice(1, 3)) <= 24 && Number(zone.slice(4)) <= 60;
}

/** Decodes base64 as Go's strict decoder: ignores line breaks, requires padding. */
function decodeBinary(text: string): string {
  const base64 = text.replace(/[\r\n]/g, "");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) {
    throw new YamlProblem("!!binary value contains invalid base64 data");
  }
  return textOfBytes(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}
