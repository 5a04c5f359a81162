/** Converts doubles to decimal digits, exactly and rounded to even, for the notations of `format`. */

/** The number `0.digits * 10^exponent`. The digits have no leading and trailing zeros. */
export interface Digits {
  readonly digits: string;
  readonly exponent: number;
}

const zero: Digits = { digits: "", exponent: 0 };

function digitsFrom(digits: string, exponent: number): Digits {
  const significant = digits.replace(/^0+/, ""), start = digits.length - significant.length;
  let end = significant.length;
  while (end > 0 && significant.charCodeAt(end - 1) === 0x30) end--;
  return end === 0 ? zero : { digits: significant.slice(0, end), exponent: exponent - start };
}

/** Returns all digits of a finite size. */
function exactDigits(size: number): Digits {
  if (size === 0) return zero;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, size);
  const bits = view.getBigUint64(0), biased = Number(bits >> 52n), fraction = bits & ((1n << 52n) - 1n);
  const mantissa = biased === 0 ? fraction : fraction | 1n << 52n, power = Math.max(1, biased) - 1075;
  const all = String(power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power));
  return digitsFrom(all, all.length + Math.min(0, power));
}

/** Returns the fewest digits that identify a finite size. */
export function shortestDigits(size: number): Digits {
  const [mantissa, exponent] = size.toExponential().split("e") as [string, string];
  return digitsFrom(mantissa.replace(".", ""), Number(exponent) + 1);
}

/** Rounds to the first `kept` digits; a tie is rounded to even. */
function roundedTo({ digits, exponent }: Digits, kept: number): Digits {
  if (kept >= digits.length) return { digits, exponent };
  if (kept < 0) return zero;
  const next = digits.charCodeAt(kept) - 0x30;
  const isOdd = kept > 0 && (digits.charCodeAt(kept - 1) & 1) === 1;
  const isUp = next > 5 || next === 5 && (digits.length > kept + 1 || isOdd);
  if (!isUp) return digitsFrom(digits.slice(0, kept), exponent);
  const increased = String(BigInt(`0${digits.slice(0, kept)}`) + 1n);
  return digitsFrom(increased, exponent + increased.length - kept);
}

/** Returns the digits of a size, rounded to this number of places after the decimal point. */
export function toPlaces(size: number, places: number): Digits {
  const exact = exactDigits(size);
  return roundedTo(exact, exact.exponent + places);
}

/** Returns the digits of a size, rounded to this number of significant digits. */
export function toSignificant(size: number, count: number): Digits {
  return roundedTo(exactDigits(size), count);
}

/** Returns the parts before and after the decimal point. The fraction has no trailing zeros. */
export function parts({ digits, exponent }: Digits): { readonly whole: string; readonly fraction: string } {
  if (exponent <= 0) return { whole: "0", fraction: digits === "" ? "" : "0".repeat(-exponent) + digits };
  return { whole: digits.slice(0, exponent).padEnd(exponent, "0"), fraction: digits.slice(exponent) };
}
