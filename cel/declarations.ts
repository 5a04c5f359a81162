/**
 * What an environment offers to expressions: variables, functions with their costs, and macros. A library is an array of declarations in
 * `functions/`: the signature, the implementation, and the cost of a function stand in one place.
 */
import type { Ast, Call, Expr, Issue } from "./ast.ts";
import type { Type, TypeSource } from "./types.ts";
import type { Value } from "./values.ts";

/** One signature of a function. For a member function the receiver is the first argument. */
export interface Overload {
  /** Id as upstream names it, such as `string_to_ip`. Costs and messages of the checker use it. */
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /**
   * Runs the function. It is called with values of the types of `args` (a `dyn` argument may be anything), never with a `CelError` unless
   * `nonStrict` is set. It returns a `CelError` for a failure and does not throw.
   */
  readonly call?: (...args: Value[]) => Value;
  /** Whether arguments may be errors. The function then decides what to do with them (`@not_strictly_false`). */
  readonly nonStrict?: true;
  /**
   * Whether its evaluation stops at the first argument that fails, without charging the call. Functions with three arguments or more do so.
   */
  readonly variadic?: true;
}

/** A function with all of its overloads. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /**
   * One implementation of all overloads, instead of `call` of each. It is called with values of any types, but never with a `CelError`
   * unless an overload is `nonStrict`.
   */
  readonly call?: (...args: Value[]) => Value;
  /** Index of an argument that is a regular expression. If it is constant and wrong, the expression does not compile. */
  readonly patternArgument?: number;
  /**
   * Returns the cost in units at run time, by arguments and result. Default: 1. It is a whole number, or NaN if upstream's costs fail; the
   * evaluation then ends with an internal error.
   */
  readonly cost?: (overload: string, args: readonly Value[], result: Value) => number;
  /** Estimates the worst case before the function runs. Default: 1 plus the arguments, from `cost/estimate.ts`. */
  readonly estimate?: (call: EstimatedCall, estimator: Estimator) => CallEstimate | undefined;
}

/** A range of unsigned 64-bit numbers; sums and products saturate at 2^64-1. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** An argument of a call whose cost is estimated. */
export interface Operand {
  /** Where the value comes from in the schema, such as `["self", "spec", "@items"]`; empty if it is computed. */
  readonly path: readonly string[];
  readonly type: Type;
  readonly expr: Expr;
  /** The size that has been computed for a computed value. */
  readonly size: Range | undefined;
}

export interface EstimatedCall {
  readonly function: string;
  readonly overload: string;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
}

export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

/** The functions that an `estimate` function may call. */
export interface Estimator {
  /**
   * Returns the size of an operand: a computed one, that of a literal, or the bounds of the schema. It is from 0 to 2^64-1 if nothing is
   * known.
   */
  sizeOf(operand: Operand): Range;
}

/** The functions with which a macro builds its expansion. */
export interface MacroContext {
  /** Returns the next free id. `at` is the position of the macro's call. */
  nextId(): number;
  /** Reports a mistake at a node. The macro returns undefined after it. */
  fail(at: Expr, message: string): undefined;
  /** Name of the accumulator variable, `@result`. */
  readonly accumulator: string;
  /** Returns the position of a node, and a new id at a position. Macros that copy an argument use them. */
  position(id: number): number;
  idAt(position: number): number;
}

/** A macro: a call that the parser replaces by another expression. */
export interface Macro {
  readonly name: string;
  /** Whether the macro is written `target.name(...)`. */
  readonly member: boolean;
  /** The number of arguments; undefined if it may have any number. */
  readonly args: number | undefined;
  /** Returns the replacement; undefined if the call stays as it is, or if a mistake was reported. */
  expand(context: MacroContext, call: Call): Expr | undefined;
}

/** A variable that expressions can name. */
export interface Variable {
  readonly name: string;
  readonly type: Type;
}

/** The variables, functions, types and macros that an expression can use. */
export interface Environment {
  readonly variables: ReadonlyMap<string, Variable>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: readonly Macro[];
  readonly types: TypeSource;
  /** Types by the names that expressions write (`int`, `net.IP`). */
  readonly typeNames: ReadonlyMap<string, Type>;
  /** Namespace in which names are looked up first; empty for none. */
  readonly container: string;
  /** Whether the elements of a list or map literal must have one type. */
  readonly homogeneousLiterals: boolean;
  /** Whether the syntax of optionals (`a.?b`, `a[?b]`, `{?k: v}`) is enabled. */
  readonly optionalSyntax: boolean;
  /** Makes an object of a type from its fields, for `Type{field: value}`. If absent, types cannot be constructed. */
  readonly construct?: (type: string, fields: ReadonlyMap<string, Value>) => Value;
  /** Checks that libraries make after the check of types, such as of constant patterns. */
  readonly validators: readonly ((ast: CheckedAst) => readonly Issue[])[];
}

/** What a checked name means: a variable, a constant type name, or the overloads that may be called. */
export type Reference =
  | { readonly tag: "variable"; readonly name: string }
  | { readonly tag: "type"; readonly type: Type }
  | { readonly tag: "function"; readonly overloads: readonly string[] };

/** A checked expression. */
export interface CheckedAst extends Ast {
  /** The type of each node, by id. */
  readonly types: ReadonlyMap<number, Type>;
  readonly references: ReadonlyMap<number, Reference>;
  readonly outputType: Type;
}
