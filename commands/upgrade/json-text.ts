/** Writes a document that was read from JSON. */
import { isMap, isScalar, isSeq } from "yaml";
import { resolveValue } from "./nodes.ts";
import { valueText } from "../../core/value-text.ts";

/** Returns the indentation of the second line, which is the first within a bracket; empty for JSON in one line. */
export function indentationOf(text: string): string {
  const line = text.trimStart().split("\n", 2)[1] ?? "";
  return line.slice(0, line.length - line.trimStart().length);
}

/** Returns JSON with the indentation of one level; numbers are written as they were read. */
export function jsonText(node: unknown, indent: string, line = "\n"): string {
  const inner = line + indent, isBroken = indent !== "";
  const bracketed = (open: string, items: readonly string[], close: string) =>
    items.length === 0
      ? open + close
      : isBroken
      ? `${open}${inner}${items.join(`,${inner}`)}${line}${close}`
      : `${open}${items.join(",")}${close}`;
  if (isSeq(node)) return bracketed("[", node.items.map((item) => jsonText(item, indent, inner)), "]");
  if (isMap(node)) {
    const separator = isBroken ? ": " : ":";
    return bracketed(
      "{",
      node.items.map(({ key, value }) => `${valueText(isScalar(key) ? key.value : key)}${separator}${jsonText(value, indent, inner)}`),
      "}",
    );
  }
  if (!isScalar(node)) return "null";
  const text = String(node.value), { type } = resolveValue(node);
  // A number that no server holds, such as 1e400, stays one.
  if (node.type !== "QUOTE_DOUBLE" && jsonNumber.test(text)) return text;
  return type === "str" || type === "timestamp" ? valueText(node.value) : text;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
