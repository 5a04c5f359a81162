/** Text that others wrote, such as names of files and values of objects, for a terminal and for a shell. */

/**
 * Characters that change what a terminal shows: control characters, those that turn the direction of text (Unicode UAX #9), those that are
 * not visible, and halves of characters.
 */
const unsafe =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{e0000}-\u{e0fff}]/gu;

/** Replaces characters that could change what the terminal shows. Lines stay one line. */
export function printable(text: string): string {
  return text.replaceAll(unsafe, "\ufffd");
}

/** JSON with such characters as escapes: the values stay the same. `json` may have line breaks between its tokens. */
export function printableJson(json: string): string {
  const escape = (character: string) =>
    character === "\n"
      ? character
      : Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  return json.replaceAll(unsafe, escape);
}

const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Returns a file name as one word of a POSIX shell. A name that begins with a dash is written as a path, because programs would read it
 * as a flag.
 */
export function shellPath(path: string): string {
  const named = path.startsWith("-") && path !== "-" ? `./${path}` : path;
  if (plainWord.test(named)) return named;
  // In $'...' every character can be written as an escape.
  if (printable(named) !== named) return `$'${Array.from(named, ansiEscaped).join("")}'`;
  return `'${named.replaceAll("'", "'\\''")}'`;
}

function ansiEscaped(character: string): string {
  if (printable(character) === character) return character === "'" || character === "\\" ? `\\${character}` : character;
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
