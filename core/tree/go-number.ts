import { numberText } from "./values.ts";

/** A number as Go's `%v` shows it: exponents from 1e+21 and below 1e-4 for doubles. */
export function goNumber(value: number | bigint): string {
  if (typeof value === "bigint") return String(value);
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e21)) {
    const [digits = "", exponent = ""] = value.toExponential().split("e");
    const power = exponent.replace(/^[+-]/, "");
    return `${digits}e${exponent.startsWith("-") ? "-" : "+"}${power.padStart(2, "0")}`;
  }
  return numberText(value);
}
