/**
 * Chooses a free number below `size`. The first `low` numbers are left for those who choose theirs themselves, as long as others are free. The
 * search starts at a random number, so that servers seldom choose the same one.
 */
export function freeNumber(size: bigint, low: bigint, isFree: (number: bigint) => boolean, random: () => number): bigint | undefined {
  return freeIn(low, size, isFree, random) ?? freeIn(0n, low, isFree, random);
}

function freeIn(from: bigint, to: bigint, isFree: (number: bigint) => boolean, random: () => number): bigint | undefined {
  if (from >= to) return undefined;
  const start = from + BigInt(Math.floor(random() * Number(to - from)));
  for (let at = start; at < to; at++) if (isFree(at)) return at;
  for (let at = from; at < start; at++) if (isFree(at)) return at;
  return undefined;
}

/** How many numbers of a range are left for those who choose theirs themselves: one `part`-th within bounds, and none of small ranges. */
export function lowNumbers(size: bigint, part: bigint, max: bigint): bigint {
  const low = size / part;
  return size <= lowMin ? 0n : low < lowMin ? lowMin : low > max ? max : low;
}
const lowMin = 16n;
