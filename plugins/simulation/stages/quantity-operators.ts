/** The operators of quantities in expressions of Stages, as in kwok: `<`, `+`, `*` and the like. */
import { operators } from "../../../cel/ast.ts";
import type { Environment, FunctionDeclaration } from "../../../cel/declarations.ts";
import { addExact, doubleOf, negate, parseExact } from "../../../cel/functions/quantity/amount.ts";
import { quantityType, QuantityValue } from "../../../cel/functions/quantity/quantity.ts";
import { overload } from "../../../cel/functions/standard/overload.ts";
import { boolType, doubleType, intType, type Type } from "../../../cel/types.ts";
import { CelError, type Value } from "../../../cel/values.ts";
import { bound } from "../../../core/bound.ts";
import { compareAmounts } from "../../../core/scalars/quantity.ts";
import { Unreadable } from "../../../toolbox.ts";

/** UTF-16 units of a quantity in expressions of Stages. */
const quantityLengthMax = bound(100);

/** An operator on a quantity and another operand. Undefined for operands that it does not take. */
type Operation = (left: QuantityValue, right: Value) => Value | undefined;

interface Operator {
  readonly name: string;
  readonly others: readonly Type[];
  readonly result: Type;
  readonly run: Operation;
}

const comparison = (name: string, holds: (order: number) => boolean): Operator => ({
  name,
  others: [quantityType],
  result: boolType,
  run: (left, right) => right instanceof QuantityValue ? holds(compareAmounts(left.exact.amount, right.exact.amount)) : undefined,
});
const scaling = (name: string, scale: (left: number, right: number) => number): Operator => ({
  name,
  others: [intType, doubleType],
  result: quantityType,
  run: (left, right) =>
    typeof right === "bigint" || typeof right === "number" ? ofNumber(scale(doubleOf(left.exact), Number(right))) : undefined,
});
const addition = (name: string, add: (left: QuantityValue, right: QuantityValue) => QuantityValue): Operator => ({
  name,
  others: [quantityType],
  result: quantityType,
  run: (left, right) => right instanceof QuantityValue ? add(left, right) : undefined,
});

const sum = (left: QuantityValue, right: QuantityValue): QuantityValue => new QuantityValue(addExact(left.exact, right.exact));
const negated = (quantity: QuantityValue): QuantityValue => new QuantityValue(negate(quantity.exact));

/** A quantity of thousandths. */
function ofNumber(value: number): Value {
  const thousandths = Math.trunc(value * 1_000);
  // As an integer: a large number would be written with an exponent, which has no suffix beside it.
  return Number.isFinite(thousandths) ? quantityOf(`${BigInt(thousandths)}m`) : new CelError("the result is no finite quantity");
}

/** Returns the quantity of a text, which is bounded because its digits are work. */
export function quantityOf(text: string): Value {
  if (text.length > quantityLengthMax) return new CelError(`a quantity has at most ${quantityLengthMax} characters`);
  const exact = parseExact(text);
  return exact instanceof Unreadable ? new CelError(exact.error) : new QuantityValue(exact);
}

const all: readonly Operator[] = [
  comparison(operators.less, (order) => order < 0),
  comparison(operators.lessEquals, (order) => order <= 0),
  comparison(operators.greater, (order) => order > 0),
  comparison(operators.greaterEquals, (order) => order >= 0),
  addition(operators.add, sum),
  addition(operators.subtract, (left, right) => sum(left, negated(right))),
  scaling(operators.multiply, (left, right) => left * right),
  scaling(operators.divide, (left, right) => left / right),
];

/** Returns the environment with the operators. */
export function withQuantityOperators(base: Environment): Environment {
  const functions = new Map(base.functions);
  for (const each of all) functions.set(each.name, extended(functions.get(each.name)!, each)); // all environments have these operators
  return { ...base, functions };
}

function extended(known: FunctionDeclaration, { name, others, result, run }: Operator): FunctionDeclaration {
  const added = others.map((other) => overload(`stage_${name}_${other.tag}`, [quantityType, other], result));
  return {
    ...known,
    overloads: [...known.overloads, ...added],
    call: (left, right) => (left instanceof QuantityValue ? run(left, right!) : undefined) ?? known.call!(left!, right!),
    cost: (id, args, value) => id.startsWith("stage_") ? 1 : known.cost?.(id, args, value) ?? 1,
  };
}
