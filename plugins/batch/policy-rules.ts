/** Rules of the policies of a job, with upstream's order and texts (pkg/apis/batch/validation). */
import { omittedValue } from "../../core/field-error.ts";
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from "../../plugin.ts";
import { goQuote, tooMany, utf8Length } from "../../toolbox.ts";
import { notNegative, validateQualifiedName } from "../shared/pod/rules.ts";
import { exitCodesMax, patternsMax, rulesMax, succeededIndexesBytesMax } from "./bounds.ts";
import { type ExitCodes, failureActions, type PodFailurePolicyRule, type SuccessPolicyRule } from "./failure-policy.ts";
import { countIndexes } from "./indexes.ts";
import type { JobSpec } from "./job-schema.ts";

/** The error of a required value of an enumeration, and that of another value. */
function validateWord(value: string, values: readonly string[], path: string): readonly FieldError[] {
  if (value === "") return [required(path, `valid values: [${values.map(goQuote).join(" ")}]`)];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}

export function validateFailurePolicy({ podFailurePolicy, template, backoffLimitPerIndex }: JobSpec, path: string): readonly FieldError[] {
  if (podFailurePolicy === undefined) return [];
  const rules = podFailurePolicy.rules ?? [], { containers, initContainers = [] } = template.spec;
  const containerNames = new Set([...containers ?? [], ...initContainers].map(({ name }) => name));
  return [
    ...(rules.length > rulesMax ? [tooMany(`${path}.rules`, rules.length, rulesMax)] : []),
    ...rules.flatMap((rule, i) => validateRule(rule, backoffLimitPerIndex !== undefined, containerNames, `${path}.rules[${i}]`)),
  ];
}

function validateRule(
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  hasLimit: boolean,
  containerNames: ReadonlySet<string>,
  path: string,
): readonly FieldError[] {
  const conditions = `${path}.onPodConditions`, hasConditions = onPodConditions.length > 0;
  return [
    ...(action === "FailIndex" && !hasLimit
      ? [invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set")]
      : validateWord(action, failureActions, `${path}.action`)),
    ...(onExitCodes === undefined ? [] : validateExitCodes(onExitCodes, containerNames, `${path}.onExitCodes`)),
    ...(onPodConditions.length > patternsMax ? [tooMany(conditions, onPodConditions.length, patternsMax)] : []),
    ...onPodConditions.flatMap(({ type, status }, i) => [
      ...validateQualifiedName(type, `${conditions}[${i}].type`),
      ...validateWord(status, ["False", "True", "Unknown"], `${conditions}[${i}].status`),
    ]),
    ...(onExitCodes !== undefined && hasConditions
      ? [invalid(path, omittedValue, "specifying both OnExitCodes and OnPodConditions is not supported")]
      : []),
    ...(onExitCodes === undefined && !hasConditions
      ? [invalid(path, omittedValue, "specifying one of OnExitCodes and OnPodConditions is required")]
      : []),
  ];
}

function validateExitCodes(codes: ExitCodes, containerNames: ReadonlySet<string>, path: string): readonly FieldError[] {
  const { containerName, operator } = codes, values = codes.values ?? [];
  const isOrdered = values.every((value, i) => i === 0 || values[i - 1]! <= value);
  return [
    ...validateWord(operator, ["In", "NotIn"], `${path}.operator`),
    ...(containerName === undefined || containerNames.has(containerName)
      ? []
      : [invalid(`${path}.containerName`, containerName, "must be one of the container or initContainer names in the pod template")]),
    ...(values.length === 0 ? [invalid(`${path}.values`, codes.values, "at least one value is required")] : []),
    ...(values.length > exitCodesMax ? [tooMany(`${path}.values`, values.length, exitCodesMax)] : []),
    ...validateEachCode(values, operator, `${path}.values`),
    ...(isOrdered ? [] : [invalid(`${path}.values`, values, "must be ordered")]),
  ];
}

function validateEachCode(values: readonly number[], operator: string, path: string): readonly FieldError[] {
  const seen = new Set<number>();
  return values.flatMap((value, i) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    return [
      ...(operator === "In" && value === 0 ? [invalid(`${path}[${i}]`, value, "must not be 0 for the In operator")] : []),
      ...(isRepeated ? [duplicate(`${path}[${i}]`, value)] : []),
    ];
  });
}

export function validateSuccessPolicy({ successPolicy, completionMode, completions }: JobSpec, path: string): readonly FieldError[] {
  if (successPolicy === undefined) return [];
  if (completionMode !== "Indexed") return [invalid(path, successPolicy, "requires indexed completion mode")];
  const rules = successPolicy.rules ?? [];
  return [
    ...(rules.length === 0 ? [required(`${path}.rules`, "at least one rules must be specified when the successPolicy is specified")] : []),
    ...(rules.length > rulesMax ? [tooMany(`${path}.rules`, rules.length, rulesMax)] : []),
    // Without completions, which are required here, upstream crashes.
    ...rules.flatMap((rule, i) => validateSuccessRule(rule, completions ?? Infinity, `${path}.rules[${i}]`)),
  ];
}

function validateSuccessRule(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  completions: number,
  path: string,
): readonly FieldError[] {
  const at = `${path}.succeededIndexes`, counted = countIndexes(succeededIndexes ?? "", completions);
  return [
    ...(succeededIndexes === undefined && succeededCount === undefined
      ? [required(path, "at least one of succeededCount or succeededIndexes must be specified")]
      : []),
    ...(utf8Length(succeededIndexes ?? "") > succeededIndexesBytesMax ? [tooLong(at, succeededIndexesBytesMax)] : []),
    ...("error" in counted ? [invalid(at, succeededIndexes, `error parsing succeededIndexes: ${counted.error}`)] : []),
    ...(succeededCount === undefined ? [] : validateCount(
      succeededCount,
      completions,
      succeededIndexes === undefined ? Infinity : "count" in counted ? counted.count : 0,
      path,
    )),
  ];
}

function validateCount(count: number, completions: number, indexes: number, path: string): readonly FieldError[] {
  const at = `${path}.succeededCount`;
  return [
    ...notNegative(count, at),
    ...(count > completions
      ? [invalid(at, count, `must be less than or equal to ${completions} (the number of specified completions)`)]
      : []),
    ...(count > indexes
      ? [invalid(at, count, `must be less than or equal to ${indexes} (the number of indexes in the specified succeededIndexes field)`)]
      : []),
  ];
}
