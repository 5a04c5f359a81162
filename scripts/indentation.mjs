// Removes the indentation of JavaScript: a twentieth of the packed size. Lines within template literals stay as they are.
import { nodesOf } from "./syntax.mjs";

/** The text without spaces at the beginning of its lines. A line that begins within the text of a template literal is a part of a value. */
export function withoutIndentation(text) {
  const kept = nodesOf(text, "TemplateElement");
  let at = 0, out = "", next = 0;
  for (const line of text.split("\n")) {
    while (next < kept.length && kept[next].end < at) next++;
    const isInside = next < kept.length && kept[next].start < at;
    out += `${isInside ? line : line.trimStart()}\n`;
    at += line.length + 1;
  }
  return out.slice(0, -1);
}
