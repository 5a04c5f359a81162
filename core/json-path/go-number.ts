/** Go's `%v` of a number: integers in full, floats with an exponent below 1e-4 and from 1e6 on. */
export function goNumberText(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  const [digits = "", power = "0"] = value.toExponential().split("e"), exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
