/**
 * Server-side apply: merges a document into the live object as written, without defaults and normalization. Afterwards its manager owns
 * exactly the fields of the document. Fields of its previous document that are missing now are removed, unless another manager owns them.
 */
import {
  type Applied,
  applied,
  atomOf,
  checkConvertible,
  type Conflict,
  conflictTexts,
  hasAllKeys,
  isEmptySet,
  isTyped,
  noOwners,
  NotConvertible,
  type Owners,
  ownersAfterUpdate,
  problemsText,
  readOwners,
  typeProblems,
  type Versions,
  writeOwners,
  type Writer,
} from "../../../core/apply/mod.ts";
import { CborFailure } from "../../../core/codec/cbor/failure.ts";
import { readCbor } from "../../../core/codec/cbor/read.ts";
import { objectOfCbor } from "../../../core/codec/cbor/untyped.ts";
import { DecodeError } from "../../../core/derive/decode.ts";
import { convertUntyped } from "../../../core/patch/converted.ts";
import { untypedOf } from "../../../core/patch/untyped.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { isObject, type Json } from "../../../core/schema.ts";
import { parseTime } from "../../../core/scalars/time.ts";
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { badRequestError, StatusError } from "../../../core/status-error.ts";
import { jsonFromTree, treeFromJson } from "../../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../../core/tree/tree.ts";
import { readYaml } from "../../../core/tree/yaml.ts";
import type { Endpoint } from "../../catalog/catalog.ts";
import type { RequestContext } from "../../request-context.ts";
import { emptyObject, versionsOf, withEntries, withoutEntries, writerOf } from "../field-managers.ts";
import type { WriteOptions } from "../../request/options.ts";
import { orRefuse } from "./patch.ts";
import { partlyDecoded } from "./partly-decoded.ts";
import { allowedByLastApplied, withLastApplied } from "../../../core/apply/last-applied.ts";

/** The document of a server-side apply. */
export interface ApplyDocument {
  readonly config: { readonly [key: string]: Json };
  /** Keys that the document contains more than once. */
  readonly duplicates: readonly string[];
}

/** Parses a document in JSON or YAML. Throws 400 with upstream's message if it is not an object. */
export function readApply(body: Uint8Array): ApplyDocument {
  const bad = (why: string) => badRequestError(`error decoding YAML: ${why}`);
  const read = readYaml(body);
  if (!read.ok) throw bad(`error converting YAML to JSON: ${read.error}`);
  if (read.tree === null) return { config: {}, duplicates: read.duplicates };
  if (!(read.tree instanceof TreeObject)) {
    const what = typeof read.tree === "string"
      ? "string"
      : typeof read.tree === "boolean"
      ? "bool"
      : Array.isArray(read.tree)
      ? "array"
      : "number";
    throw bad(`error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${what} into Go value of type map[string]interface {}`);
  }
  return { config: jsonFromTree(read.tree) as { readonly [key: string]: Json }, duplicates: read.duplicates }; // the value of an object is one
}

/** Does the same as `readApply` for CBOR. Duplicate keys are an error there. */
export function readCborApply(body: Uint8Array): ApplyDocument {
  // Upstream's prefix, which is the same for all encodings.
  const bad = (why: string) => badRequestError(`error decoding YAML: ${why}`);
  const tree = orRefuse(() => objectOfCbor(readCbor(body)), bad);
  if (tree instanceof CborFailure) throw bad(tree.text);
  return { config: jsonFromTree(tree) as { readonly [key: string]: Json }, duplicates: [] }; // the value of an object is one
}

/**
 * Returns the object after the apply, in the request's version, with defaults and managed fields. `live` is undefined if the object does
 * not exist.
 */
export function appliedObject(
  call: RequestContext,
  live: ApiObject | undefined,
  document: ApplyDocument,
  options: WriteOptions,
): ApiObject {
  const { endpoint } = call;
  const { config } = document;
  checkDocument(call, config);
  const versions = versionsOf(call);
  const writer = writerOf(call, options.fieldManager);
  const before = withoutEntries(live ?? emptyObject(endpoint));
  const owners = ownersOf(versions, call, before, live, writer);
  const problems = typeProblems(atomOf(endpoint.schema), config);
  if (problems.length > 0) {
    throw new StatusError("Unknown", `failed to create typed patch object (${shownName(config)}): ${problemsText(problems)}`);
  }
  refuseUntyped(call, before, "failed to create typed live object (", ")");

  const outcome = orRefuseConversion(() => {
    if (endpoint.resource.custom) checkConvertible(versions, before, owners);
    return orTakenOver(versions, before, config, owners, writer, options.force);
  });
  if (!outcome.done) throw conflictError(outcome.conflicts);
  const entries = writeOwners(outcome.owners);
  const object = outcome.object === undefined ? live : decodeMerged(call, before, outcome.object, config);
  const after = withEntries(object ?? emptyObject(endpoint), entries);
  reportDuplicates(call, document, options);
  const named = options.fieldManager === "kubectl" ? withLastApplied(after, config) : after;
  const { kind, apiVersion } = endpoint;
  return named.kind === kind && named.apiVersion === apiVersion ? named : { ...named, kind, apiVersion };
}

/** Returns the owners before the apply. The fields of an object without managed fields belong to `before-first-apply`. */
function ownersOf(versions: Versions, call: RequestContext, before: Json, live: ApiObject | undefined, writer: Writer): Owners {
  if (live === undefined) return noOwners;
  const owners = readOwners(live.metadata.managedFields);
  if (owners === undefined) throw new StatusError("Unknown", "failed to decode managed fields");
  if (owners.size > 0) return owners;
  refuseUntyped(call, before, "failed to create manager for existing fields: failed to convert new object (", ") to smd typed");
  return ownersAfterUpdate(versions, withoutEntries(emptyObject(call.endpoint)), before, noOwners, {
    ...writer,
    manager: "before-first-apply",
  });
}

/**
 * Rejects an object to which nothing can be applied, because list items lack their keys or because the definition has changed the types. In
 * the message, `before` and `after` stand around the object's name.
 */
function refuseUntyped({ endpoint }: RequestContext, object: Json, before: string, after: string): void {
  const atom = atomOf(endpoint.schema);
  if ((endpoint.resource.custom ? isTyped(atom, object) : hasAllKeys(atom, object)) || !isObject(object)) return;
  throw new StatusError("Unknown", `${before}${shownName(object)}${after}: ${problemsText(typeProblems(atom, object, "allowed"))}`);
}

/** Throws 500 if the version of an owner does not declare a field of the object. */
function orRefuseConversion<T>(apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    throw error instanceof NotConvertible ? new StatusError("Unknown", error.message) : error;
  }
}

/** Lets kubectl take over, without force, fields that its client-side apply set and that are unchanged since. */
function orTakenOver(versions: Versions, before: Json, config: Json, owners: Owners, writer: Writer, force: boolean): Applied {
  const outcome = applied(versions, before, config, owners, writer, force);
  if (outcome.done || writer.manager !== "kubectl") return outcome;
  const conflicts = allowedByLastApplied(versions, before, outcome.conflicts);
  if (conflicts.every(({ set }) => isEmptySet(set))) return applied(versions, before, config, owners, writer, true);
  return { done: false, conflicts: conflicts.filter(({ set }) => !isEmptySet(set)) };
}

/** Checks kind, version and metadata of the document, in upstream's order. */
function checkDocument({ endpoint }: RequestContext, config: { readonly [key: string]: Json }): void {
  const type = typeText(config);
  const wanted = `${endpoint.group}/${endpoint.version}, Kind=${endpoint.kind}`;
  if (type !== wanted) throw badRequestError(`invalid object type: ${type}`);
  const metadata = Object.hasOwn(config, "metadata") ? config["metadata"] : undefined;
  if (isObject(metadata) && Object.hasOwn(metadata, "managedFields") && areEntries(metadata["managedFields"])) {
    throw badRequestError("metadata.managedFields must be nil");
  }
}

/** Whether upstream can decode managed fields from a value. Others are ignored here, and rejected or dropped later. */
function areEntries(value: Json | undefined): boolean {
  const isText = (member: Json | undefined) => member === undefined || member === null || typeof member === "string";
  return Array.isArray(value) && value.every((entry: Json) => {
    if (!isObject(entry) || !["manager", "operation", "apiVersion", "fieldsType", "subresource"].every((key) => isText(entry[key]))) {
      return false;
    }
    const time = entry["time"];
    return time === undefined || time === null || (typeof time === "string" && !(parseTime(time) instanceof Unreadable));
  });
}

/** Returns group, version and kind in Go's format: `/v1, Kind=ConfigMap`. */
function typeText(config: { readonly [key: string]: Json }): string {
  const parts = textOf(config, "apiVersion").split("/");
  const [group, version] = parts.length === 1 ? ["", parts[0]] : parts.length === 2 ? parts : ["", ""];
  return parts.length > 2 ? "/, Kind=" : `${group}/${version}, Kind=${textOf(config, "kind")}`;
}

/** Returns namespace, name and type for messages: `demo/one; /v1, Kind=ConfigMap`. */
function shownName(object: { readonly [key: string]: Json }): string {
  const metadata = Object.hasOwn(object, "metadata") && isObject(object["metadata"]) ? object["metadata"] : {};
  return `${textOf(metadata, "namespace")}/${textOf(metadata, "name")}; ${typeText(object)}`;
}
function textOf(object: { readonly [key: string]: Json }, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "string" ? value : "";
}

/** Decodes the merged value to an object of the kind, with defaults. */
function decodeMerged(call: RequestContext, live: Json, merged: Json, config: { readonly [key: string]: Json }): ApiObject {
  const { endpoint } = call;
  const resource = call.catalog.endpoint(call.info.group, call.info.version, call.info.resource)?.resource;
  if (resource?.custom && resource !== endpoint.resource) throw notConverted(endpoint, config);
  const decode = (tree: Tree) => endpoint.decode(tree, { reader: "yaml", findings: [], applied: true });
  try {
    return endpoint.applyDefaults(
      (endpoint.resource.custom ? undefined : partlyDecoded(live, merged, decode)) ?? decode(treeFromJson(merged)),
    );
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
  // Upstream's conversion from maps to structs accepts some values that our decoder rejects.
  try {
    return endpoint.applyDefaults(decode(convertUntyped(untypedOf(treeFromJson(merged)), endpoint.schema)));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const problem = `unable to convert unstructured object to ${typeText(config)}: ${error.message}`;
    throw new StatusError("Unknown", `failed to convert new object (${shownName(config)}) to proper version: ${problem}`);
  }
}

/** Returns upstream's error for an apply that changes the scale of a custom resource. */
function notConverted({ apiVersion }: Endpoint, config: { readonly [key: string]: Json }): StatusError {
  const why = `request to convert CR to an invalid group/version: ${apiVersion}`;
  return new StatusError("Unknown", `failed to convert new object (${shownName(config)}) to proper version: ${why}`);
}

function reportDuplicates(call: RequestContext, { duplicates }: ApplyDocument, { fieldValidation }: WriteOptions): void {
  if (duplicates.length === 0) return;
  if (fieldValidation === "Strict") {
    const lines = duplicates.map((each) => `\n  ${each}`).join("");
    throw badRequestError(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${lines}`);
  }
  if (fieldValidation === "Warn") { for (const each of duplicates) call.warnings.add(each); }
}

function conflictError(conflicts: readonly Conflict[]): StatusError {
  const { message, causes } = conflictTexts(conflicts);
  return new StatusError("Conflict", message, {
    details: { causes: causes.map((cause) => ({ reason: "FieldManagerConflict", message: cause.message, field: cause.field })) },
  });
}
