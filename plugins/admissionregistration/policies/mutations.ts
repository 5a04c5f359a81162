/** Applies to an object what the expressions of mutating policies return, as upstream's patchers do. */
import { type ApiObject, invalid, type JsonObject, type StatusError } from "../../../plugin.ts";
import { type AdmissionForm, goQuote, internalError, invalidError } from "../../../toolbox.ts";
import { atomicPaths, atomOf, foreignProblem, hasAllKeys, isTyped, merge, problemsText, typeProblems } from "../../../core/apply/mod.ts";
import { configurationJson, ForeignValue, mutationLengthMax, patchValueJson, TooLarge } from "../../../cel/mutation/json.ts";
import { JsonPatchValue, PatchObject, typeNameMistakes } from "../../../cel/mutation/types.ts";
import { typeNameOf } from "../../../cel/value/type.ts";
import { CelError, ListValue, type Value } from "../../../cel/values.ts";
import { DecodeError } from "../../../core/derive/decode.ts";
import { convertUntyped } from "../../../core/patch/converted.ts";
import { applyJsonPatch, jsonPatchOperationsMax, type Operation } from "../../../core/patch/json-patch.ts";
import { JsonPatchFailure } from "../../../core/patch/json-patch-failure.ts";
import { untypedOf } from "../../../core/patch/untyped.ts";
import { writtenText } from "../../../core/patch/written.ts";
import { tooLargeError } from "../../../toolbox.ts";
import { goJson } from "../../../core/tree/json-text.ts";
import { jsonFromTree, readJson, readWrittenJson, treeFromJson } from "../../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../../core/tree/tree.ts";

/**
 * Thrown if a mutation has failed; the failure policy then decides. Other errors reject the request. A mutation that exceeds a bound of
 * work or size also rejects it (413): otherwise the author of an object could switch off a policy that ignores its failures.
 */
export class MutationError extends Error {}

/** The object of a request in the version of a policy. */
export interface Mutated {
  readonly form: AdmissionForm;
  /** The object in the stored form. */
  readonly stored: ApiObject;
  /** The object in that version, as JSON. */
  readonly json: JsonObject;
}

/** Returns the object after the merge of an apply configuration. */
export function withConfiguration({ form, stored, json }: Mutated, made: Value): ApiObject {
  if (!(made instanceof PatchObject)) {
    throw new MutationError(`unsupported return type from ApplyConfiguration expression: ${typeNameOf(made)}`);
  }
  refuseTypeNames(made);
  const atom = atomOf(form.schema), given = configurationJson(made);
  if (given instanceof CelError) throw new MutationError("invalid return type: *dynamic.ObjectVal");
  if (given instanceof TooLarge) throw tooLarge();
  const untyped = (why: string) => new MutationError(`error applying patch: failed to convert patch object to typed object: ${why}`);
  if (given instanceof ForeignValue) throw untyped(foreignProblem(atom, given));
  const { apiVersion = "", kind = "" } = json as { readonly apiVersion?: string; readonly kind?: string }; // these members of an object are strings
  const configuration: JsonObject = { ...given, apiVersion, kind };
  const problems = typeProblems(atom, configuration);
  if (problems.length > 0) throw untyped(problemsText(problems));
  const atomics = atomicPaths(atom, configuration);
  if (atomics.length > 0) {
    const what = `may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`;
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${what}`);
  }
  if (!(isCustom(form) ? isTyped(atom, json) : hasAllKeys(atom, json))) {
    const why = problemsText(typeProblems(atom, json, "allowed"));
    throw new MutationError(`error applying patch: failed to convert original object to typed object: ${why}`);
  }
  const merged = merge(atom, json, configuration) as JsonObject; // it is merged from two objects
  return merged === json ? stored : convert({ form, stored, json: merged });
}

function isCustom({ schema }: AdmissionForm): boolean {
  return schema.whole !== undefined;
}

/** Decodes the object of a merged JSON. */
function convert({ form, stored, json }: Mutated): ApiObject {
  const text = goJson(json);
  refuseLength(text);
  try {
    return form.parse(text, stored);
  } catch (error) {
    if (!(error instanceof DecodeError) || isCustom(form)) throw error instanceof DecodeError ? new MutationError(error.message) : error;
  }
  // Upstream's conversion from maps to structs accepts some values that our decoder rejects, and has other texts.
  try {
    return form.parse(goJson(jsonFromTree(convertUntyped(untypedOf(treeFromJson(json)), form.schema))), stored);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const { group, version, kind } = form.kind;
    throw new MutationError(`unable to convert unstructured object to ${group}/${version}, Kind=${kind}: ${error.message}`);
  }
}

/** Returns the object after the operations of a JSON patch. If one of its `test` operations fails, the object stays as it is. */
export function withJsonPatch({ form, stored }: Pick<Mutated, "form" | "stored">, made: Value): ApiObject {
  const operations = operationsOf(made);
  if (operations.length === 0) return stored;
  const patched = patchedTree(treeOf(form.text(stored)), operations);
  if (patched === undefined) return stored;
  const text = writtenText(patched);
  refuseLength(text);
  refuseOtherKind(patched, text, form);
  const findings: string[] = [];
  const next = orInternal(() => form.parse(text, stored, findings));
  // Unknown fields of custom resources are pruned, and are no error.
  if (findings.length > 0 && !isCustom(form)) throw internalError(`strict decoding error: ${findings.join(", ")}`);
  return next;
}

function orInternal<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message) : error;
  }
}

function patchedTree(document: Tree, operations: readonly Operation[]): Tree | undefined {
  try {
    return applyJsonPatch(document, operations);
  } catch (error) {
    if (!(error instanceof JsonPatchFailure)) throw error;
    if (error.isTest) return undefined;
    throw error.isTooLarge ? tooLargeError(`JSON Patch: ${error.why}`) : new MutationError(`JSON Patch: ${error.why}`);
  }
}

/**
 * Rejects a patched document of another kind. As in upstream, a patch may remove kind and apiVersion of built-in kinds, and change the
 * apiVersion of custom resources; neither has an effect.
 */
function refuseOtherKind(patched: Tree, text: string, form: AdmissionForm): void {
  const { group, version, kind } = form.kind, own = group === "" ? version : `${group}/${version}`;
  const textAt = (tree: Tree | undefined, key: string) => {
    const value = tree instanceof TreeObject ? tree.get(key) : undefined;
    return typeof value === "string" ? value : "";
  };
  const namedKind = textAt(patched, "kind") || (isCustom(form) ? "" : kind), namedVersion = textAt(patched, "apiVersion") || own;
  if (namedKind === "") throw internalError(`Object 'Kind' is missing in '${text}'`);
  if (namedKind === kind && (namedVersion === own || isCustom(form))) return;
  if (isCustom(form)) {
    const name = textAt(patched instanceof TreeObject ? patched.get("metadata") : undefined, "name");
    throw invalidError({ group, name: namedKind }, name, [invalid("kind", namedKind, `must be ${kind}`)]);
  }
  throw internalError(`no kind "${namedKind}" is registered for version "${namedVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`);
}

function operationsOf(made: Value): readonly Operation[] {
  if (!(made instanceof ListValue)) throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array");
  const most = jsonPatchOperationsMax;
  if (made.size > most) throw tooLargeError(`JSON Patch: the allowed maximum operations in a JSON patch is ${most}, got ${made.size}`);
  let left: number = mutationLengthMax;
  return Array.from({ length: made.size }, (_, index): Operation => {
    const each = made.at(index);
    if (!(each instanceof JsonPatchValue)) {
      throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
    }
    const { op, path, from, value } = each, written = value === undefined ? undefined : valueText(value);
    left -= written?.length ?? 0;
    if (left < 0) throw tooLarge();
    return {
      op: passThroughJson(op),
      path: passThroughJson(path),
      from: from === "" ? undefined : passThroughJson(from),
      value: written === undefined ? undefined : treeOf(written),
    };
  });
}

/**
 * Returns a text as upstream's library gets it: it is quoted as in Go and then read as JSON. Undefined if it has control characters,
 * because their escapes in Go are not JSON.
 */
function passThroughJson(text: string): string | undefined {
  if (/^[ -~]*$/.test(text)) return text;
  const read = readJson(goQuote(text));
  return read.ok && typeof read.tree === "string" ? read.tree : undefined;
}

function valueText(value: Value): string {
  if (value instanceof PatchObject) refuseTypeNames(value);
  const json = patchValueJson(value);
  if (json instanceof TooLarge) throw tooLarge();
  if (!(json instanceof CelError || json instanceof ForeignValue)) return goJson(json);
  const why = json instanceof CelError ? json.message : `proto: invalid type: ${json.type}`;
  throw new MutationError(`JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`);
}

function refuseTypeNames(made: PatchObject): void {
  const mistakes = typeNameMistakes(made, made.type);
  if (mistakes.length > 0) throw new MutationError(`type mismatch: ${mistakes.join("\n")}`);
}

function treeOf(text: string): Tree {
  const read = readWrittenJson(text);
  if (!read.ok) throw new Error(`our own JSON cannot be read: ${read.error}`);
  return read.tree;
}

function refuseLength(text: string): void {
  if (text.length > mutationLengthMax) throw tooLarge();
}
function tooLarge(): StatusError {
  return tooLargeError(`the mutation or its result is larger than ${mutationLengthMax} characters of JSON`);
}
