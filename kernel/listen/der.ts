/** The few tags of DER that certificates are made of (X.690). */
export const derTag = Object.freeze({
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
});

/** One value as it stands in its bytes. */
export interface DerValue {
  readonly tag: number;
  /** What follows the length. */
  readonly content: Uint8Array;
  /** Tag, length and content together. */
  readonly whole: Uint8Array;
}

/** The values that stand one after the other in `bytes`; an Error where a length is wrong or has more than four bytes. */
export function derValues(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? -1;
    let start = at + 2;
    if (length >= 0x80) {
      const wide = length & 0x7f;
      if (wide === 0 || wide > 4) throw new Error("DER: unsupported length");
      length = 0;
      for (let i = 0; i < wide; i++) length = length * 256 + (bytes[start + i] ?? Infinity);
      start += wide;
    }
    if (length < 0 || start + length > bytes.length) throw new Error("DER: value is cut short");
    values.push({ tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) });
    at = start + length;
  }
  return values;
}

/** The single value in `bytes`, of that tag. */
export function derValue(bytes: Uint8Array, tag: number): DerValue {
  const values = derValues(bytes);
  const [value] = values;
  if (value === undefined || values.length !== 1 || value.tag !== tag) throw new Error(`DER: expected one value of tag ${tag}`);
  return value;
}

/** A value of `tag` around the parts joined. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const size: number[] = [];
  if (length < 0x80) size.push(length);
  else {
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) size.unshift(rest % 256);
    size.unshift(0x80 | size.length);
  }
  const out = new Uint8Array(1 + size.length + length);
  out[0] = tag;
  out.set(size, 1);
  let at = 1 + size.length;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** An object identifier from its dotted form. */
export function derOid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const groups = [arc % 128];
    for (let high = Math.floor(arc / 128); high > 0; high = Math.floor(high / 128)) groups.unshift((high % 128) | 0x80);
    bytes.push(...groups);
  }
  return der(derTag.oid, Uint8Array.from(bytes));
}

/** The dotted form of an object identifier's content. */
export function oidText(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (arcs.length > 0) arcs.push(arc);
    else arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    arc = 0;
  }
  return arcs.join(".");
}

/** A moment in milliseconds since the epoch, cut to seconds: UTCTime until 2049, GeneralizedTime after (RFC 5280, 4.1.2.5). */
export function derTime(ms: number): Uint8Array {
  const iso = new Date(ms).toISOString();
  const digits = iso.slice(0, 19).replace(/[-:T]/g, "") + "Z";
  const year = Number(iso.slice(0, 4));
  return year < 2050
    ? der(derTag.utcTime, new TextEncoder().encode(digits.slice(2)))
    : der(derTag.generalizedTime, new TextEncoder().encode(digits));
}

/** Milliseconds since the epoch of a UTCTime or GeneralizedTime in the form that certificates must use; NaN for others. */
export function timeOf(value: DerValue): number {
  let text = new TextDecoder().decode(value.content);
  if (value.tag === derTag.utcTime) text = (Number(text.slice(0, 2)) < 50 ? "20" : "19") + text;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (parts === null) return NaN;
  const [, year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
