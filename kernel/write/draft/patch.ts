/** Applies patches of all types to a live object. The result is a decoded and checked object in the request's version. */
import { CborError } from "../../../core/codec/cbor/read.ts";
import { sortedText } from "../../../core/derive/raw-json.ts";
import type { Json } from "../../../core/schema.ts";
import type { Endpoint } from "../../catalog/catalog.ts";
import { DecodeError, type DecodeReport } from "../../../core/derive/decode.ts";
import { invalid } from "../../../core/field-error.ts";
import { applyJsonPatch, readJsonPatch } from "../../../core/patch/json-patch.ts";
import { convertUntyped } from "../../../core/patch/converted.ts";
import { type DialectType, dialectTypesOf } from "../../../core/patch/media-types.ts";
import { type Merge, patchInPart } from "../../../core/patch/in-part.ts";
import { mergePatch, readMergePatch } from "../../../core/patch/merge.ts";
import { shapeOf } from "../../../core/patch/strategic-shape.ts";
import { readStrategicPatch, strategicMerge } from "../../../core/patch/strategic.ts";
import { goText, type Untyped, type UntypedMap, untypedOf } from "../../../core/patch/untyped.ts";
import { plainTree, writtenText } from "../../../core/patch/written.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { invalidError, type StatusError } from "../../../core/status-error.ts";
import { readJson, readWrittenJson } from "../../../core/tree/json.ts";
import { type Read, type Tree, TreeObject } from "../../../core/tree/tree.ts";
import type { RequestContext } from "../../request-context.ts";
import type { BodyPart } from "../../objects/chunks.ts";
import type { Item } from "../../objects/objects.ts";
import type { FieldValidation } from "../../request/options.ts";
import { splitGroupVersion } from "../../../core/versions.ts";
import { foreignInternal, foreignType, meantVersion } from "../../catalog/known-kinds.ts";
import { servedJson, servedObject } from "../../objects/served.ts";
import { typeOf } from "../../../core/derive/document-type.ts";

/** Applies the patch to a live object. Returns the patched object in the request's version, without defaults. */
export type Change = (live: Item) => ApiObject;

/** Parses a patch; throws 400 or 413 if it is invalid. The returned change can be applied to each newer object. */
export type Dialect = (call: RequestContext, body: Uint8Array, validation: FieldValidation) => Change;

const dialects: Readonly<Record<DialectType, Dialect>> = {
  "application/json-patch+json": jsonPatch,
  "application/merge-patch+json": merge,
  "application/strategic-merge-patch+json": strategic,
};

/** Returns the dialect of a media type; undefined if the resource does not accept patches of this type. */
export function dialectOf(type: string, endpoint: Endpoint): Dialect | undefined {
  const known = dialectTypesOf(endpoint).find((each) => each === type);
  return known === undefined ? undefined : dialects[known];
}

function jsonPatch(call: RequestContext, body: Uint8Array, validation: FieldValidation): Change {
  const { operations, findings } = readJsonPatch(body, validation !== "Ignore");
  return (live) => decodePatched(call, applyJsonPatch(liveTree(call, live), operations), findings, validation);
}

function merge(call: RequestContext, body: Uint8Array, validation: FieldValidation): Change {
  const { tree, findings } = readMergePatch(body, validation !== "Ignore");
  const merged = (json: BodyPart) => mergePatch(treeOf(readWrittenJson(json)), tree);
  return (live) =>
    inPart(call, live, tree, findings, {}, (json) => plainTree(merged(json))) ??
      decodePatched(call, mergePatch(liveTree(call, live), tree), findings, validation);
}

/** Reads a strategic merge patch. Its kind and apiVersion are ignored; errors quote the rest of the patch. */
function strategic(call: RequestContext, body: Uint8Array, validation: FieldValidation): Change {
  const { endpoint } = call;
  const { tree, findings } = readStrategicPatch(body, validation !== "Ignore");
  const merged = (json: BodyPart, patch: Untyped) => {
    const original = untypedOf(treeOf(readJson(json))) as UntypedMap; // the JSON is that of an object
    return convertUntyped(strategicMerge(original, patch as UntypedMap, shapeOf(endpoint.schema)), endpoint.schema);
  };
  // The patch is converted for each attempt, because the merge modifies the maps of the patch.
  const whole = (live: Item) => {
    const patch = untypedOf(tree), refuse = (why: string) => patchInvalid(goText(patch), why);
    const report: DecodeReport = { reader: "json", findings: [], converted: true };
    const object = orRefuse(() => endpoint.decode(merged(servedJson(endpoint, live), patch), report), refuse);
    reportFindings(call, [...findings, ...report.findings.toSorted()], validation, refuse);
    return { ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion };
  };
  return (live) => inPart(call, live, tree, findings, { converted: true }, (json) => merged(json, untypedOf(tree))) ?? whole(live);
}

/** Applies a patch to the members that it names; undefined if that is not enough. Custom resources have members without types. */
function inPart(
  { endpoint }: RequestContext,
  live: Item,
  patch: Tree,
  patchFindings: readonly string[],
  how: { readonly converted?: true },
  merge: Merge,
): ApiObject | undefined {
  if (endpoint.resource.custom || patchFindings.length > 0) return undefined;
  return patchInPart(endpoint, () => servedObject(endpoint, live), patch, { reader: "json", findings: [], ...how }, merge);
}

/**
 * Returns the live object in the client's version, with strings as they were written. Custom resources have sorted members, because errors
 * quote them so.
 */
function liveTree({ endpoint }: RequestContext, live: Item): Tree {
  if (endpoint.resource.custom) {
    const text = sortedText(servedObject(endpoint, live) as unknown as Json); // this is an object of JSON
    return treeOf(readWrittenJson(new TextEncoder().encode(text)));
  }
  return treeOf(readWrittenJson(servedJson(endpoint, live)));
}
function treeOf(read: Read): Tree {
  if (!read.ok) throw new Error(`our own JSON cannot be read: ${read.error}`);
  return read.tree;
}

/** Decodes a patched document; errors quote the document. */
function decodePatched(call: RequestContext, written: Tree, patchFindings: readonly string[], validation: FieldValidation): ApiObject {
  const { endpoint } = call;
  const refuse = (why: string) => patchInvalid(writtenText(written), why);
  const tree = plainTree(written);
  const type = typeOf(tree);
  if (!type.ok) throw refuse(type.error);
  const kind = type.kind || endpoint.kind;
  const version = meantVersion(endpoint, type.apiVersion);
  const { group, version: named } = splitGroupVersion(type.apiVersion);
  const internal = named === "" && (group === "" || group === endpoint.group);
  const foreign = internal ? foreignInternal(call.catalog, endpoint, kind) : foreignType(call.catalog, endpoint, kind, version);
  if (foreign !== undefined) throw refuse(foreign);
  // The internal version has no fields, not even a name.
  if (internal && tree instanceof TreeObject) {
    const unknown = tree.keys.filter((key) => key !== "kind" && key !== "apiVersion").toSorted();
    reportFindings(call, [...patchFindings, ...unknown.map((key) => `unknown field "${key}"`)], validation, refuse);
    return { kind: endpoint.kind, apiVersion: endpoint.apiVersion, metadata: {} };
  }
  const report: DecodeReport = { reader: "json", findings: [] };
  const object = orRefuse(() => endpoint.decode(tree, report), refuse);
  reportFindings(call, [...patchFindings, ...report.findings], validation, refuse);
  return { ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion };
}

/** Returns the result of `decode`. If the document cannot be decoded, throws the error that `refuse` makes. */
export function orRefuse<T>(decode: () => T, refuse: (why: string) => Error): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError || error instanceof CborError) throw refuse(error.message);
    throw error;
  }
}

/** Rejects unknown and duplicate fields, warns of them or ignores them, as the request's field validation demands. */
export function reportFindings(
  call: RequestContext,
  findings: readonly string[],
  validation: FieldValidation,
  refuse: (why: string) => Error,
): void {
  if (validation === "Strict" && findings.length > 0) throw refuse(`strict decoding error: ${findings.join(", ")}`);
  if (validation === "Warn") { for (const finding of findings) call.warnings.add(finding); }
}

/** Returns the 422 for a patch whose result is not an object of the kind. The error has no kind, and quotes the result. */
export function patchInvalid(shown: string, why: string): StatusError {
  return invalidError({ group: "", name: "" }, "", [invalid("patch", shown, why)]);
}
