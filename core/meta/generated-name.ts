/** The characters of generated names. As upstream, there are no vowels and no ambiguous characters. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Returns five random characters for a generated name. `random` returns numbers in [0, 1). */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
