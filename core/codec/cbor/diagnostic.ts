/** CBOR in diagnostic notation (RFC 8949 section 8), as error messages show it. No recursion. */
import { BREAK, floatAt, type Head, readHead, type Source } from "./read.ts";

/** An open list, map, tag or string of indefinite length. */
interface Open {
  readonly kind: "list" | "map" | "tag" | "string";
  /** Number of items not written yet; Infinity for an indefinite length. */
  left: number;
  written: number;
}

/** Returns the notation of a document that `readCbor` accepts; undefined if it has a text that is not UTF-8. */
export function diagnosticOf(bytes: Uint8Array): string | undefined {
  const from: Source = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
  const pieces: string[] = [];
  const open: Open[] = [];
  let parent: Open = { kind: "tag", left: 1, written: 0 };
  for (;;) {
    while (parent.left === 0 || (parent.left === Infinity && bytes[from.at] === BREAK)) {
      if (parent.left === Infinity) from.at++;
      const outer = open.pop();
      if (outer === undefined) return pieces.join("");
      pieces.push(parent.kind === "list" ? "]" : parent.kind === "map" ? "}" : ")");
      parent = outer;
    }
    if (parent.written > 0) pieces.push(parent.kind === "map" && parent.written % 2 === 1 ? ": " : ", ");
    parent.left--;
    parent.written++;
    const head = readHead(from);
    const opened = containerOf(from, head, pieces);
    if (opened !== undefined) {
      open.push(parent);
      parent = opened;
    } else if (!writeLeaf(from, head, pieces)) return undefined;
  }
}

/** Writes the beginning of a container. Undefined for a leaf. */
function containerOf(from: Source, { major, value, indefinite }: Head, pieces: string[]): Open | undefined {
  const count = indefinite ? Infinity : Number(value), after = indefinite ? "_ " : "";
  const begin = (kind: Open["kind"], left: number, text: string): Open => {
    pieces.push(text);
    return { kind, left, written: 0 };
  };
  if (major === 4) return begin("list", count, `[${after}`);
  if (major === 5) return begin("map", count * 2, `{${after}`);
  if (major === 6) return begin("tag", 1, `${value}(`);
  return indefinite && (major === 2 || major === 3) && from.bytes[from.at] !== BREAK ? begin("string", Infinity, "(_ ") : undefined;
}

/** Writes a leaf. False for a text that is not UTF-8. */
function writeLeaf(from: Source, { major, info, value, indefinite }: Head, pieces: string[]): boolean {
  if (major === 0) pieces.push(`${value}`);
  else if (major === 1) pieces.push(`${-1n - BigInt(value)}`);
  else if (major === 7) pieces.push(info >= 25 ? floatText(floatAt(from, info, value)) : simpleText(Number(value)));
  else if (indefinite) {
    from.at++;
    pieces.push(major === 2 ? "''_" : '""_');
  } else return writeString(from, major, Number(value), pieces);
  return true;
}

function simpleText(value: number): string {
  return value === 20 ? "false" : value === 21 ? "true" : value === 22 ? "null" : value === 23 ? "undefined" : `simple(${value})`;
}

/** Returns the shortest decimal notation, always with a fraction. */
function floatText(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  if (text.includes(".")) return text;
  const exponent = text.indexOf("e");
  return exponent < 0 ? `${text}.0` : `${text.slice(0, exponent)}.0${text.slice(exponent)}`;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Byte strings of UTF-8 are written as texts, others in hexadecimal. */
function writeString(from: Source, major: number, length: number, pieces: string[]): boolean {
  const bytes = from.bytes.subarray(from.at, from.at += length);
  const text = decodeText(bytes);
  // As upstream, which takes the character for the sign of an error.
  if (text?.includes("\ufffd") || (text === undefined && major === 3)) return false;
  if (text === undefined || (major === 2 && length === 0)) {
    pieces.push("h'", Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""), "'");
  } else pieces.push(quoteBytes(text, major === 2 ? "'" : '"'));
  return true;
}
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const escapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

function quoteBytes(text: string, quote: string): string {
  const inner = text.replace(/[^ !#-&(-[\]-~]/g, (unit) => {
    if (unit === quote) return `\\${unit}`;
    if (unit === '"' || unit === "'") return unit;
    return escapes[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return quote + inner + quote;
}
