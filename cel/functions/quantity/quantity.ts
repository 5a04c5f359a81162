/** Quantities: `quantity("1.5Gi")`, upstream's library `kubernetes.quantity`. */
import { compareAmounts, signOf } from "../../../core/scalars/quantity.ts";
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType, doubleType, intType, objectType, stringType, type Type } from "../../types.ts";
import { spend } from "../../value/work.ts";
import { CelError, OpaqueValue, type Value } from "../../values.ts";
import { declare, fixed, reading } from "../costs.ts";
import type { Library } from "../library.ts";
import { member, overload } from "../standard/overload.ts";
import { addExact, doubleOf, type Exact, exactOf, exactText, intOf, negate, parseExact } from "./amount.ts";

export const quantityType = objectType("kubernetes.Quantity");

/** A quantity. */
export class QuantityValue extends OpaqueValue {
  readonly type = "kubernetes.Quantity";
  readonly exact: Exact;
  /** Whether the quantity is the result of `add` or `sub`. Upstream compares such a quantity with others, but not others with it. */
  readonly computed: boolean;
  constructor(exact: Exact, computed = false) {
    super();
    this.exact = exact;
    this.computed = computed;
  }
  /** The canonical text. */
  override get text(): string {
    return exactText(this.exact);
  }
  equals(other: Value): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.computed) return new CelError("no such overload");
    return compareAmounts(this.exact.amount, other.exact.amount) === 0;
  }
}

function quantityOf(text: string): QuantityValue | CelError {
  const exact = parseExact(text);
  return exact instanceof Unreadable ? new CelError(exact.error) : new QuantityValue(exact);
}

/** Returns the quantity of an argument. It may have many digits, so they count as work. */
function exactIn(value: Value | undefined): Exact {
  const { exact } = value as QuantityValue; // the signature demands this type
  spend(exact.amount.digits.length >> 2);
  return exact;
}

/** Declares a function of one quantity. */
function declareProperty(name: string, id: string, result: Type, call: (exact: Exact) => Value): FunctionDeclaration {
  return declare(name, fixed(1), member(id, [quantityType], result, (quantity) => call(exactIn(quantity))));
}

function comparison(name: string, id: string, result: Type, call: (order: number) => Value): FunctionDeclaration {
  const compare = (a: Value | undefined, b: Value | undefined): number => Math.sign(compareAmounts(exactIn(a).amount, exactIn(b).amount));
  return declare(name, fixed(1), member(id, [quantityType, quantityType], result, (a, b) => call(compare(a, b))));
}

/** Declares the sum with a quantity, and with an int. */
function sum(name: string, call: (a: Exact, b: Exact) => Exact): FunctionDeclaration {
  const computed = (a: Value | undefined, b: Exact) => new QuantityValue(call(exactIn(a), b), true);
  return declare(
    name,
    fixed(1),
    member(`quantity_${name}`, [quantityType, quantityType], quantityType, (a, b) => computed(a, exactIn(b))),
    member(`quantity_${name}_int`, [quantityType, intType], quantityType, (a, b) => computed(a, exactOf(b as bigint))),
  );
}

export const quantityLibrary: Library = {
  name: "kubernetes.quantity",
  since: 28,
  functions: [
    declare("quantity", reading(1), overload("string_to_quantity", [stringType], quantityType, (text) => quantityOf(text as string))),
    declare(
      "isQuantity",
      reading(1),
      overload("is_quantity_string", [stringType], boolType, (text) => !(quantityOf(text as string) instanceof CelError)),
    ),
    // Upstream declares it as a function of one argument, not as a member.
    declare(
      "sign",
      fixed(1),
      overload("quantity_sign", [quantityType], intType, (quantity) => BigInt(signOf(exactIn(quantity).amount))),
    ),
    comparison("isGreaterThan", "quantity_is_greater_than", boolType, (order) => order > 0),
    comparison("isLessThan", "quantity_is_less_than", boolType, (order) => order < 0),
    comparison("compareTo", "quantity_compare_to", intType, (order) => BigInt(order)),
    declareProperty("asApproximateFloat", "quantity_get_float", doubleType, doubleOf),
    declareProperty("asInteger", "quantity_get_int", intType, (exact) => intOf(exact) ?? new CelError("cannot convert value to integer")),
    declareProperty("isInteger", "quantity_is_integer", boolType, (exact) => intOf(exact) !== undefined),
    sum("add", addExact),
    sum("sub", (a, b) => addExact(a, negate(b))),
  ],
};
