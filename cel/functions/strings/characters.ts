/** Converts between indices of characters (code points) and of UTF-16 units in a text. They are equal in texts without surrogates. */
import { characters } from "../../value/size.ts";
import { spend } from "../../value/work.ts";

const surrogates = /[\ud800-\udfff]/;

/** Number of characters. */
export { characters as characterCount };

/** Returns the index of the first unit of a character. `character` is at most the number of characters. */
export function unitAt(text: string, character: number): number {
  if (!surrogates.test(text)) return character;
  spend(text.length >> 4);
  let unit = 0;
  for (let left = character; left > 0; left--) unit += isPair(text, unit) ? 2 : 1;
  return unit;
}

/** Returns the index of the character to which a unit belongs. */
export function characterAt(text: string, unit: number): number {
  return surrogates.test(text) ? characters(text.slice(0, unit)) : unit;
}

/** Whether the two units at an index are one character. */
export function isPair(text: string, unit: number): boolean {
  return (text.codePointAt(unit) ?? 0) > 0xffff;
}

/** Returns the characters of a text. */
export function charactersOf(text: string): string[] {
  spend(text.length);
  return Array.from(text);
}
