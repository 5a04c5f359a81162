/** Keys of records in Go's order. */

/** Returns the own keys of an object, sorted by their UTF-8 bytes. */
export function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) {
    if (keys[i - 1]! > keys[i]!) return keys.some(hasSurrogate) ? keys.sort(compareBytes) : keys.sort();
  }
  return keys.length > 1 && keys.some(hasSurrogate) ? keys.sort(compareBytes) : keys;
}

/** Compares two strings by code points, which is the order of their UTF-8 bytes. */
export function compareBytes(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x !== y) {
      // In UTF-16 surrogates sort before U+E000; in UTF-8 their code points sort after U+FFFF.
      const high = Number(isSurrogate(x)) - Number(isSurrogate(y));
      return high !== 0 ? high : x - y;
    }
  }
  return a.length - b.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
function hasSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}
