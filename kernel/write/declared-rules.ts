/**
 * Validation by the bounds and rules in the tree of a plugin's kind. The rules of a kind apply; those of a kind with `rules: "compared"` are compared
 * with the validation in code that they will replace, as upstream's declarative validation.
 */
import { validateRules } from "../../cel/schema/validate.ts";
import { blocksRules, notChecked } from "../../core/custom/blocking.ts";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { jsonOf } from "../objects/json-of.ts";
import { isOfBudget, type RequestContext } from "../request-context.ts";

const gate = "DeclarativeValidation", takeoverGate = "DeclarativeValidationTakeover";

/**
 * Returns the errors of an object. `written` are the errors of the validation in code. `prior` is the stored object, if this is an update.
 */
export function withDeclaredRules(
  call: RequestContext,
  written: readonly FieldError[],
  next: ApiObject,
  prior: ApiObject | undefined,
): readonly FieldError[] {
  const { endpoint: { stored, resource }, catalog: { gates: { isOn } } } = call;
  if (stored.rules === undefined && stored.declared === undefined && stored.bounds === undefined) return written;
  const isCompared = resource.rules === "compared";
  if (isCompared && !isOn(gate)) return written;
  const applies = !isCompared || isOn(takeoverGate);
  const declared = declaredErrors(call, next, prior);
  if (!applies && declared.tag === "failed") return written;
  const errors = declared.tag === "failed" ? [declared.error] : declared.errors;
  if (!isCompared) return [...written, ...errors];
  const covered = written.filter(({ isCovered }) => isCovered === true);
  if (declared.tag === "errors") compare(call, covered, errors);
  return applies ? [...written.filter(({ isCovered }) => isCovered !== true), ...errors] : written;
}

type Declared =
  | { readonly tag: "errors"; readonly errors: readonly FieldError[] }
  | { readonly tag: "failed"; readonly error: FieldError };

function declaredErrors(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): Declared {
  const { endpoint: { stored, resource }, backend: { meter }, warnings } = call;
  try {
    const bounds = stored.bounds?.(next, prior) ?? [], declared = [...stored.declared?.(next, prior) ?? [], ...bounds];
    // Rules that are compared all run, because the validation in code also runs all of its checks.
    if (stored.rules !== undefined && resource.rules !== "compared" && blocksRules(bounds)) {
      return { tag: "errors", errors: [...declared, notChecked] };
    }
    if (stored.rules === undefined) return { tag: "errors", errors: declared };
    const { errors, warnings: unchanged } = validateRules(
      stored.rules,
      jsonOf(stored, next),
      prior === undefined ? undefined : jsonOf(stored, prior),
    );
    for (const text of unchanged) warnings.add(text);
    return { tag: "errors", errors: [...declared, ...errors] };
  } catch (error) {
    if (isOfBudget(error)) throw error;
    meter.ruled("panic");
    call.report(error, `rules of ${stored.resource.kind}`);
    return { tag: "failed", error: { type: "Internal", path: "", detail: `panic during declarative validation: ${reasonOf(error)}` } };
  }
}

/** Counts and logs errors that only one side has. Errors are equal by type and field. */
function compare(call: RequestContext, written: readonly FieldError[], declared: readonly FieldError[]): void {
  const keyOf = ({ type, path }: FieldError) => `${type} ${path}`;
  const inCode = new Set(written.map(keyOf)), inRules = new Set(declared.map(keyOf));
  const only = [
    ...written.filter((error) => !inRules.has(keyOf(error))).map((error) => `only in code: ${fieldErrorText(error)}`),
    ...declared.filter((error) => !inCode.has(keyOf(error))).map((error) => `only by rules: ${fieldErrorText(error)}`),
  ];
  const { endpoint: { resource }, backend: { meter } } = call;
  for (const text of only) {
    meter.ruled("mismatch");
    call.report(new Error(`the rules of ${resource.kind} differ from its validation in code, ${text}`), `rules of ${resource.kind}`);
  }
}
