/** Random numbers for tests: the same numbers for the same seed (Mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = (mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed)) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296;
  };
}

/** The seed of this run: `THOLE_SEED`, or a random one. Tests include it in their names. */
export function seedOfRun(): number {
  return Number(process.env["THOLE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
}
