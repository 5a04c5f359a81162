/** The query of a URL as Go reads it: first value wins, `+` is a blank, what cannot be decoded or holds a semicolon is left out. */
export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }
  /** The first value, "" where the key is absent. */
  first(key: string): string {
    return this.#values.get(key)?.[0] ?? "";
  }
  all(key: string): readonly string[] {
    return this.#values.get(key) ?? [];
  }
  has(key: string): boolean {
    return this.#values.has(key);
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
    const value = equals < 0 ? "" : percentDecode(pair.slice(equals + 1).replaceAll("+", " "));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return new Query(values);
}

const utf8 = new TextDecoder();

/** `%41` to `A`; undefined where an escape is broken. Bytes that are no UTF-8 become U+FFFD. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
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
  return utf8.decode(out.subarray(0, length));
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
