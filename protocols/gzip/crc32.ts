/**
 * CRC-32 of concatenated bytes from the CRCs of the parts.
 *
 * A CRC is the remainder of a polynomial over GF(2). Appending n bytes multiplies the polynomial before them by x to the power 8n, so
 *
 *   crc(a + b) = crc(a) * x^(8 * length of b) + crc(b)     modulo the polynomial of CRC-32
 *
 * The initial and final inversions of CRC-32 cancel out. In the 32 bits of a value the highest bit is the coefficient of x^0.
 */

const polynomial = 0xedb88320;
/** x^0 and x^8. */
const one = 0x80000000, byte = 0x00800000;

/** Returns the product of two polynomials modulo the polynomial of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= b;
    // b * x
    b = (b & 1) === 0 ? b >>> 1 : (b >>> 1) ^ polynomial;
  }
  return product >>> 0;
}

/** Returns the factor by which `length` bytes shift the CRC of the bytes before them: x^(8 * length). */
export function shiftOf(length: number): number {
  let shift = one;
  // By binary digits; lengths exceed 32 bits.
  for (let rest = length, power = byte; rest > 0; rest = Math.floor(rest / 2), power = multiply(power, power)) {
    if (rest % 2 === 1) shift = multiply(shift, power);
  }
  return shift;
}

/** Returns the CRC of bytes with the CRC `before`, followed by others with the CRC `after` and this shift. */
export function combine(before: number, after: number, shift: number): number {
  return (multiply(before, shift) ^ after) >>> 0;
}
