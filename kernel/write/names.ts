/** Upstream's alphabet: no vowels and no ambiguous characters. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Five random characters for generated names; `random` returns numbers in [0, 1). */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
