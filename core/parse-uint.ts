const uint64Max = 2n ** 64n - 1n;

/**
 * An unsigned integer of 64 bits as Go's `strconv.ParseUint` reads it, at most `Number.MAX_SAFE_INTEGER`: revisions are no larger. For
 * another text, the words in which Go refuses it.
 */
export function parseUint(text: string): number | "invalid syntax" | "value out of range" {
  if (!/^[0-9]+$/.test(text)) return "invalid syntax";
  let first = 0;
  while (text[first] === "0") first++;
  const digits = text.slice(first);
  if (digits.length > 20 || BigInt(digits) > uint64Max) return "value out of range";
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
