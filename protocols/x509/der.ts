/** Writes DER (X.690). `x509/der-reader.ts` reads it. */

/** The universal tags used in certificates. */
export const derTag = Object.freeze({
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
});

/** Returns a value of `tag` with the joined parts as content. */
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

/** Returns an object identifier, from its dotted form. */
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

/** Returns a time in milliseconds since the epoch, truncated to seconds: UTCTime until 2049, GeneralizedTime after (RFC 5280, 4.1.2.5). */
export function derTime(ms: number): Uint8Array {
  const iso = new Date(ms).toISOString();
  const digits = iso.slice(0, 19).replace(/[-:T]/g, "") + "Z";
  const year = Number(iso.slice(0, 4));
  return year < 2050
    ? der(derTag.utcTime, new TextEncoder().encode(digits.slice(2)))
    : der(derTag.generalizedTime, new TextEncoder().encode(digits));
}
