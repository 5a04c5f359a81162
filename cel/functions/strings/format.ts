/** Implements `"%s is %d".format([a, b])` with upstream's clauses, texts of values and errors. */
import { goQuote } from "../../../core/tree/go-quote.ts";
import { compareByBytes } from "../../../core/tree/utf8.ts";
import { durationJson } from "../../value/json.ts";
import { doubleText } from "../../value/numbers.ts";
import { decodeUtf8, encodeUtf8 } from "../../value/parse.ts";
import { timestampText } from "../../value/time.ts";
import { typeName, typeNameOf } from "../../value/type.ts";
import { spend } from "../../value/work.ts";
import { CelError, Duration, ListValue, MapValue, Timestamp, TypeValue, Uint, type Value } from "../../values.ts";
import { parseClauses } from "./clauses.ts";
import { mistakes } from "./mistakes.ts";
import { fixedText, literalDouble, scientificText } from "./doubles.ts";

/** What is wrong with an argument or a clause. */
export class FormatMistake {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Returns the formatted string. */
export function format(template: string, args: ListValue): Value {
  spend(template.length);
  const pieces: string[] = [];
  for (const clause of parseClauses(template, args.size, false)) {
    if (clause.tag === "mistake") return new CelError(clause.message);
    if (clause.tag === "text") {
      pieces.push(clause.text);
      continue;
    }
    const text = clauseText(clause.verb, clause.precision, args.at(clause.argument));
    if (text instanceof FormatMistake) return new CelError(`error during formatting: ${text.message}`);
    spend(text.length);
    pieces.push(text);
  }
  return pieces.join("");
}

function clauseText(verb: string, precision: number | undefined, value: Value): string | FormatMistake {
  switch (verb) {
    case "s":
      return stringText(value);
    case "d":
      return typeof value === "bigint" ? String(value) : value instanceof Uint ? String(value.value) : mistakeOf("d", value);
    case "f":
    case "e": {
      const double = doubleOf(value);
      if (double === undefined) return mistakeOf(verb, value);
      return verb === "f" ? fixedText(double, precision) : scientificText(double, precision);
    }
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return digitsText(value, 2) ?? mistakeOf("b", value);
    case "o":
      return digitsText(value, 8) ?? mistakeOf("o", value);
    default:
      return hexText(value, verb === "X");
  }
}

function mistakeOf(verb: keyof typeof mistakes, value: Value): FormatMistake {
  return new FormatMistake(mistakes[verb] + typeNameOf(value));
}

/** Returns a double, which may be written as a string. */
function doubleOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : undefined;
}

function digitsText(value: Value, base: number): string | undefined {
  return typeof value === "bigint" ? value.toString(base) : value instanceof Uint ? value.value.toString(base) : undefined;
}

function hexText(value: Value, isUpper: boolean): string | FormatMistake {
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  let text = digitsText(value, 16);
  if (bytes instanceof Uint8Array) {
    spend(bytes.length);
    text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  if (text === undefined) return mistakeOf("x", value);
  return isUpper ? text.toUpperCase() : text;
}

/** Returns the text of `%s`. */
function stringText(value: Value): string | FormatMistake {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return doubleText(value);
  }
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationJson(value);
  if (value instanceof TypeValue) return typeName(value.type);
  if (value instanceof ListValue) return listText(value);
  return value instanceof MapValue ? mapText(value) : mistakeOf("s", value);
}

function bytesText(value: Uint8Array): string | FormatMistake {
  const text = decodeUtf8(value);
  return typeof text === "string" ? text : new FormatMistake(`could not convert argument ${goQuote(text.message)} to string`);
}

/** Returns the text of a value in a list or map, as a literal. */
function literalText(value: Value): string | FormatMistake {
  spend(1);
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return literalDouble(value);
  if (value instanceof Uint8Array) {
    const text = bytesText(value);
    return typeof text === "string" ? `b${goQuote(text)}` : text;
  }
  if (value instanceof Timestamp) return `timestamp(${goQuote(timestampText(value))})`;
  if (value instanceof Duration) return `duration(${goQuote(durationJson(value))})`;
  const text = stringText(value);
  const isKnown = typeof text === "string" || value instanceof ListValue || value instanceof MapValue;
  return isKnown ? text : new FormatMistake(`no formatting function for ${typeNameOf(value)}`);
}

function listText(list: ListValue): string | FormatMistake {
  const items: string[] = [];
  for (let index = 0, size = list.size; index < size; index++) {
    const text = literalText(list.at(index));
    if (typeof text !== "string") return text;
    spend(text.length);
    items.push(text);
  }
  return `[${items.join(", ")}]`;
}

/** Writes a map. Its entries are sorted by the texts of their keys. */
function mapText(map: MapValue): string | FormatMistake {
  const entries: (readonly [key: string, value: string])[] = [];
  for (const key of map.keys()) {
    const isKey = typeof key === "string" || typeof key === "boolean" || typeof key === "bigint" || key instanceof Uint;
    if (!isKey) return new FormatMistake(`no formatting function for map key of type ${typeNameOf(key)}`);
    const keyText = literalText(key) as string, text = literalText(map.find(key)!);
    if (typeof text !== "string") return text;
    spend(text.length + keyText.length);
    entries.push([keyText, text]);
  }
  entries.sort(([a], [b]) => compareByBytes(a, b));
  return `{${entries.map(([key, text]) => `${key}:${text}`).join(", ")}}`;
}
