/** Upstream's alphabet: no vowels, nothing that reads like something else. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Five random characters for generated names; `random` gives numbers in [0, 1). */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
