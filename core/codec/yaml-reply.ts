/**
 * Replies in YAML. Upstream parses the JSON of a reply as YAML and writes it again. So characters that the YAML parser rejects are an
 * error, and U+0085, a line break in YAML, is folded as in any quoted text of several lines.
 */
import { writeYaml } from "./yaml.ts";
import type { Json } from "../schema.ts";
import { StatusError } from "../status-error.ts";
import { plainJson } from "../tree/plain-json.ts";

/** Characters that are unescaped in JSON and that the YAML parser rejects. */
const refused = /[\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;
const nextLine = "\u0085";

/** Throws a StatusError with code 500 and no reason if upstream cannot write this JSON as YAML. */
export function checkYaml(json: string): void {
  if (refused.test(json)) throw new StatusError("Unknown", "yaml: control characters are not allowed");
}

/** Returns the value of our own JSON text, as upstream parses it before it writes YAML. */
export function yamlValue(json: string): Json {
  checkYaml(json);
  const value = plainJson(json);
  return json.includes(nextLine) ? withFolded(value) : value;
}

/** Converts JSON that this server has written to YAML. */
export function yamlOf(json: string): string {
  return writeYaml(yamlValue(json));
}

function withFolded(value: Json): Json {
  if (typeof value === "string") return fold(value);
  if (Array.isArray(value)) return value.map(withFolded);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  // A key must be on one line.
  if (entries.some(([key]) => key.includes(nextLine))) {
    throw new StatusError("Unknown", "yaml: line 1: did not find expected ',' or '}'");
  }
  return Object.fromEntries(entries.map(([key, each]) => [key, withFolded(each as Json)]));
}

/** Folds line breaks: the first one becomes a space, each further one a line feed; spaces around them are removed. */
function fold(text: string): string {
  const lines = text.split(nextLine);
  let out = "", breaks = 0;
  for (const [index, line] of lines.entries()) {
    const isFirst = index === 0, isLast = index === lines.length - 1;
    const head = isFirst ? line : line.replace(/^ +/, "");
    const kept = isLast ? head : withoutTrailingBlanks(head);
    if (!isFirst) breaks++;
    if (kept === "" && !isFirst && !isLast) continue;
    if (breaks > 0) out += breaks === 1 ? " " : "\n".repeat(breaks - 1);
    breaks = 0;
    out += kept;
  }
  return out;
}

function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === " ") end--;
  return text.slice(0, end);
}
