/** What the dialects of patches make of a live object: a draft in the request's version, decoded and checked. */
import { CborError } from "../../../core/codec/cbor/read.ts";
import { applyCborMediaType, applyMediaType, type Media } from "../../../core/codec/negotiate.ts";
import { DecodeError, type DecodeReport } from "../../../core/derive/decode.ts";
import { invalid } from "../../../core/field-error.ts";
import { applyJsonPatch, readJsonPatch } from "../../../core/patch/json-patch.ts";
import { convertUntyped } from "../../../core/patch/converted.ts";
import { mergePatch, readMergePatch } from "../../../core/patch/merge.ts";
import { shapeOf } from "../../../core/patch/strategic-shape.ts";
import { readStrategicPatch, strategicMerge } from "../../../core/patch/strategic.ts";
import { goText, type UntypedMap, untypedOf } from "../../../core/patch/untyped.ts";
import { plainTree, writtenText } from "../../../core/patch/written.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { invalidError, type StatusError } from "../../../core/status-error.ts";
import { readJson, readWrittenJson } from "../../../core/tree/json.ts";
import { type Read, type Tree, TreeObject } from "../../../core/tree/tree.ts";
import type { RequestContext } from "../../request-context.ts";
import type { Item } from "../../objects/objects.ts";
import type { FieldValidation } from "../../request/options.ts";
import { splitGroupVersion } from "../../../core/versions.ts";
import { foreignInternal, foreignType, meantVersion } from "../../catalog/known-kinds.ts";
import { servedJson } from "../../respond/served.ts";
import { typeOf } from "./type-of.ts";

/** The patched object in the request's version, not filled yet. */
export type Change = (live: Item) => ApiObject;

/** Reads the document of a patch, or throws 400 or 413 for what is none; the change can be made on top of every newer object. */
export type Dialect = (call: RequestContext, body: Uint8Array, validation: FieldValidation) => Change;

/** Every dialect by its media type. */
export const dialects: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ["application/json-patch+json", jsonPatch],
  ["application/merge-patch+json", merge],
  ["application/strategic-merge-patch+json", strategic],
]);

/** Media types of patches in the order in which upstream lists them. */
export function patchMediaTypes({ encodings }: Media): readonly string[] {
  return [...dialects.keys(), applyMediaType, ...(encodings.includes("cbor") ? [applyCborMediaType] : [])];
}

function jsonPatch(call: RequestContext, body: Uint8Array, validation: FieldValidation): Change {
  const { operations, findings } = readJsonPatch(body, validation !== "Ignore");
  return (live) => decoded(call, applyJsonPatch(liveTree(call, live), operations), findings, validation);
}

function merge(call: RequestContext, body: Uint8Array, validation: FieldValidation): Change {
  const { tree, findings } = readMergePatch(body, validation !== "Ignore");
  return (live) => decoded(call, mergePatch(liveTree(call, live), tree), findings, validation);
}

/** Here kind and apiVersion do not matter, and refusals quote what is left of the patch. */
function strategic(call: RequestContext, body: Uint8Array, validation: FieldValidation): Change {
  const { endpoint } = call;
  const { tree, findings } = readStrategicPatch(body, validation !== "Ignore");
  return (live) => {
    // An object becomes a map, and every try uses up its own.
    const patch = untypedOf(tree) as UntypedMap;
    const original = untypedOf(treeOf(readJson(servedJson(endpoint, live)))) as UntypedMap;
    const merged = strategicMerge(original, patch, shapeOf(endpoint.schema));
    const refuse = (why: string) => patchInvalid(goText(patch), why);
    const report: DecodeReport = { reader: "json", findings: [], converted: true };
    const object = orRefuse(() => endpoint.decode(convertUntyped(merged, endpoint.schema), report), refuse);
    tellFindings(call, [...findings, ...report.findings.toSorted()], validation, refuse);
    return { ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion };
  };
}

/** The live object as clients see it, strings as written. */
function liveTree({ endpoint }: RequestContext, live: Item): Tree {
  return treeOf(readWrittenJson(servedJson(endpoint, live)));
}
function treeOf(read: Read): Tree {
  if (!read.ok) throw new Error(`our own JSON cannot be read: ${read.error}`);
  return read.tree;
}

/** The object that a patched document is; refusals quote the document. */
function decoded(call: RequestContext, written: Tree, patchFindings: readonly string[], validation: FieldValidation): ApiObject {
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
  // Nothing in an internal form is known, not even its name.
  if (internal && tree instanceof TreeObject) {
    const unknown = tree.keys.filter((key) => key !== "kind" && key !== "apiVersion").toSorted();
    tellFindings(call, [...patchFindings, ...unknown.map((key) => `unknown field "${key}"`)], validation, refuse);
    return { kind: endpoint.kind, apiVersion: endpoint.apiVersion, metadata: {} };
  }
  const report: DecodeReport = { reader: "json", findings: [] };
  const object = orRefuse(() => endpoint.decode(tree, report), refuse);
  tellFindings(call, [...patchFindings, ...report.findings], validation, refuse);
  return { ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion };
}

/** What `decode` gives; a document that it cannot read is a refusal. */
export function orRefuse<T>(decode: () => T, refuse: (why: string) => Error): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError || error instanceof CborError) throw refuse(error.message);
    throw error;
  }
}

/** Unknown and duplicate fields refuse the patch, or warn about it, or do not matter. */
export function tellFindings(
  call: RequestContext,
  findings: readonly string[],
  validation: FieldValidation,
  refuse: (why: string) => Error,
): void {
  if (validation === "Strict" && findings.length > 0) throw refuse(`strict decoding error: ${findings.join(", ")}`);
  if (validation === "Warn") { for (const finding of findings) call.warnings.add(finding); }
}

/** 422 for a patch that leads to no object: it names no kind and quotes what was tried. */
export function patchInvalid(shown: string, why: string): StatusError {
  return invalidError({ group: "", name: "" }, "", [invalid("patch", shown, why)]);
}
