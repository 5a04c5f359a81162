/**
 * Estimates the worst case of one evaluation before it runs. The cost of a node follows from its operands, that of a loop from the size of
 * its range.
 */
import { type Call, type Comprehension, type Expr, type ListLiteral, type MapLiteral, operators, type Select } from "../ast.ts";
import type { CheckedAst, Environment, EstimatedCall, Estimator, Operand, Range } from "../declarations.ts";
import { dynType, type Type } from "../types.ts";
import { estimateEquality, estimateStandard } from "./calls.ts";
import { SourcePath } from "./path.ts";
import { exactly, listBase, mapBase, plus, rangeMax, structBase, times, union, unknownRange } from "./range.ts";
import { type EntrySize, literalSize, typeSize } from "./sizes.ts";

/**
 * Returns the bounds of the size of a value by where the value comes from: a variable, then names of fields, `@items`, `@keys`, `@values`.
 */
export type SizeSource = (path: readonly string[]) => Range | undefined;

/** Estimates the cost of an expression. */
export function estimateCost(ast: CheckedAst, environment: Environment, sizes: SizeSource): Range {
  return new CostEstimate(ast, environment, sizes).cost(ast.expr);
}

interface Local {
  readonly path: SourcePath;
  readonly size: Range | undefined;
  readonly entrySize: EntrySize | undefined;
}

const zero = exactly(0n);
const one = exactly(1n);
const nothingYet: Range = Object.freeze({ min: rangeMax, max: 0n });

/** Variables into which comprehensions fold. They have no place in the schema. */
const accumulators: ReadonlySet<string> = new Set(["@result", "__result__"]);

class CostEstimate {
  readonly #ast: CheckedAst;
  readonly #environment: Environment;
  readonly #sizeAt: SizeSource;
  readonly #paths = new Map<number, SourcePath>();
  readonly #sizes = new Map<number, Range>();
  readonly #entrySizes = new Map<number, EntrySize>();
  readonly #locals = new Map<string, Local[]>();
  readonly #estimator: Estimator;

  constructor(ast: CheckedAst, environment: Environment, sizes: SizeSource) {
    this.#ast = ast;
    this.#environment = environment;
    this.#sizeAt = (path) => path.length === 0 ? undefined : sizes(path);
    this.#estimator = { sizeOf: (operand) => operand.size ?? this.#sizeAt(operand.path) ?? unknownRange };
  }

  cost(expr: Expr): Range {
    switch (expr.tag) {
      case "constant":
        return zero;
      case "identifier":
        this.#paths.set(expr.id, this.#local(expr.name)?.path ?? SourcePath.of(expr.name));
        return one;
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return expr.entries.reduce((sum, { value }) => plus(sum, this.cost(value)), exactly(structBase));
      case "comprehension":
        return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
    }
  }

  #select({ id, operand, field, testOnly }: Select): Range {
    const reference = this.#ast.references.get(id);
    if (reference !== undefined && reference.tag !== "function") {
      // A qualified name counts as one identifier.
      this.#paths.set(id, SourcePath.of(field));
      return one;
    }
    const cost = this.cost(operand);
    // As in upstream, a presence test costs no more than its operand.
    if (testOnly) return cost;
    const { tag } = this.#type(operand);
    this.#paths.set(id, this.#path(operand).with(field));
    return tag === "map" || tag === "object" || tag === "parameter" ? plus(cost, one) : cost;
  }

  #call(call: Call): Range {
    const { id, function: name, target } = call;
    if (name === "dyn" && call.args.length === 1) {
      const cost = this.cost(call.args[0]!);
      this.#copySizes(id, call.args[0]!);
      return plus(cost, one);
    }
    const costs: Range[] = [], args: Operand[] = [];
    for (const arg of call.args) {
      costs.push(this.cost(arg));
      args.push(this.#operand(arg));
    }
    const reference = this.#ast.references.get(id);
    if (reference?.tag !== "function" || reference.overloads.length === 0) return zero;
    const targetCost = target === undefined ? zero : this.cost(target);
    const operand = target === undefined ? undefined : this.#operand(target);
    let cost = nothingYet, resultSize: Range | undefined;
    for (const overload of reference.overloads) {
      const estimate = this.#overload(call, { function: name, overload, target: operand, args }, costs);
      cost = union(cost, estimate.cost);
      if (estimate.resultSize !== undefined) {
        resultSize = resultSize === undefined ? estimate.resultSize : union(resultSize, estimate.resultSize);
      }
      if ((overload === "index_list" || overload === "index_map") && call.args.length > 0) {
        resultSize = this.#entrySize(call.args[0]!)?.value;
        this.#paths.set(id, this.#path(call.args[0]!).with(overload === "index_list" ? "@items" : "@values"));
      }
      resultSize ??= this.#size(call);
    }
    if (resultSize !== undefined) this.#sizes.set(id, resultSize);
    return plus(targetCost, cost);
  }

  #overload(call: Call, estimated: EstimatedCall, costs: readonly Range[]): { readonly cost: Range; readonly resultSize?: Range } {
    const { estimate } = this.#environment.functions.get(call.function) ?? {};
    const known = estimateEquality(estimated) ?? estimate?.(estimated, this.#estimator);
    const sum = () => costs.reduce(plus, zero);
    if (known !== undefined) return { ...known, cost: plus(known.cost, sum()) };
    const { overload } = estimated, [first, second, third] = costs;
    if (overload === "logical_and" || overload === "logical_or") {
      // The second operand may not be evaluated.
      return { cost: { min: first!.min, max: plus(first!, second!).max } };
    }
    if (overload === "conditional") {
      const [, then, otherwise] = call.args as readonly [Expr, Expr, Expr]; // the parser makes three
      const entries = unionOfEntries(this.#entrySize(then), this.#entrySize(otherwise));
      if (entries !== undefined) this.#entrySizes.set(call.id, entries);
      const resultSize = union(estimated.args[1]!.size ?? unknownRange, estimated.args[2]!.size ?? unknownRange);
      return { cost: plus(first!, union(second!, third!)), resultSize };
    }
    if (call.function === operators.add && call.args.length === 2) {
      const entries = unionOfEntries(this.#entrySize(call.args[0]!), this.#entrySize(call.args[1]!));
      if (entries !== undefined && concatenations.has(overload)) this.#entrySizes.set(call.id, entries);
    }
    const standard = estimateStandard(estimated);
    return { ...standard, cost: plus(standard.cost, sum()) };
  }

  #list(list: ListLiteral): Range {
    let cost = zero, value: Range = list.elements.length === 0 ? zero : nothingYet;
    for (const element of list.elements) {
      cost = plus(cost, this.cost(element));
      value = union(value, this.#sizeOrUnknown(element));
    }
    this.#entrySizes.set(list.id, { container: "list", key: one, value });
    return plus(cost, exactly(listBase));
  }

  #map(map: MapLiteral): Range {
    let cost = zero, key: Range = map.entries.length === 0 ? zero : nothingYet, value = key;
    for (const entry of map.entries) {
      cost = plus(plus(cost, this.cost(entry.key)), this.cost(entry.value));
      key = union(key, this.#sizeOrUnknown(entry.key));
      value = union(value, this.#sizeOrUnknown(entry.value));
    }
    this.#entrySizes.set(map.id, { container: "map", key, value });
    return plus(cost, exactly(mapBase));
  }

  #comprehension(loop: Comprehension): Range {
    const { id, range, initial, variable, variable2, accumulator } = loop;
    let cost = plus(this.cost(range), this.cost(initial));
    this.#push(accumulator, this.#bound(initial));
    this.#push(variable, this.#variable(range, variable2 === undefined ? "single" : "key"));
    if (variable2 !== undefined) this.#push(variable2, this.#variable(range, "value"));
    const condition = this.cost(loop.condition), step = this.cost(loop.step);
    this.#pop(variable);
    if (variable2 !== undefined) this.#pop(variable2);
    cost = plus(cost, this.cost(loop.result));
    this.#pop(accumulator);
    const count = this.#sizeOrUnknown(range);
    if (initial.tag === "constant") this.#sizes.set(id, literalSize(initial)!);
    else if (initial.tag === "list" || initial.tag === "map") {
      this.#sizes.set(id, count);
      const entries = this.#entrySize(loop.step);
      if (entries !== undefined) this.#entrySizes.set(id, entries);
    }
    return plus(cost, times(count, plus(step, condition)));
  }

  #binding({ id, range, initial, accumulator, result }: Comprehension): Range {
    let cost = plus(this.cost(range), this.cost(initial));
    this.#push(accumulator, this.#bound(initial));
    cost = plus(cost, this.cost(result));
    this.#pop(accumulator);
    this.#copySizes(id, result);
    return cost;
  }

  #bound(expr: Expr): Local {
    return { path: this.#path(expr), entrySize: this.#entrySize(expr), size: this.#size(expr) };
  }

  /**
   * The local of a comprehension's variable. One variable holds keys of maps or elements of lists; two hold keys or indices, and values.
   */
  #variable(range: Expr, which: "single" | "key" | "value"): Local {
    const entries = this.#entrySize(range);
    const isList = (entries?.container ?? this.#type(range).tag) === "list";
    const isValue = which === "value" || which === "single" && isList;
    const step = isValue ? (isList ? "@items" : "@values") : isList ? "@indices" : "@keys";
    return { path: this.#path(range).with(step), size: isValue ? entries?.value : entries?.key, entrySize: undefined };
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }
  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #operand(expr: Expr): Operand {
    const path = this.#path(expr), isAccumulator = path.first !== undefined && accumulators.has(path.first);
    return {
      get path() {
        return isAccumulator ? [] : path.steps();
      },
      type: this.#type(expr),
      expr,
      size: this.#size(expr),
    };
  }

  #type({ id }: Expr): Type {
    return this.#ast.types.get(id) ?? dynType;
  }

  #path(expr: Expr): SourcePath {
    const local = expr.tag === "identifier" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr.id) ?? SourcePath.empty;
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#size(expr) ?? unknownRange;
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const bound = this.#sizeAt(this.#path(expr).steps());
    if (bound !== undefined) {
      this.#sizes.set(expr.id, bound);
      return bound;
    }
    return typeSize(this.#ast.types.get(expr.id)) ?? (expr.tag === "identifier" ? this.#local(expr.name)?.size : undefined);
  }

  #entrySize(expr: Expr): EntrySize | undefined {
    return this.#entrySizes.get(expr.id) ?? (expr.tag === "identifier" ? this.#local(expr.name)?.entrySize : undefined);
  }

  #copySizes(id: number, from: Expr): void {
    const size = this.#size(from), entries = this.#entrySize(from);
    if (size !== undefined) this.#sizes.set(id, size);
    if (entries !== undefined) this.#entrySizes.set(id, entries);
  }
}

const concatenations: ReadonlySet<string> = new Set(["add_string", "add_bytes", "add_list"]);

/** Whether a comprehension only names a value, as `optMap` does. */
function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  return range.tag === "list" && range.elements.length === 0 && condition.tag === "constant" && condition.value === false &&
    accumulator !== "__result__";
}

function unionOfEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}
