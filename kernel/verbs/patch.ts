import { DecodeError, type DecodeReport } from "../../core/derive/decode.ts";
import { invalid } from "../../core/field-error.ts";
import { limits } from "../../core/limits.ts";
import { duplicateKeys, mergePatch } from "../../core/patch/merge.ts";
import type { ApiObject } from "../../core/plugin.ts";
import { badRequestError, invalidError, notFoundError } from "../../core/status-error.ts";
import { readJson } from "../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { unsupportedMediaType } from "../../core/codec/negotiate.ts";
import { type Answer, objectAnswer } from "../answer.ts";
import { servedJson } from "../served.ts";
import { type Call, header } from "../call.ts";
import { type Item, keyOf } from "../objects.ts";
import { writeOptions } from "../options.ts";
import { getItem } from "../reads.ts";
import { placed, resourceName } from "../write-pipeline.ts";
import { checkName, expectedRevision, replace } from "./update.ts";

const mergePatchType = "application/merge-patch+json";

/** PATCH of one object: the patch is applied to the live object, again on top of every newer one. */
export async function patch(call: Call): Promise<Answer> {
  const contentType = header(call.exchange, "content-type").split(";")[0]!.trim();
  if (contentType !== mergePatchType) throw unsupportedMediaType([mergePatchType]);
  const options = writeOptions(call.info.query, "PatchOptions", call.catalog.names);
  const bytes = await call.exchange.body(limits.bodyBytesMax);
  const { tree, duplicates } = readMergePatch(bytes, options.fieldValidation !== "Ignore");
  const { backend, endpoint, info } = call;
  const key = keyOf(backend.prefix, endpoint.stored, info.namespace, info.name);
  const { item } = await getItem(backend.store, endpoint.stored, key, call.signal);
  if (item === undefined) throw notFoundError(resourceName(call), info.name);
  const names = namesRevision(tree);
  const patched = await replace(call, item, options.dryRun, (current) => {
    const { object, findings } = patchedObject(call, current, tree, new TextDecoder().decode(bytes));
    const problems = [...duplicates, ...findings];
    if (options.fieldValidation === "Strict" && problems.length > 0) throw strictError(problems);
    if (options.fieldValidation === "Warn") { for (const problem of problems) call.warnings.add(problem); }
    checkName(call, object);
    return { object: placed(call, endpoint.fill(object)), expected: expectedRevision(object.metadata.resourceVersion), again: !names };
  });
  return objectAnswer(200, patched);
}

function strictError(problems: readonly string[]): Error {
  return invalidError({ group: "", name: "" }, "", [invalid("patch", problems.join(", "), "strict decoding error")]);
}

/** The document, or upstream's words for what is none. Without field validation the library's own, shorter ones. */
function readMergePatch(bytes: Uint8Array, validates: boolean): { tree: TreeObject; duplicates: readonly string[] } {
  const read = readJson(bytes);
  if (!read.ok) throw badRequestError(validates ? `error decoding patch: ${read.error}` : "Invalid JSON Patch");
  if (read.tree instanceof TreeObject) return { tree: read.tree, duplicates: duplicateKeys(read.tree) };
  if (read.tree === null || !validates) throw badRequestError("Invalid JSON Patch");
  throw badRequestError(`error decoding patch: json: cannot unmarshal ${nameOf(read.tree)} into Go value of type map[string]interface {}`);
}

function nameOf(tree: Tree): string {
  if (typeof tree === "string") return "string";
  return typeof tree === "boolean" ? "bool" : Array.isArray(tree) ? "array" : "number";
}

/** Whether the patch itself says which revision it means. */
function namesRevision(tree: TreeObject): boolean {
  const metadata = tree.get("metadata");
  const version = metadata instanceof TreeObject ? metadata.get("resourceVersion") : undefined;
  return version !== undefined && version !== null && version !== "";
}

function patchedObject(call: Call, current: Item, patchTree: TreeObject, text: string): { object: ApiObject; findings: readonly string[] } {
  const { endpoint } = call;
  const live = readJson(servedJson(endpoint, current));
  if (!live.ok) throw new Error(`our own JSON cannot be read: ${live.error}`);
  const report: DecodeReport = { reader: "json", findings: [] };
  try {
    const object = endpoint.decode(mergePatch(live.tree, patchTree), report);
    return { object: { ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion }, findings: report.findings };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidError({ group: "", name: "" }, "", [invalid("patch", text, error.message)]);
  }
}
