/** Computes the sizes of literals and of types, which are known without a schema. */
import type { Expr } from "../ast.ts";
import type { Range } from "../declarations.ts";
import type { Type } from "../types.ts";
import { characters } from "../value/size.ts";
import { exactly } from "./range.ts";

/** Sizes of keys (or indices) and values of a collection. */
export interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

const one = exactly(1n);

/** Returns the size of a literal; undefined for other expressions. */
export function literalSize(expr: Expr): Range | undefined {
  switch (expr.tag) {
    case "constant":
      if (typeof expr.value === "string") return exactly(BigInt(characters(expr.value)));
      return expr.value instanceof Uint8Array ? exactly(BigInt(expr.value.length)) : one;
    case "list":
      return exactly(BigInt(expr.elements.length));
    case "map":
      return exactly(BigInt(expr.entries.length));
    default:
      return undefined;
  }
}

const scalars: ReadonlySet<Type["tag"]> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

/** Returns the size that all values of a type have; undefined if it depends on the value. */
export function typeSize(type: Type | undefined): Range | undefined {
  let inner = type;
  while (inner?.tag === "opaque" && inner.name === "optional_type") inner = inner.parameters[0];
  if (inner === undefined) return undefined;
  return scalars.has(inner.tag) || inner.tag === "wrapper" && scalars.has(inner.of.tag) ? one : undefined;
}
