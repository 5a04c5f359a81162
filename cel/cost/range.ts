/** Arithmetic of cost and size ranges. Sums and products saturate at 2^64-1, as upstream's. */
import type { Range } from "../declarations.ts";

/** The largest cost or size. It stands for one that is unknown or too large. */
export const rangeMax = (1n << 64n) - 1n;
const twoTo64 = 2 ** 64;

/** The range from 0 to 2^64-1, for a size or cost of which nothing is known. */
export const unknownRange: Range = Object.freeze({ min: 0n, max: rangeMax });

/** Returns a range of one number. */
export function exactly(value: bigint): Range {
  return { min: value, max: value };
}

/** Cost units for each character of a string that is read. */
export const traversalFactor = 0.1;
/** Cost units for each character of a pattern and each unit of the text that it is applied to. */
export const patternFactor = 0.25;
/** Cost units of a new list, map and object. */
export const listBase = 10n;
export const mapBase = 30n;
export const structBase = 40n;

export function plus(a: Range, b: Range): Range {
  return { min: saturate(a.min + b.min), max: saturate(a.max + b.max) };
}

export function times(a: Range, b: Range): Range {
  return { min: saturate(a.min * b.min), max: saturate(a.max * b.max) };
}

/** Returns both bounds multiplied by a factor, in double precision and rounded up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: scaledBound(min, factor), max: scaledBound(max, factor) };
}

/** Returns the smallest range that includes both. */
export function union(a: Range, b: Range): Range {
  return { min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max };
}

function saturate(value: bigint): bigint {
  return value > rangeMax ? rangeMax : value;
}

function scaledBound(value: bigint, factor: number): bigint {
  const size = Number(value);
  if (size > 0 && factor > 0 && size > twoTo64 / factor) return rangeMax;
  const product = Math.ceil(size * factor);
  return product >= twoTo64 ? rangeMax : BigInt(product);
}
