// Places in JavaScript. The syntax tree costs a fifteenth of the list of tokens: of that @babel/parser makes a copy for each template literal.
import { parse } from "@babel/parser";

/** The nodes of a type, in the order of the text. */
export function nodesOf(text, type) {
  const found = [], waiting = [parse(text, { sourceType: "module" }).program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === type) found.push(node);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === "string") waiting.push(child);
    }
  }
  return found.sort((a, b) => a.start - b.start);
}
