/** One DER value (X.690), the encoding of certificates and keys. */
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

/** Maximum size of a length field in bytes. A Secret cannot hold values that need more. */
const lengthBytesMax = 4;

/** Reads a sequence of consecutive values. Undefined if the bytes are not DER. */
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

/** The values inside a constructed value. Empty if the value has another tag, or its content is not DER. */
export function childrenOf(value: Der | undefined, tag: number): readonly Der[] {
  return value?.tag === tag ? readDer(value.content) ?? [] : [];
}
