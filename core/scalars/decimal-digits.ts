/** Arithmetic on the decimal digits of whole numbers, as text, in linear time where a big integer's text takes more. */

/** Digits that are multiplied at a time. */
const chunkDigits = 15;

/** The first `kept` digits, plus one in the last place: rounding up when what is left out is not zero. */
export function rounded(digits: string, kept: number): string {
  let end = kept;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x39) end--;
  if (end <= 0) return `1${"0".repeat(Math.max(0, kept))}`;
  return `${digits.slice(0, end - 1)}${Number(digits[end - 1]) + 1}${"0".repeat(kept - end)}`;
}

/** The digits of the product. */
export function multiplied(digits: string, factor: bigint): string {
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

/** The sum of two signed numbers of some thousand digits at most. */
export function added(a: Signed, b: Signed): Signed {
  const sum = valueOf(a) + valueOf(b);
  return { negative: sum < 0n, digits: String(sum < 0n ? -sum : sum) };
}

function valueOf({ negative, digits }: Signed): bigint {
  return negative ? -BigInt(digits) : BigInt(digits);
}
