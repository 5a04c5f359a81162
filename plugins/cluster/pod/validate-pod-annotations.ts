import { type FieldError, invalid } from "../../../core/field-error.ts";
import { type Names, spell } from "../../../core/names.ts";

const costAnnotation = "controller.{platform}.io/pod-deletion-cost";
const costMin = -(2 ** 31), costMax = 2 ** 31 - 1;

/** What it costs to delete a pod made from the template: a whole number without a plus sign and without zeros before it. */
export function validateDeletionCost(
  annotations: Readonly<Record<string, string>> | undefined,
  names: Names,
  path: string,
): readonly FieldError[] {
  const costKey = spell(names, costAnnotation);
  if (annotations === undefined || !Object.hasOwn(annotations, costKey)) return [];
  const value = annotations[costKey]!;
  const right = /^(?:0|-[0-9]+|[1-9][0-9]*)$/.test(value) && Number(value) >= costMin && Number(value) <= costMax;
  return right ? [] : [invalid(`${path}[${costKey}]`, value, "must be a 32bit integer")];
}
