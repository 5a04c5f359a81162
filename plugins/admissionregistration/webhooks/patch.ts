/** Applies the JSON patches of mutating webhooks. */
import { spendSteps } from "../../../core/budget.ts";
import { DecodeError } from "../../../core/derive/decode.ts";
import { applyJsonPatch, type Operation, readJsonPatch } from "../../../core/patch/json-patch.ts";
import { JsonPatchFailure } from "../../../core/patch/json-patch-failure.ts";
import { writtenText } from "../../../core/patch/written.ts";
import { plainString, readWrittenJson } from "../../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../../core/tree/tree.ts";
import { type ApiObject, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { type AdmissionForm, goQuote, internalError, valueText } from "../../../toolbox.ts";
import { CallError } from "./call.ts";

/**
 * Steps that one byte of a patch counts as. Its values are read, applied, written and decoded with the object; the smallest value has two
 * bytes.
 */
const stepsPerByte = 1;

/**
 * Reads the operations of a patch. Throws a CallError if it cannot be read. A patch with too many operations, or above the step budget,
 * rejects the request with 413, whatever the failure policy.
 */
export function readPatch(patch: Uint8Array): readonly Operation[] {
  spendSteps(patch.length * stepsPerByte);
  try {
    return readJsonPatch(patch, false).operations;
  } catch (error) {
    if (error instanceof StatusError && error.reason !== "RequestEntityTooLarge") {
      throw new CallError(`received undecodable patch in webhook response: ${error.message}`, 503);
    }
    throw error;
  }
}

/**
 * Returns the object after all operations, decoded and with defaults. Throws 500, as upstream, if an operation fails or the result is not
 * an object of the version and kind.
 */
export function patchedObject(form: AdmissionForm, object: ApiObject, operations: readonly Operation[]): ApiObject {
  const read = readWrittenJson(form.text(object));
  if (!read.ok) throw new Error(`The text of an object is not JSON: ${read.error}`);
  try {
    const tree = applyJsonPatch(read.tree, operations);
    checkKind(tree, form);
    return form.parse(writtenText(tree), object);
  } catch (error) {
    if (error instanceof JsonPatchFailure) throw internalError(error.why, error);
    if (error instanceof DecodeError) throw internalError(error.message, error);
    throw error;
  }
}

function checkKind(tree: Tree, { kind: { group, version, kind: expected } }: AdmissionForm): void {
  const textOf = (key: string) => {
    const value = tree instanceof TreeObject ? tree.get(key) : undefined;
    return typeof value === "string" ? plainString(value) : "";
  };
  const kind = textOf("kind"), apiVersion = textOf("apiVersion");
  if (kind === expected && apiVersion === (group === "" ? version : `${group}/${version}`)) return;
  const about = `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`;
  throw internalError(`${about} in scheme "pkg/api/legacyscheme/scheme.go:30"`);
}

/** Adds the patch to the audit event, if the level of the event includes request bodies. */
export function annotatePatch(
  { annotate }: Pick<RequestHookContext, "annotate">,
  key: string,
  by: { readonly configuration: string; readonly webhook: string },
  patch: Uint8Array,
): void {
  const { configuration, webhook } = by, operations = new TextDecoder().decode(patch).trim();
  const head = valueText({ configuration, webhook }).slice(0, -1);
  annotate(key, `${head},"patch":${operations},"patchType":"JSONPatch"}`, "Request");
}
