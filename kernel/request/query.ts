/** The query of a URL, parsed as by Go: `+` is a space; pairs that cannot be decoded or contain a semicolon are ignored. */
import { type ParsedFieldSelector, parseFieldSelector } from "../../core/selectors/field.ts";
import { type ParsedLabelSelector, parseLabelSelector } from "../../core/selectors/label.ts";
import { strayByte } from "../../core/tree/go-quote.ts";

export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  #labels: ParsedLabelSelector | undefined;
  #fields: ParsedFieldSelector | undefined;
  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }
  /** The first value, or "" if the key is absent. */
  first(key: string): string {
    return this.#values.get(key)?.[0] ?? "";
  }
  all(key: string): readonly string[] {
    return this.#values.get(key) ?? [];
  }
  has(key: string): boolean {
    return this.#values.has(key);
  }
  /** `labelSelector`, parsed once for authorization and the list: it may be long. */
  get labelSelector(): ParsedLabelSelector {
    return this.#labels ??= parseLabelSelector(this.first("labelSelector"));
  }
  /** `fieldSelector`, parsed once. */
  get fieldSelector(): ParsedFieldSelector {
    return this.#fields ??= parseFieldSelector(this.first("fieldSelector"));
  }
}

const none = new Query(new Map());

export function parseQuery(text: string): Query {
  if (text === "") return none;
  const values = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = percentDecode((equals < 0 ? pair : pair.slice(0, equals)).replaceAll("+", " "));
    const value = equals < 0 ? "" : percentDecodeBytes(pair.slice(equals + 1).replaceAll("+", " "));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return new Query(values);
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes `%41` to `A`; undefined for a malformed escape. Bytes that are not UTF-8 become U+FFFD. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  const bytes = percentBytes(text);
  return bytes === undefined ? undefined : utf8.decode(bytes);
}

/** As `percentDecode`, for paths and values of a query: a byte that is not UTF-8 becomes a lone surrogate (`strayByte`), so that messages
 *  can show it. */
export function percentDecodeBytes(text: string): string | undefined {
  if (!text.includes("%")) return text;
  const bytes = percentBytes(text);
  if (bytes === undefined) return undefined;
  const decoded = utf8.decode(bytes);
  return decoded.includes(replacement) ? withStrayBytes(bytes) : decoded;
}

const replacement = "\ufffd";

function withStrayBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes[at]!);
    const part = bytes.subarray(at, at + length);
    const character = utf8.decode(part);
    // An encoded U+FFFD is valid; it has three bytes.
    const isOne = length > 0 && (!character.includes(replacement) || (length === 3 && isReplacement(part)));
    text += isOne ? character : String.fromCharCode(strayByte + bytes[at]!);
    at += isOne ? length : 1;
  }
  return text;
}

function isReplacement(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbf && bytes[2] === 0xbd;
}

/** Length in bytes of the UTF-8 sequence that starts with `byte`; 0 if none does. */
function sequenceLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 0;
}

function percentBytes(text: string): Uint8Array | undefined {
  const bytes = new TextEncoder().encode(text);
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x25) {
      out[length++] = bytes[at]!;
      continue;
    }
    const high = hexValue(bytes[at + 1]), low = hexValue(bytes[at + 2]);
    if (high < 0 || low < 0) return undefined;
    out[length++] = high * 16 + low;
    at += 2;
  }
  return out.subarray(0, length);
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
