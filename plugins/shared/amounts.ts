/** Amounts of pods that are a number or a percentage, with upstream's texts. */
import { type FieldError, invalid } from "../../plugin.ts";
import { notNegative } from "./pod/rules.ts";

export type Amount = number | string;

const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

function percentOf(amount: Amount | undefined): number | undefined {
  return typeof amount === "string" && /^[0-9]+%$/.test(amount) ? Number(amount.slice(0, -1)) : undefined;
}

/** Checks an amount: a number that is not negative, or a percentage. */
export function validateAmount(amount: Amount | undefined, path: string): readonly FieldError[] {
  if (typeof amount !== "string") return notNegative(amount, path);
  return percentOf(amount) === undefined ? [invalid(path, amount, percentText)] : [];
}

/** Checks that an amount is no percentage over 100. */
export function validateAtMostAll(amount: Amount | undefined, path: string): readonly FieldError[] {
  return (percentOf(amount) ?? 0) > 100 ? [invalid(path, amount, "must not be greater than 100%")] : [];
}

/** Whether an amount is nothing. As upstream, so is a text that is neither a number nor a percentage. */
export function isNothing(amount: Amount | undefined): boolean {
  if (typeof amount !== "string") return (amount ?? 0) === 0;
  return (percentOf(amount) ?? (/^[-+]?[0-9]+$/.test(amount) ? Number(amount) : 0)) === 0;
}
