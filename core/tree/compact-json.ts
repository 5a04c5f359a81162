import { goString } from "./json-text.ts";

/**
 * JSON text without the white space between its tokens, numbers and escapes as they were written. `<`, `>`, `&`, U+2028 and U+2029 are
 * escaped, as Go's encoder does with raw JSON. The text must be valid JSON; nothing is checked.
 */
export function compactJson(text: string): string {
  let out = "", copied = 0, inString = false;
  const copyTo = (at: number, skipped: number) => {
    out += text.slice(copied, at);
    copied = at + skipped;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
      else if (escaped.has(char)) {
        copyTo(at, 1);
        out += goString(char).slice(1, -1);
      }
    } else if (char === '"') inString = true;
    else if (char === " " || char === "\n" || char === "\t" || char === "\r") copyTo(at, 1);
  }
  copyTo(text.length, 0);
  return out.toWellFormed();
}
const escaped: ReadonlySet<string> = new Set(["<", ">", "&", "\u2028", "\u2029"]);
