import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Json } from "../../core/schema.ts";
import { alreadyExistsError, invalidError, StatusError } from "../../core/status-error.ts";
import { approve, measured, mutated } from "../write/admission/admit.ts";
import { checkNamespace } from "../write/namespace-lifecycle.ts";
import { objectResult, type VerbResult } from "../respond/result.ts";
import { readBody, readValue } from "../write/draft/body.ts";
import { recordOwners } from "../write/field-managers.ts";
import { Item, keyOf, storedBytes } from "../objects/objects.ts";
import { commit } from "../write/commit.ts";
import { untilDeadline, valueOnRead } from "../write/converted-writes.ts";
import { writeOptions } from "../request/options.ts";
import { requestHookContext, takeBack } from "../write/request-hook-context.ts";
import { setNamespace, toCreate } from "../write/write-pipeline.ts";
import { hookContext, kindName, type RequestContext, resourceName } from "../request-context.ts";
import { bound } from "../../core/bound.ts";

/** Attempts of a create to find an unused generated name. */
const generateNameTries = bound(8);

/** POST of a collection: 201 with the object as stored. */
export async function create(call: RequestContext): Promise<VerbResult> {
  const options = writeOptions(call.info.query, "CreateOptions", call.catalog.names);
  const object = withoutDeletion(setNamespace(call, readBody(call, options.fieldValidation)));
  if (call.endpoint.resource.handleCreate !== undefined) return objectResult(201, await handleUnstored(call, object));
  return objectResult(201, await store(call, object, options.dryRun));
}

/** Creates an object of a caller in the process. Rejects as `create` does. */
export async function createValue(call: RequestContext, value: Json): Promise<void> {
  await store(call, withoutDeletion(setNamespace(call, readValue(call, value))), false);
}

/** Removes the deletion fields: a new object is not being deleted, and these fields have no owner. */
function withoutDeletion(object: ApiObject): ApiObject {
  const { deletionTimestamp, deletionGracePeriodSeconds, ...metadata } = object.metadata;
  return deletionTimestamp === undefined && deletionGracePeriodSeconds === undefined ? object : { ...object, metadata };
}

/** The response of a kind that is never stored. */
async function handleUnstored(call: RequestContext, sent: ApiObject): Promise<Item> {
  const { resource, stored, toStored } = call.endpoint;
  const context = hookContext(call);
  await checkNamespace(call, sent.metadata.name ?? "");
  const object = await mutated(call, stored.applyDefaults(toStored(await recordOwners(call, sent, undefined))), undefined);
  const errors = resource.create?.(object, context) ?? [];
  if (errors.length > 0) throw invalidError(kindName(call), object.metadata.name ?? "", errors);
  await approve(call, object, undefined);
  call.heavy?.changes("what its kind handles");
  return Item.unsaved(stored, "", await resource.handleCreate!(object, requestHookContext(call)));
}

/** Stores a new object under its name or a generated one, which the verb `by` makes. Records its field managers; those of an apply are recorded. */
export async function store(
  call: RequestContext,
  sent: ApiObject,
  dryRun: boolean,
  by: "create" | "update" | "apply" = "create",
): Promise<Item> {
  const object = by === "apply" ? sent : await recordOwners(call, sent, undefined);
  const generated = object.metadata.name === undefined && object.metadata.generateName !== undefined;
  if (call.endpoint.namespaced) {
    await measured(call, "NamespaceLifecycle", "admit", () => checkNamespace(call, object.metadata.name ?? ""));
  }
  if (!dryRun) refuseRevision(object);
  for (let tries = 1;; tries++) {
    const next = await toCreate(call, object, by !== "create").catch((error) => takeBack(call).then(() => Promise.reject(error)));
    const created = await insert(call, next, dryRun, object.metadata.resourceVersion);
    await takeBack(call, created.done);
    if (created.done) return created.item;
    if (generated && tries < generateNameTries) continue;
    throw nameTakenError(call, next.metadata.name!, generated, created.current);
  }
}

/** The 409 for a name that is in use. The message differs if the object is being deleted and can be read. */
function nameTakenError(call: RequestContext, name: string, generated: boolean, current: Item | undefined): StatusError {
  const { message, details } = alreadyExistsError(resourceName(call), name);
  const going = isGoing(current);
  return new StatusError("AlreadyExists", going ? `object is being deleted: ${message}` : message, {
    details: { ...details, ...(generated ? { retryAfterSeconds: 1 } : {}) },
  });
}

function isGoing(current: Item | undefined): boolean {
  try {
    return current?.object.metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (error instanceof StatusError) return false; // it cannot be read
    throw error;
  }
}

type Inserted = { readonly done: true; readonly item: Item } | { readonly done: false; readonly current: Item | undefined };

/** The stored item, or the current object of the same name. Like upstream's, a dry run returns the resourceVersion of the request. */
async function insert(call: RequestContext, object: ApiObject, dryRun: boolean, sent: string | undefined): Promise<Inserted> {
  const { backend, endpoint } = call;
  const key = keyOf(backend.prefix, endpoint.stored, object.metadata.namespace ?? "", object.metadata.name!);
  const value = storedBytes(endpoint.stored, object, call.catalog.storedAs);
  if (dryRun) {
    const { entry } = await backend.store.get(key, call.deadline.signal);
    if (entry !== undefined) return { done: false, current: new Item(endpoint.stored, entry) };
    const shown = await valueOnRead(call, value);
    const created = shown === value ? object : new Item(endpoint.stored, { key, revision: 0, value: shown }).object;
    return { done: true, item: Item.unsaved(endpoint.stored, key, created, sent) };
  }
  const ttlSeconds = endpoint.resource.strategy?.ttlSeconds;
  const outcome = await commit(call, {
    key,
    expect: "absent",
    value,
    ...untilDeadline(call),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  });
  if (outcome.done) return { done: true, item: Item.committed(endpoint.stored, key, value, outcome, object) };
  return { done: false, current: outcome.current === undefined ? undefined : new Item(endpoint.stored, outcome.current) };
}

/** Rejects a resourceVersion in a new object: upstream answers 500, and ignores 0 and values that are not numbers. */
function refuseRevision(object: ApiObject): void {
  const given = object.metadata.resourceVersion ?? "";
  if (/^\d+$/.test(given) && Number(given) !== 0) {
    throw new StatusError("Unknown", "resourceVersion should not be set on objects to be created");
  }
}
