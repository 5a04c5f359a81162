import { parseUint } from "../../core/parse-uint.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { badRequestError, conflictError, invalidError, notFoundError, StatusError } from "../../core/status-error.ts";
import { invalid } from "../../core/field-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { objectResult, type VerbResult } from "../respond/result.ts";
import { headerList } from "../request/exchange.ts";
import { readBody } from "../write/draft/body.ts";
import { recordOwners, sameButTimes, withEntries } from "../write/field-managers.ts";
import { isExpected, readIfMatch } from "../request/if-match.ts";
import { type Attempt, shownKind } from "./shown-kind.ts";
import { keyOfCall } from "./key-of-call.ts";
import { Item, storedBytes } from "../objects/objects.ts";
import { commit } from "../write/commit.ts";
import { requestHookContext } from "../write/request-hook-context.ts";
import { untilDeadline, valueOnRead } from "../write/converted-writes.ts";
import { writeOptions } from "../request/options.ts";
import { servedObject } from "../objects/served.ts";
import type { Revision } from "../store/store.ts";
import { checkNamespaceOf, setNamespace, toUpdate } from "../write/write-pipeline.ts";
import { type RequestContext, resourceName } from "../request-context.ts";
import { store } from "./create.ts";
import { guaranteedUpdate, type Start, type Tried } from "../write/guaranteed-update.ts";

/** PUT of one object: 200 with the stored object, or 201 if the kind allows creation by PUT. */
export async function update(call: RequestContext): Promise<VerbResult> {
  const options = writeOptions(call.info.query, "UpdateOptions", call.catalog.names);
  const shown = shownKind(call);
  const sent = readBody(call, options.fieldValidation, shown.call);
  checkNamespaceOf(call, sent);
  checkName(call, sent);
  const object = setNamespace(shown.call, sent);
  const expected = expectedRevision(object.metadata.resourceVersion);
  const { item, renew } = await call.backend.reads.live(call.endpoint.stored, keyOfCall(call), call.deadline);
  const written = item && await replace(call, { item, renew }, options.dryRun, (current) => {
    const { uid } = object.metadata;
    const own = current.object.metadata.uid ?? "";
    if (uid !== undefined && uid !== own) {
      throw conflictError(resourceName(call), call.info.name, uidMismatch(keyInError(call, current.key, options.dryRun), uid, own));
    }
    return shown.attempt(current, object, expected);
  });
  return written === undefined ? await createdByPut(call, object, options.dryRun) : shown.answer(written);
}

/** Throws 400 unless the name in the body is the name in the URL. */
export function checkName(call: RequestContext, object: ApiObject): void {
  const name = object.metadata.name ?? "";
  if (name === "") {
    throw badRequestError(`the name of the object (${call.info.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== call.info.name) {
    throw badRequestError(`the name of the object (${name}) does not match the name on the URL (${call.info.name})`);
  }
}

/** The revision in a resourceVersion, 0 if there is none. Throws upstream's 500 without a reason for a value that is not a number. */
export function expectedRevision(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const revision = parseUint(text);
  if (typeof revision === "number") return revision;
  throw new StatusError("Unknown", `strconv.ParseUint: parsing ${goQuote(text)}: ${revision}`);
}

async function createdByPut(call: RequestContext, object: ApiObject, dryRun: boolean): Promise<VerbResult> {
  const { endpoint, info } = call;
  if (!(endpoint.resource.strategy?.createOnUpdate ?? false) || call.subresource !== undefined) {
    throw notFoundError(resourceName(call), info.name);
  }
  refuseAbsent(call);
  const { uid } = object.metadata;
  if (uid !== undefined) {
    throw conflictError(resourceName(call), info.name, uidMismatch(keyInError(call, keyOfCall(call), dryRun), uid, ""));
  }
  await call.authorize({ ...info, verb: "create" });
  const { resourceVersion: _, ...metadata } = object.metadata;
  return objectResult(201, await store(call, { ...object, metadata }, dryRun, "update"));
}

/** The key in error messages. A dry run does not reach the store, so it has no store prefix. */
function keyInError({ backend }: RequestContext, key: string, dryRun: boolean): string {
  return dryRun && key.startsWith(backend.prefix) ? key.slice(backend.prefix.length) : key;
}

/** Upstream's message for an object with another UID than the request. */
export function uidMismatch(key: string, asked: string, found: string): string {
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ` +
    `UID in precondition: ${asked}, UID in object meta: ${found}`;
}

/** Throws 409 for an absent object if the request has `If-Match`. */
export function refuseAbsent(call: RequestContext): void {
  if (readIfMatch(headerList(call.exchange, "if-match")) === undefined) return;
  throw conflictError(resourceName(call), call.info.name, "the object does not exist, and the If-Match header expects one");
}

/** Replaces the newest state of an object; undefined if it was deleted. Throws 409 if the object or `If-Match` requires another revision. */
export function replace(
  call: RequestContext,
  start: Start,
  dryRun: boolean,
  make: (current: Item) => Attempt | Promise<Attempt>,
): Promise<Item | undefined> {
  const { endpoint, info } = call;
  const ifMatch = readIfMatch(headerList(call.exchange, "if-match"));
  return guaranteedUpdate(call, start, async (current) => {
    if (ifMatch !== undefined && !isExpected(ifMatch, current.revision)) throw modifiedError(call);
    const { object, expected, hasOwners } = await make(current);
    const namesNone = expected === 0 && (ifMatch === undefined || ifMatch.any);
    // A view without a version changes the newest object.
    if (namesNone && call.subresource?.view === undefined && !(endpoint.resource.strategy?.unconditionalUpdate ?? true)) {
      throw invalidError(resourceName(call), info.name, [invalid("metadata.resourceVersion", 0, "must be specified for an update")]);
    }
    if (expected !== 0 && expected !== current.revision) throw modifiedError(call);
    const owned = hasOwners ? object : await recordOwners(call, object, servedObject(endpoint, current));
    return await put(call, current, await toUpdate(call, owned, current.object, dryRun), dryRun);
  });
}

/** The 409 for a conflicting write that only the client can resolve. */
export function modifiedError(call: RequestContext): StatusError {
  return conflictError(
    resourceName(call),
    call.info.name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

/** Writes an object unless it is unchanged; deletes it if it was waiting for its last finalizer only. */
export async function put(call: RequestContext, current: Item, next: ApiObject, dryRun: boolean): Promise<Tried<Item>> {
  const { catalog, endpoint } = call;
  const { stored, resource } = endpoint;
  const value = storedBytes(stored, next, catalog.storedAs);
  // Compares stored bytes: an object stored in another version or encoding is written again.
  const before = current.stored;
  const differs = difference(value, before);
  if (
    differs === "none" ||
    (differs === "times" && onlyTimesDiffer(current.object, next) &&
      difference(storedBytes(stored, withOldTimes(next, current.object), catalog.storedAs), before) === "none")
  ) {
    return { tag: "done", result: current, committed: false };
  }
  const finished = isFinished(next, resource.deletion);
  const shown = (revision: Revision) => Item.written(stored, { key: current.key, value, revision }, next);
  if (dryRun) {
    const { key, revision } = current, read = await valueOnRead(call, value);
    return { tag: "done", result: read === value ? shown(revision) : new Item(stored, { key, value: read, revision }), committed: false };
  }
  // Updates remove the finalizers of an object that is being deleted, so they may use the reserve of a full disk.
  const frees = current.object.metadata.deletionTimestamp !== undefined;
  const outcome = await commit(call, {
    key: current.key,
    expect: current.revision,
    value: finished ? undefined : value,
    frees,
    ...untilDeadline(call),
  });
  if (!outcome.done) return { tag: "lost", found: outcome.current };
  if (finished) await resource.release?.(next, requestHookContext(call));
  // An object that is removed with its last finalizer keeps its resourceVersion.
  const result = finished ? shown(current.revision) : Item.committed(stored, current.key, value, outcome, next);
  return { tag: "done", result, committed: true };
}

/** Whether managed fields differ in timestamps only, which is not a change. */
function onlyTimesDiffer(prior: ApiObject, next: ApiObject): boolean {
  const { managedFields } = next.metadata;
  return managedFields !== prior.metadata.managedFields && sameButTimes(managedFields, prior.metadata.managedFields);
}
function withOldTimes(next: ApiObject, prior: ApiObject): ApiObject {
  return withEntries(next, prior.metadata.managedFields);
}

/** Whether an object is being deleted and nothing prevents its removal. */
export function isFinished(object: ApiObject, deletion: { readonly holds: (object: any) => boolean } | undefined): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined || deletionTimestamp === null) return false;
  if ((finalizers?.length ?? 0) > 0 || Number(deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !(deletion?.holds(object) ?? false);
}

/**
 * The difference between a value and the stored bytes, which are in pieces. "times": the differing bytes are within timestamps. Comparing
 * bytes first avoids a comparison of managed fields for most writes, which change more.
 */
export function difference(value: Uint8Array, stored: readonly Uint8Array[]): "none" | "times" | "more" {
  let length = 0;
  for (const piece of stored) length += piece.length;
  if (value.length !== length) return "more";
  let found: "none" | "times" = "none", at = 0, timeEnds = -1;
  for (const piece of stored) {
    for (let index = 0; index < piece.length; index++, at++) {
      if (value[at] === piece[index] || at <= timeEnds) continue;
      const end = timeEnd(value, at);
      if (end === undefined) return "more";
      [found, timeEnds] = ["times", end];
    }
  }
  return found;
}

/** The index of the last byte of the timestamp that contains `at`, in any encoding; undefined if there is none. */
function timeEnd(bytes: Uint8Array, at: number): number | undefined {
  for (let start = at; start > at - timeShape.length; start--) {
    if (isTime(bytes, start)) return start + timeShape.length - 1;
  }
  return undefined;
}
function isTime(bytes: Uint8Array, start: number): boolean {
  for (const index of timeMarks) if (bytes[start + index] !== timeShape.charCodeAt(index)) return false;
  return true;
}
const timeShape = "2006-01-02T15:04:05Z";
/** Indexes of the characters that are not digits. */
const timeMarks: readonly number[] = [...timeShape].flatMap((character, index) => /\d/.test(character) ? [] : [index]);
