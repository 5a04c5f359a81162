/** JSON patches of mutating webhooks. */
import { DecodeError } from "../../../core/derive/decode.ts";
import { applyJsonPatch, type Operation, readJsonPatch } from "../../../core/patch/json-patch.ts";
import { JsonPatchFailure } from "../../../core/patch/json-patch-failure.ts";
import { writtenText } from "../../../core/patch/written.ts";
import { readWrittenJson } from "../../../core/tree/json.ts";
import { type AdmissionForm, type ApiObject, internalError, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { CallError } from "./call.ts";

/** The operations of a patch. Throws a CallError if it cannot be read or is too long. */
export function readPatch(patch: Uint8Array): readonly Operation[] {
  try {
    return readJsonPatch(patch, false).operations;
  } catch (error) {
    if (error instanceof StatusError) throw new CallError(`received undecodable patch in webhook response: ${error.message}`, 503);
    throw error;
  }
}

/** The JSON text of the object after all operations. Throws 500, as upstream, if one of them fails. */
export function patchedText(text: string, operations: readonly Operation[]): string {
  const read = readWrittenJson(text);
  if (!read.ok) throw new Error(`The text of an object is not JSON: ${read.error}`);
  try {
    return writtenText(applyJsonPatch(read.tree, operations));
  } catch (error) {
    if (error instanceof JsonPatchFailure) throw internalError(error.why, error);
    throw error;
  }
}

/** The object of a patched text. Throws 500, as upstream, for a text that is not an object of the version. */
export function parsedObject(form: AdmissionForm, text: string, object: ApiObject): ApiObject {
  try {
    return form.parse(text, object);
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error.message, error);
    throw error;
  }
}

/** Adds the patch to the audit event, where its level has request bodies. */
export function annotatePatch(
  { annotate }: Pick<RequestHookContext, "annotate">,
  key: string,
  by: { readonly configuration: string; readonly webhook: string },
  patch: Uint8Array,
): void {
  const { configuration, webhook } = by, operations = new TextDecoder().decode(patch).trim();
  const head = JSON.stringify({ configuration, webhook }).slice(0, -1);
  annotate(key, `${head},"patch":${operations},"patchType":"JSONPatch"}`, "Request");
}
