/** Returns a number of JSON as Go's `%v` shows it: integers as int64, others as `goDouble`. */
export function goNumber(value: number | bigint): string {
  return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : goDouble(value);
}

/** Returns a double as Go's `%v` shows it: with an exponent from 1e+06 on and below 1e-4. */
export function goDouble(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || !Number.isFinite(value) || size >= 1e-4 && size < 1e6) return Object.is(value, -0) ? "-0" : String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  return `${digits}e${exponent.startsWith("-") ? "-" : "+"}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}
