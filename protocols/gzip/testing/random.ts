export interface Random {
  /** An integer of at least 0 and below `bound`. */
  below(bound: number): number;
  /** Bytes of which some compress well and some do not. */
  bytes(length: number): Uint8Array;
}

/** Pseudo-random values: the same for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  // A linear congruential generator; its high bits are the random ones.
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8;
  return {
    below: (bound) => next() % bound,
    bytes(length) {
      const mask = next() % 3 === 0 ? 0xff : 3;
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; at++) bytes[at] = next() & mask;
      return bytes;
    },
  };
}
