/** One value of DER (X.690): what certificates and keys are written in. */
export interface Der {
  readonly tag: number;
  readonly content: Uint8Array;
}

export const derTags = Object.freeze({
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  first: 0xa0,
  second: 0xa1,
});

/** Lengths of more bytes than this are refused: nothing that a secret can hold needs them. */
const lengthBytesMax = 4;

/** The values that stand one after the other, or undefined where the bytes are not DER. */
export function readDer(bytes: Uint8Array): readonly Der[] | undefined {
  const values: Der[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at]!;
    let length = bytes[at + 1] ?? Infinity;
    let start = at + 2;
    if (length >= 0x80) {
      const wide = length - 0x80;
      if (!(wide >= 1 && wide <= lengthBytesMax)) return undefined;
      length = 0;
      for (let i = 0; i < wide; i++) length = length * 256 + (bytes[start + i] ?? Infinity);
      start += wide;
    }
    if (start + length > bytes.length) return undefined;
    values.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return values;
}

/** The values inside of one that must have this tag; none where it has not, or is no DER inside. */
export function inside(value: Der | undefined, tag: number): readonly Der[] {
  return value?.tag === tag ? readDer(value.content) ?? [] : [];
}
