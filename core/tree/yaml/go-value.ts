/** Keys and numbers of YAML in the formats of Go. */

import { goQuote } from "../go-quote.ts";
import type { Resolved } from "./resolve.ts";

/** Returns a key in the format of messages about duplicates. */
export function goKeySyntax(key: Resolved): string {
  switch (key.type) {
    case "null":
      return "<nil>";
    case "float":
      return goFloat(key.value);
    case "bool":
    case "int":
      return String(key.value);
    case "str":
    case "timestamp":
      return goQuote(key.value);
  }
}

/** Returns the JSON key of a float: the shortest text in single precision, as in sigs.k8s.io/yaml. */
export function floatKeyName(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  // The fewest digits that give the same number in single precision.
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return goFloat(short);
  }
  return goFloat(Number(single.toPrecision(9)));
}

/** Returns a float in Go's `%g` format: with an exponent of at least two digits below 1e-4 and from 1e6. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (value === 0 || exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
