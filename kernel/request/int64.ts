const int64Max = 2n ** 63n - 1n;

/** A decimal 64-bit integer, or why it is none in the words of Go's strconv. */
export function readInt64(text: string): bigint | "invalid syntax" | "value out of range" {
  if (!/^[+-]?\d+$/.test(text)) return "invalid syntax";
  if (text.length > 30) return "value out of range";
  const value = BigInt(text.replace(/^\+/, ""));
  return value > int64Max || value < -int64Max - 1n ? "value out of range" : value;
}
