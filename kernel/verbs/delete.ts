import { secondsOf, timeOfSeconds } from "../../core/scalars/time.ts";
import type { Time } from "../../core/schema.ts";
import { foregroundFinalizer, orphanFinalizer } from "../../core/meta/finalizers.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { invalid } from "../../core/field-error.ts";
import {
  conflictError,
  forbiddenError,
  internalError,
  invalidError,
  notFoundError,
  type Status,
  StatusError,
} from "../../core/status-error.ts";
import { objectResult, statusResult, type VerbResult } from "../respond/result.ts";
import { deleteOptions, type DeleteRequest } from "../write/delete-options.ts";
import { ignoreReadErrorsField } from "../request/ignore-read-errors.ts";
import { keyOfCall } from "./key-of-call.ts";
import { Item, storedBytes } from "../objects/objects.ts";
import { commit } from "../write/commit.ts";
import { requestHookContext } from "../write/request-hook-context.ts";
import { untilDeadline, valueOnRead } from "../write/converted-writes.ts";
import { approveDeletion } from "../write/admission/admit.ts";
import { metaWith } from "../write/write-pipeline.ts";
import { hookContext, kindName, type RequestContext, resourceName } from "../request-context.ts";
import type { Change, Commit, Revision } from "../store/store.ts";
import { guaranteedUpdate, type Start, type Tried } from "../write/guaranteed-update.ts";
import { isFinished, modifiedError } from "./update.ts";

/** DELETE of one object: removes it, or marks it until its finalizers are removed. */
export async function remove(call: RequestContext): Promise<VerbResult> {
  const options = await deleteOptions(call);
  const { endpoint, info, backend } = call;
  // As upstream: kinds with write authorization, and most with their own deletion, do not support unsafe deletion. Custom resources do.
  const { custom, deletion, authorizeWrite } = endpoint.resource;
  const isWrapped = custom !== true && ((deletion !== undefined && deletion.unsafe !== true) || authorizeWrite !== undefined);
  if (options.ignoreReadErrors && isWrapped) {
    throw internalError("no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential");
  }
  const refused = deletion?.refuse?.(info.name);
  if (refused !== undefined) throw forbiddenError(resourceName(call), info.name, refused);
  const key = keyOfCall(call);
  if (options.ignoreReadErrors) return await removeUnreadable(call, key);
  const { item, renew } = await backend.reads.live(endpoint.stored, key, call.deadline);
  const deleted = item && await deleteItem(call, { item, renew }, options);
  if (deleted === undefined) throw notFoundError(resourceName(call), info.name);
  const { gone, item: last } = deleted;
  if (!gone) return objectResult(options.orphanDependents === false ? 202 : 200, last);
  if (endpoint.resource.strategy?.deleteAnswers === "object") return objectResult(200, last);
  return statusResult(200, deletedStatus(call, last.object.metadata.name!, last.object.metadata.uid));
}

/**
 * Deletes an object whose bytes cannot be decoded, without finalizers and preconditions, which are unknown. Rejects readable and absent
 * objects with the same error.
 */
async function removeUnreadable(call: RequestContext, key: string): Promise<VerbResult> {
  const { backend, endpoint, info } = call;
  await authorizeUnsafe(call);
  const { entry } = await backend.store.get(key, call.deadline.signal);
  if (entry === undefined || isReadable(new Item(endpoint.stored, entry))) {
    throw invalidError(resourceName(call), info.name, [
      invalid(ignoreReadErrorsField, true, "is exclusively used to delete corrupt object(s), try again by removing this option"),
    ]);
  }
  const outcome = await commit(call, { key, expect: entry.revision, value: undefined });
  if (!outcome.done) throw modifiedError(call);
  return statusResult(200, deletedStatus(call, info.name, undefined));
}

async function authorizeUnsafe(call: RequestContext): Promise<void> {
  const verb = "unsafe-delete-ignore-read-errors";
  try {
    await call.authorize({ ...call.info, verb });
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "Forbidden") throw error;
    throw forbiddenError(resourceName(call), call.info.name, `not permitted to do "${verb}", reason: `);
  }
}

function isReadable(item: Item): boolean {
  try {
    return item.object !== undefined;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

function deletedStatus(call: RequestContext, name: string, uid: string | undefined): Status {
  const { endpoint } = call;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(endpoint.group === "" ? {} : { group: endpoint.group }),
      kind: endpoint.plural,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}

/**
 * Deletes or marks one object, depending on its newest state. The first row that applies counts:
 *
 *   state of the object                      options                            effect
 *   any                                      a precondition that it fails       409
 *   marked, and held by its kind             any                                unchanged
 *   marked, with time left                   as much time, more, or no time     unchanged
 *   marked, with time left                   less time                          marked with less time, or removed
 *   not marked, of a kind with a hold        any                                marked: a later delete removes it
 *   with finalizers, after the policy        any                                marked
 *   of a kind with a time of grace           any                                marked with the time that the kind chooses; then removed if it is 0
 *   any other                                any                                removed
 *
 * "Marked" means that `deletionTimestamp` is set. A kind with a hold has `deletion.holds`: a namespace is held by the finalizers of its spec. The
 * policy changes the finalizers first: `Foreground` and `Orphan` leave one of the two for the garbage collector, `Background` none. Nothing is
 * written if the marks stay the same, or in a dry run. Admission approves each effect.
 * `gone`: whether it was removed from the store; `item` is its last state. Undefined if another request deleted it meanwhile.
 */
export function deleteItem(call: RequestContext, start: Start, options: DeleteRequest): Promise<Deleted | undefined> {
  const { endpoint: { stored, resource } } = call;
  return guaranteedUpdate(call, start, async (current): Promise<Tried<Deleted>> => {
    const { object } = current;
    const unchanged: Tried<Deleted> = { tag: "done", result: { gone: false, item: current }, committed: false };
    checkPreconditions(call, current, options);
    const pending = object.metadata.deletionTimestamp !== undefined;
    // Kinds with a hold besides finalizers need at least two deletes: the first one marks the object; further ones change nothing
    // while it is held.
    if (pending && resource.deletion?.holds(object)) return unchanged;
    if (options.isApproved !== true) await approveDeletion(call, object, options);
    const marked = mark(call, object, options);
    const begins = resource.deletion !== undefined && !pending;
    // It is removed now, unless it has time left, finalizers, or a hold of its kind.
    const waits = hasTimeLeft(marked) || mustWait(marked, resource.deletion);
    const finished = !begins && (isFinished(marked, resource.deletion) || !waits);
    if (!finished && storedBytesEqual(current, marked)) return unchanged;
    // The response and the event of a kind with a time of grace have the marks of the deletion, also if it had no time.
    const last = finished && resource.strategy?.graceSeconds === undefined ? object : marked;
    const value = storedBytes(stored, last, call.catalog.storedAs);
    const done = (revision: Revision, committed: boolean): Tried<Deleted> => {
      return {
        tag: "done",
        result: { gone: finished, item: Item.written(stored, { key: current.key, value, revision }, last) },
        committed,
      };
    };
    if (options.dryRun) {
      if (!finished) await valueOnRead(call, value);
      return done(current.revision, false);
    }
    const change = { key: current.key, expect: current.revision, value, frees: true, ...untilDeadline(call) };
    // Of a kind with a time of grace, watches see the marks before the removal, as in kube-apiserver: controllers act on them.
    const marksFirst = finished && last !== object && !storedBytesEqual(current, marked);
    const outcome = marksFirst
      ? await markAndRemove(call, change)
      : await commit(call, finished ? { ...change, value: undefined } : change);
    if (outcome.done && finished) await resource.release?.(object, requestHookContext(call));
    return outcome.done ? done(outcome.revision, true) : { tag: "lost", found: outcome.current };
  });
}

/** Writes the marks, and removes what has them. If the removal does not happen, the object stays marked, and the next delete removes it. */
async function markAndRemove(call: RequestContext, marks: Change): Promise<Commit> {
  const marked = await commit(call, marks);
  return marked.done ? await commit(call, { ...marks, expect: marked.revision, value: undefined }) : marked;
}

interface Deleted {
  readonly gone: boolean;
  readonly item: Item;
}

function storedBytesEqual(current: Item, next: ApiObject): boolean {
  const { encode } = current.kind;
  return encode(current.object) === encode(next);
}

/** Whether finalizers or the kind prevent the removal of the object. */
function mustWait(object: ApiObject, deletion: { readonly holds: (object: any) => boolean } | undefined): boolean {
  return (object.metadata.finalizers?.length ?? 0) > 0 || (deletion?.holds(object) ?? false);
}

function checkPreconditions(call: RequestContext, { object, revision }: Item, options: DeleteRequest): void {
  const { uid, resourceVersion } = options;
  const refuse = (what: string, asked: string, found: string, might: string): StatusError => {
    const { name = "" } = object.metadata;
    // Upstream's kinds with their own deletion check preconditions themselves, with another message.
    if (call.endpoint.resource.deletion !== undefined) {
      const why = `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${found}`;
      return conflictError(resourceName(call), name, why);
    }
    const why = `the ${what} in the precondition (${asked}) does not match the ${what} in record (${found})`;
    return conflictError(kindName(call), name, `${why}. The object might have been ${might}`);
  };
  if (uid !== undefined && uid !== object.metadata.uid) throw refuse("UID", uid, object.metadata.uid ?? "", "deleted and then recreated");
  if (resourceVersion !== undefined && resourceVersion !== String(revision)) {
    throw refuse("ResourceVersion", resourceVersion, String(revision), "modified");
  }
}

/** Whether the object still has time to end by itself. */
function hasTimeLeft({ metadata: { deletionGracePeriodSeconds } }: ApiObject): boolean {
  return Number(deletionGracePeriodSeconds ?? 0) > 0;
}

/** The last second of the year 9999, after which a time has no text. */
const lastSecond = 253_402_300_799;
function secondsAfter(time: Time, seconds: number): Time {
  return timeOfSeconds(Math.min(secondsOf(time) + seconds, lastSecond))!; // `!`: later than the zero time
}

/** The time that a client asks for: a negative one counts as one second. */
function askedSeconds({ gracePeriodSeconds }: DeleteRequest): number | undefined {
  return gracePeriodSeconds === undefined || gracePeriodSeconds >= 0 ? gracePeriodSeconds : 1;
}

/** A marked object whose time ends earlier, or the object itself if the client does not ask for less time than it has. */
function shorten(object: ApiObject, asked: number | undefined): ApiObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata, left = Number(deletionGracePeriodSeconds ?? 0);
  if (deletionTimestamp == null || asked === undefined || asked >= left) return object;
  const sooner = { deletionTimestamp: secondsAfter(deletionTimestamp, asked - left), deletionGracePeriodSeconds: asked };
  return { ...object, metadata: metaWith(object.metadata, sooner) };
}

/** Marks an object for deletion: sets finalizers by propagation policy, the timestamp if it is absent, and the fields of the kind. */
function mark(call: RequestContext, object: ApiObject, options: DeleteRequest): ApiObject {
  const { resource } = call.endpoint;
  if (hasTimeLeft(object)) return shorten(object, askedSeconds(options));
  const own = object.metadata.finalizers ?? [];
  // A finalizer of the object counts more than the default of its kind.
  const byDefault = resource.strategy?.orphansDependents && !own.includes(foregroundFinalizer) ? "Orphan" : undefined;
  const policy = policyOf(options, resource.deletion === undefined ? "Background" : "Foreground") ?? byDefault;
  // Kinds that are not garbage-collected must not wait for the collector: its finalizers are removed.
  const finalizers = finalizersFor(own, resource.strategy?.garbageCollected ?? true ? policy : "Background");
  const pending = object.metadata.deletionTimestamp !== undefined;
  let next = finalizers === own
    ? object
    : { ...object, metadata: metaWith(object.metadata, { finalizers: finalizers.length === 0 ? undefined : finalizers }) };
  if (pending) return next;
  const graceSeconds = resource.strategy?.graceSeconds?.(object, askedSeconds(options));
  if (graceSeconds === undefined && resource.deletion === undefined && !mustWait(next, undefined)) return next;
  const context = hookContext(call);
  const generation = Number(next.metadata.generation ?? 0);
  next = {
    ...next,
    metadata: metaWith(next.metadata, {
      deletionTimestamp: secondsAfter(context.now, graceSeconds ?? 0),
      deletionGracePeriodSeconds: graceSeconds ?? 0,
      ...(generation > 0 ? { generation: generation + 1 } : {}),
    }),
  };
  return resource.deletion?.begin(next, context, object) ?? next;
}

/** The propagation policy, or undefined. `otherwise` is the policy of `orphanDependents: false`, the deprecated form. */
function policyOf({ propagationPolicy, orphanDependents }: DeleteRequest, otherwise: string): string | undefined {
  return propagationPolicy ?? (orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : otherwise);
}
function finalizersFor(finalizers: readonly string[], policy: string | undefined): readonly string[] {
  if (policy === undefined) return finalizers;
  const wanted = policy === "Orphan" ? orphanFinalizer : policy === "Foreground" ? foregroundFinalizer : undefined;
  const kept = finalizers.filter((each) => each === wanted || (each !== orphanFinalizer && each !== foregroundFinalizer));
  if (wanted !== undefined && !kept.includes(wanted)) return [...kept, wanted];
  return kept.length === finalizers.length ? finalizers : kept;
}
