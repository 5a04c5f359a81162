const uint64Max = 2n ** 64n - 1n;

/**
 * Parses an unsigned 64-bit integer as Go's `strconv.ParseUint`. Values above `Number.MAX_SAFE_INTEGER`, larger than any revision, are
 * capped to it. Returns Go's error text for an invalid text.
 */
export function parseUint(text: string): number | "invalid syntax" | "value out of range" {
  if (!/^[0-9]+$/.test(text)) return "invalid syntax";
  let first = 0;
  while (text[first] === "0") first++;
  const digits = text.slice(first);
  if (digits.length > 20 || BigInt(digits) > uint64Max) return "value out of range";
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
