/** Order of keys in YAML responses: the natural order of upstream's library, in which `a2` precedes `a10`. */

/** Compares two keys. Letters follow all other characters, numbers compare by value, and a prefix precedes a longer key. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const as = runesOf(a);
  const bs = runesOf(b);
  const common = Math.min(as.length, bs.length);
  for (let at = 0; at < common; at++) {
    const x = as[at] ?? "";
    const y = bs[at] ?? "";
    if (x !== y) return compareFrom(as, bs, at, x, y);
  }
  return as.length - bs.length;
}

/** The characters of a text by index. */
type Runes = ArrayLike<string>;

/** A text of ASCII is its own list of characters: an object with many keys is compared much faster so. */
function runesOf(text: string): Runes {
  return isAscii.test(text) ? text : Array.from(text);
}
// deno-lint-ignore no-control-regex -- the range of ASCII begins with control characters
const isAscii = /^[\x00-\x7f]*$/;

/** Compares from the first index at which two keys differ. */
function compareFrom(as: Runes, bs: Runes, at: number, x: string, y: string): number {
  const xLetter = isLetter(x);
  const yLetter = isLetter(y);
  if (xLetter && yLetter) return codePoint(x) - codePoint(y);
  if (xLetter || yLetter) return yLetter ? -1 : 1;
  // A zero inside a number is a digit; leading zeros are ignored.
  const inNumber = (x === "0" || y === "0") && followsNonZero(as, at);
  const xNumber = numberAt(as, at, inNumber);
  const yNumber = numberAt(bs, at, inNumber);
  if (xNumber.value !== yNumber.value) return xNumber.value < yNumber.value ? -1 : 1;
  if (xNumber.end !== yNumber.end) return xNumber.end - yNumber.end;
  return codePoint(x) - codePoint(y);
}

/** Whether the digits immediately before an index contain one that is not zero. */
function followsNonZero(runes: Runes, at: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const rune = runes[before] ?? "";
    if (!isDigit(rune)) return false;
    if (rune !== "0") return true;
  }
  return false;
}

/** Returns the number that begins at an index, in int64 arithmetic, and the index of its end. */
function numberAt(runes: Runes, at: number, inNumber: boolean): { value: bigint; end: number } {
  let value = inNumber ? 1n : 0n;
  let end = at;
  for (; isDigit(runes[end] ?? ""); end++) value = BigInt.asIntN(64, value * 10n + BigInt(codePoint(runes[end] ?? "") - 0x30));
  return { value, end };
}

function isLetter(rune: string): boolean {
  if (rune < "\x80") return (rune >= "a" && rune <= "z") || (rune >= "A" && rune <= "Z");
  return /^\p{L}$/u.test(rune);
}

function isDigit(rune: string): boolean {
  if (rune < "\x80") return rune >= "0" && rune <= "9";
  return /^\p{Nd}$/u.test(rune);
}

function codePoint(rune: string): number {
  return rune.codePointAt(0) ?? 0;
}
