/** Returns the seed of this run: `THOLE_SEED`, or a random one. Tests include it in their names. */
export function seedOfRun(): number {
  return Number(process.env["THOLE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
}
