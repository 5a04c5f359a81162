/**
 * The abstract syntax tree of CEL after macro expansion, as the language definition has it. Each node has an id that is unique in its
 * expression; positions, types and references are kept beside the tree, by id.
 */
import type { Uint } from "./values.ts";

/** A literal. An int is a bigint, a double a number. */
export type ConstantValue = null | boolean | bigint | Uint | number | string | Uint8Array;
export type Constant = { readonly tag: "constant"; readonly id: number; readonly value: ConstantValue };
/** A variable, a type name, or the first part of a qualified name. A leading dot is part of the name. */
export type Identifier = { readonly tag: "identifier"; readonly id: number; readonly name: string };
/** `operand.field`; with `testOnly` it is `has(operand.field)`. */
export type Select = {
  readonly tag: "select";
  readonly id: number;
  readonly operand: Expr;
  readonly field: string;
  readonly testOnly: boolean;
};
/** A call of a function, a member function (`target`) or an operator (named as in `operators.ts`). */
export type Call = {
  readonly tag: "call";
  readonly id: number;
  readonly target: Expr | undefined;
  readonly function: string;
  readonly args: readonly Expr[];
};
export type ListLiteral = {
  readonly tag: "list";
  readonly id: number;
  readonly elements: readonly Expr[];
  /** Indices of the elements that are written `?element`, ascending. */
  readonly optional: readonly number[];
};
export type MapEntry = { readonly id: number; readonly key: Expr; readonly value: Expr; readonly optional: boolean };
export type MapLiteral = { readonly tag: "map"; readonly id: number; readonly entries: readonly MapEntry[] };
export type StructEntry = { readonly id: number; readonly field: string; readonly value: Expr; readonly optional: boolean };
/** `Type{field: value}`. */
export type StructLiteral = {
  readonly tag: "struct";
  readonly id: number;
  readonly type: string;
  readonly entries: readonly StructEntry[];
};
/** A loop over a list or map that folds into an accumulator. Macros such as `all` expand to it. */
export type Comprehension = {
  readonly tag: "comprehension";
  readonly id: number;
  readonly range: Expr;
  readonly variable: string;
  /** The second variable of a comprehension with two: the value, if the first is a key or an index. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
};
/** An expression. */
export type Expr = Constant | Identifier | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension;

/** A parsed expression with all macros expanded. */
export interface Ast {
  readonly expr: Expr;
  readonly source: string;
  /** For each node by id, where its errors are reported: the offset of a token in code points. */
  readonly positions: ReadonlyMap<number, number>;
  /** The call as it was written, by the id of the node that a macro expanded to. */
  readonly macroCalls: ReadonlyMap<number, Expr>;
}

/** A mistake in an expression, found by the parser or the checker. */
export interface Issue {
  readonly message: string;
  /** Offset in code points; -1 if unknown. */
  readonly position: number;
}

/** Names of operators in calls. */
export const operators = {
  conditional: "_?_:_",
  and: "_&&_",
  or: "_||_",
  not: "!_",
  equals: "_==_",
  notEquals: "_!=_",
  less: "_<_",
  lessEquals: "_<=_",
  greater: "_>_",
  greaterEquals: "_>=_",
  add: "_+_",
  subtract: "_-_",
  multiply: "_*_",
  divide: "_/_",
  modulo: "_%_",
  negate: "-_",
  index: "_[_]",
  optionalIndex: "_[?_]",
  optionalSelect: "_?._",
  in: "@in",
  notStrictlyFalse: "@not_strictly_false",
} as const;
