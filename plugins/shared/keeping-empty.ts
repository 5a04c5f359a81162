/** Schemas for rules of upstream that distinguish an empty list or map from an absent one. */
import { once } from "../../core/async.ts";
import { emptyMapDropper } from "../../core/derive/empty-lists.ts";
import type { Field, Node, StructNode, Typed } from "../../toolbox.ts";

/**
 * The struct with empty lists and maps that stay in objects of requests (`keepsEmpty`), at any depth, or those of the fields `only`. Stored objects
 * have none, so comparisons with them need `withoutEmpty` first.
 */
export function keepingEmpty<S extends StructNode>(node: S, only?: readonly string[]): S {
  const fields = Object.entries(node.fields).map(([key, field]): [string, Field] => {
    if (only !== undefined && !only.includes(key)) return [key, field];
    const kept = field.written === undefined && (field.node.tag === "list" || field.node.tag === "record");
    return [key, { ...field, node: deep(field.node), ...(kept ? { keepsEmpty: true } : {}) }];
  });
  return { ...node, fields: Object.fromEntries(fields) }; // the same shape
}

function deep(node: Node): Node {
  if (node.tag === "struct") return keepingEmpty(node);
  return node.tag === "list" || node.tag === "record" ? { ...node, of: deep(node.of) } : node;
}

/** A function that returns values of the schema as they are stored: without empty lists and maps. It is compiled at its first call. */
export function emptyDropper<T>(node: Typed<T>): (value: T) => T {
  const drop = once(() => emptyMapDropper(node));
  return (value) => drop()(value) as T; // only optional members are removed
}
