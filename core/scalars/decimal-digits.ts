/** Arithmetic on decimal digits of integers as text, in linear time; conversions of bigints to text take longer. */

/** Digits multiplied in one step. */
const chunkDigits = 15;

/** Returns the first `kept` digits, plus one in the last place: rounds up if the omitted digits are not zero. */
export function roundDigits(digits: string, kept: number): string {
  let end = kept;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x39) end--;
  if (end <= 0) return `1${"0".repeat(Math.max(0, kept))}`;
  return `${digits.slice(0, end - 1)}${Number(digits[end - 1]) + 1}${"0".repeat(kept - end)}`;
}

/** Returns the decimal digits of the product. */
export function multiplyDigits(digits: string, factor: bigint): string {
  if (factor === 1n) return digits;
  const chunks: string[] = [];
  const base = 10n ** BigInt(chunkDigits);
  let carry = 0n;
  for (let end = digits.length; end > 0; end -= chunkDigits) {
    const product = BigInt(digits.slice(Math.max(0, end - chunkDigits), end)) * factor + carry;
    chunks.push(String(product % base).padStart(chunkDigits, "0"));
    carry = product / base;
  }
  return String(carry) + chunks.reverse().join("");
}

interface Signed {
  readonly negative: boolean;
  readonly digits: string;
}

/** Returns the sum of two signed numbers, for up to a few thousand digits. */
export function addDigits(a: Signed, b: Signed): Signed {
  const sum = valueOf(a) + valueOf(b);
  return { negative: sum < 0n, digits: String(sum < 0n ? -sum : sum) };
}

function valueOf({ negative, digits }: Signed): bigint {
  return negative ? -BigInt(digits) : BigInt(digits);
}
