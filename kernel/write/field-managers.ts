/**
 * Computes the field managers of an object after a write, with `core/apply` and for one request. Ownership is computed in the version of
 * the request, from the client's object with defaults, before admission and preparation.
 */
import {
  atomOf,
  capped,
  changesOf,
  checkConvertible,
  emptySet,
  type FieldSet,
  hasAllKeys,
  isSame,
  isTyped,
  noOwners,
  NotConvertible,
  type Owners,
  ownersAfterUpdate,
  problemsText,
  readOwners,
  sameSet,
  setOfFields,
  typeProblems,
  type Versions,
  writeOwners,
  type Writer,
} from "../../core/apply/mod.ts";
import { sameValue } from "../../core/derive/same-value.ts";
import { utf8Length } from "../../core/scalars/utf8.ts";
import type { ApiObject, ManagedFieldsEntry } from "../../core/meta/object-meta.ts";
import type { Json } from "../../core/schema.ts";
import { isPlainAscii, isPrintable } from "../../core/tree/go-quote.ts";
import { treeFromJson } from "../../core/tree/json.ts";
import { TreeObject } from "../../core/tree/tree.ts";
import { type RequestContext, runInBudget, timeText } from "../request-context.ts";
import { header } from "../request/exchange.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { type Endpoint } from "../catalog/catalog.ts";
import type { JsonObject } from "../../core/json.ts";
import { awaitedVersion, settle } from "./awaited-versions.ts";
import { fieldManagerBytesMax } from "../../core/meta/field-manager.ts";

/** Returns the field manager of a write: `fieldManager` of the query, else the user agent up to its first slash. */
export function managerName(call: RequestContext): string {
  return call.info.query.first("fieldManager").toWellFormed() || managerOfAgent(header(call.exchange, "user-agent"));
}

function managerOfAgent(agent: string): string {
  const slash = agent.indexOf("/"), sent = slash < 0 ? agent : agent.slice(0, slash);
  if (sent.length <= fieldManagerBytesMax && isPlainAscii(sent)) return sent;
  let name = "", bytes = 0;
  for (const rune of utf8OfHeader(sent)) {
    if (!isPrintable(rune)) continue;
    bytes += utf8Length(rune);
    if (bytes > fieldManagerBytesMax) break;
    name += rune;
  }
  return name;
}

/** Decodes a header value, in which each Latin-1 character is one byte of UTF-8. Invalid bytes become replacement characters. */
function utf8OfHeader(value: string): string {
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  return new TextDecoder().decode(Uint8Array.from(value, (each) => each.charCodeAt(0)));
}

export function writerOf(call: RequestContext, manager: string): Writer {
  return { manager, subresource: call.info.subresource, time: timeText(call.backend.clock.now()) };
}

/** Records the owners of the fields that a write changes, as `recordOwnersNow` does, for a kind whose versions may be converted by calls. */
export function recordOwners(call: RequestContext, object: ApiObject, live: ApiObject | undefined): ApiObject | Promise<ApiObject> {
  return settle(call, (own) => runInBudget(call, () => recordOwnersNow(own, object, live)));
}

/**
 * Returns the object with its managed fields after this write to `live`, both in the request's version. If the object cannot be converted
 * to the version of an owner, or does not fit its own version, it keeps the managed fields that it had (as upstream since
 * kubernetes/kubernetes#136949). If the version of an owner does not declare one of its fields, the object loses them, as upstream.
 */
export function recordOwnersNow(call: RequestContext, object: ApiObject, live: ApiObject | undefined): ApiObject {
  try {
    return withOwners(call, object, live);
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
    return withEntries(object, error.isFailedCall ? live?.metadata.managedFields : undefined);
  }
}

function withOwners(call: RequestContext, object: ApiObject, live: ApiObject | undefined): ApiObject {
  const versions = versionsOf(call);
  const before = withoutEntries(live ?? emptyObject(call.endpoint)), after = withoutEntries(asShown(call.endpoint, object));
  const found = changesOf(versions, before, after);
  const own = sentEntries(call, object, live);
  if (call.endpoint.resource.custom) {
    const atom = atomOf(call.endpoint.schema);
    // The object does not have the types of its definition. Either the definition has changed, or the status of a new object is wrong; such
    // a status is dropped.
    if (!isTyped(atom, before) || !isTyped(atom, after)) return withEntries(object, live?.metadata.managedFields);
  }
  if (live !== undefined && call.endpoint.resource.custom) {
    checkConvertible(versions, before, own ?? readOwners(live.metadata.managedFields) ?? noOwners);
  }
  // A write without changes keeps the entries, unless one of them is in a version that this path does not serve.
  if (live !== undefined && own === undefined && isSame(found) && areKnown(live.metadata.managedFields, versions)) {
    return withEntries(object, live.metadata.managedFields);
  }
  const owners = own ?? readOwners(live?.metadata.managedFields) ?? noOwners;
  // The entries of a live object without owners were cleared. None are recorded until the next apply.
  if (owners.size === 0 && live !== undefined) return withEntries(object, undefined);
  // An object whose list items lack keys cannot be represented as a field set.
  if (!hasAllKeys(atomOf(call.endpoint.schema), after)) return withEntries(object, live?.metadata.managedFields);
  const owned = ownersAfterUpdate(versions, before, after, owners, writerOf(call, managerName(call)), found);
  return withEntries(object, writeOwners(capped(owned)));
}

/** Whether every entry is in a served version of this path; a write drops other entries. */
function areKnown(entries: readonly ManagedFieldsEntry[] | undefined, versions: Versions): boolean {
  return entries?.every(({ apiVersion = "" }) => apiVersion === versions.current || versions.atom(apiVersion) !== undefined) ?? true;
}

/**
 * Returns the object as a read would return it: without write-only fields, and without empty maps that are omitted. Custom resources have
 * neither.
 */
function asShown(endpoint: Endpoint, object: ApiObject): ApiObject {
  if (endpoint.resource.custom) return object;
  const { withoutEmptyMaps } = endpoint.stored;
  const { toStored, fromStored } = endpoint.served;
  return toStored === undefined && fromStored === undefined
    ? withoutEmptyMaps(object)
    : endpoint.fromStored(withoutEmptyMaps(endpoint.toStored(object)));
}

/**
 * Returns the owners that the client has sent, if they are valid and differ from those of the live object. The list is empty if the client
 * clears them.
 */
function sentEntries(call: RequestContext, object: ApiObject, live: ApiObject | undefined): Owners | undefined {
  const sent = object.metadata.managedFields;
  if (call.subresource !== undefined || sent === undefined || sameValue(sent, live?.metadata.managedFields)) return undefined;
  if (sent.length === 0 || (sent.length === 1 && Object.keys(sent[0]!).length === 0)) return noOwners;
  const owners = readOwners(sent);
  return owners === undefined || owners.size === 0 ? undefined : owners;
}

export function withEntries(object: ApiObject, entries: readonly ManagedFieldsEntry[] | undefined): ApiObject {
  if (entries !== undefined) return { ...object, metadata: { ...object.metadata, managedFields: entries } };
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns the object as a value that apply works on, without its managed fields, which have no owner. */
export function withoutEntries(object: ApiObject): Json {
  return withEntries(object, undefined) as unknown as Json; // canonical objects are plain values
}

const emptyObjects = new WeakMap<Endpoint, ApiObject>();

/** Makes Go's zero value of the kind: an object with only the structs that are never omitted. */
export function emptyObject(endpoint: Endpoint): ApiObject {
  const known = emptyObjects.get(endpoint);
  if (known !== undefined) return known;
  const made = endpoint.decode(new TreeObject(), { reader: "yaml", findings: [] });
  emptyObjects.set(endpoint, made);
  return made;
}

/** Returns the endpoint of the request's resource in another version of its group; undefined if that version is not served. */
export function versionEndpoint({ endpoint, catalog }: RequestContext, apiVersion: string): Endpoint | undefined {
  if (apiVersion === endpoint.apiVersion) return endpoint;
  const { group, version } = splitGroupVersion(apiVersion);
  return group === endpoint.group ? catalog.endpoint(group, version, endpoint.plural) : undefined;
}

/** Makes the conversions of a request's object between the versions of its group. */
export function versionsOf(call: RequestContext): Versions {
  const { endpoint } = call;
  const endpointOf = (apiVersion: string) => versionEndpoint(call, apiVersion);
  const known = (apiVersion: string): Endpoint => {
    const found = endpointOf(apiVersion);
    if (found === undefined) throw new Error(`${endpoint.kind} is not served in ${apiVersion}`);
    return found;
  };
  return {
    current: endpoint.apiVersion,
    atom: (apiVersion) => {
      const found = endpointOf(apiVersion);
      return found === undefined ? undefined : atomOf(found.schema);
    },
    convert: (object, from, to) => from === to ? object : convertTo(call, object, known(from), known(to)),
    ignored: (apiVersion) => {
      const found = endpointOf(apiVersion);
      return found === undefined ? emptySet : notWritten(found, call.info.subresource);
    },
  };
}

function convertTo(call: RequestContext, object: Json, from: Endpoint, to: Endpoint): Json {
  if (call.endpoint.resource.conversion !== undefined) {
    return checkDeclared(awaitedVersion(call, object, from.apiVersion, to.apiVersion), to);
  }
  if (to.resource.custom) return convertCustom(object, from, to);
  if (from.schema === to.schema && isPlain(from) && isPlain(to)) return { ...object as object, apiVersion: to.apiVersion };
  const decoded = from.decode(treeFromJson(object), { reader: "yaml", findings: [] });
  return to.fromStored(to.stored.applyDefaults(from.toStored(decoded))) as unknown as Json; // canonical objects are plain values
}
/** Converts a custom resource. As upstream, fields that the other version does not declare are not removed here. */
function convertCustom(object: Json, from: Endpoint, to: Endpoint): Json {
  const renamed = { ...object as { readonly [key: string]: Json }, apiVersion: to.apiVersion };
  if (isPlain(from) && isPlain(to)) return renamed;
  return checkDeclared(renamed, to);
}
/** Throws `NotConvertible` for an object with fields that the version does not declare. */
function checkDeclared(object: JsonObject, to: Endpoint): Json {
  const problems = typeProblems(atomOf(to.schema), object, "allowed");
  if (problems.length > 0) throw new NotConvertible(problemsText(problems));
  return object;
}
function isPlain(endpoint: Endpoint): boolean {
  const { toStored, fromStored } = endpoint.served;
  return toStored === undefined && fromStored === undefined;
}

const resets = new WeakMap<Endpoint, Map<string, FieldSet>>();

/** Returns the fields that a write to this path does not change: the status, or everything but the status. */
function notWritten(endpoint: Endpoint, subresource: string): FieldSet {
  const known = resets.get(endpoint) ?? new Map<string, FieldSet>();
  resets.set(endpoint, known);
  const found = known.get(subresource);
  if (found !== undefined) return found;
  const rules = subresource === "" ? endpoint.resource.strategy : endpoint.subresources.get(subresource)?.definition;
  const made = setOfFields(...rules?.leaves ?? leftByDefault(endpoint, subresource));
  known.set(subresource, made);
  return made;
}

function leftByDefault(endpoint: Endpoint, subresource: string): readonly string[] {
  if (subresource === "status") return Object.keys(endpoint.schema.fields).filter((name) => name !== "metadata" && name !== "status");
  return endpoint.subresources.has("status") && endpoint.resource.strategy?.preparesStatus !== "always" ? ["status"] : [];
}

/** Whether two lists of entries are equal, apart from their times. */
export function sameButTimes(a: readonly ManagedFieldsEntry[] | undefined, b: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (a === b) return true;
  const ours = readOwners(a), theirs = readOwners(b);
  if (ours === undefined || theirs === undefined || ours.size !== theirs.size) return false;
  for (const [id, owner] of ours) {
    const other = theirs.get(id);
    if (other === undefined || other.apiVersion !== owner.apiVersion || !sameSet(owner.set, other.set)) return false;
  }
  return true;
}
