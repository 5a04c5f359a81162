/** Adds and compares amounts of resources, by resource name. */
import { amountOf, compareQuantities, quantityText, sumOf } from "../../toolbox.ts";

export type Amounts = Readonly<Record<string, string>>;

/** Returns the amount of a resource; undefined if there is none. */
export function amountIn(amounts: Amounts | undefined, name: string): string | undefined {
  return amounts !== undefined && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
}

/** Returns the sum of two amounts, in the notation of the first. */
export function addAmounts(a: string, b: string): string {
  return quantityText(sumOf(amountOf(a), amountOf(b)));
}

/** Returns by how much the first amount is greater than the second; "0" if it is not greater. */
export function increase(a: string, b: string): string {
  if (compareQuantities(a, b) <= 0) return "0";
  const less = amountOf(b);
  return quantityText(sumOf(amountOf(a), { ...less, negative: !less.negative && less.digits !== "" }));
}

export function addedTo(amounts: Amounts | undefined, more: Amounts): Amounts {
  const sum = Object.entries(more).map(([name, amount]) => [name, addAmounts(amountIn(amounts, name) ?? "0", amount)]);
  return { ...amounts, ...Object.fromEntries(sum) };
}

/** Returns the amounts with these names. */
export function only(amounts: Amounts | undefined, names: Iterable<string>): Amounts {
  const kept = [...names].map((name) => [name, amountIn(amounts, name)] as const).filter(([, amount]) => amount !== undefined);
  return Object.fromEntries(kept) as Amounts; // entries without an amount are left out
}

/** Writes amounts in the order of their names: `configmaps=1,secrets=2`. */
export function amountsText(amounts: Amounts): string {
  return Object.keys(amounts).sort().map((name) => `${name}=${amounts[name]}`).join(",");
}
