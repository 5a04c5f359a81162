/**
 * The common last steps of all writes: from an object in the request's version to a valid object in the stored form. The order is
 * upstream's and visible to clients: names and namespaces, preparation, gates, validation of metadata, validation of the kind.
 */
import type { Endpoint } from "../catalog/catalog.ts";
import { zeroOf } from "../../core/derive/zero.ts";
import { membersOf } from "../../core/derive/members.ts";
import { append } from "../../core/append.ts";
import { dropDisabled } from "../../core/derive/gates.ts";
import { sameValue } from "../../core/derive/same-value.ts";
import type { FieldError } from "../../core/field-error.ts";
import { metaRulesOf, storedNameRules, validateObjectMeta, validateObjectMetaUpdate } from "../../core/meta/validate-object-meta.ts";
import type { ApiObject, ObjectMeta } from "../../core/meta/object-meta.ts";
import type { Subresource } from "../../core/subresource.ts";
import { badRequestError, invalidError } from "../../core/status-error.ts";
import { approve, authorizeContents, mutated } from "./admission/admit.ts";
import { checkValidation, hookContext, kindName, type RequestContext, runInBudget } from "../request-context.ts";
import { chanceOf } from "../../core/chance.ts";
import { randomSuffix } from "../../core/meta/generated-name.ts";
import { withOwnersOnce, withValidManagers } from "./owners.ts";
import { requestHookContext } from "./request-hook-context.ts";
import { withDeclaredRules } from "./declared-rules.ts";
import { inStoredForm, isValidatedAsSent } from "./stored-form.ts";

/**
 * Returns the metadata with `changes`; a value of undefined removes its key. Returns `meta` itself if nothing changes, as in most updates.
 */
export function metaWith(meta: ObjectMeta, changes: { readonly [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined }): ObjectMeta {
  let merged: Record<string, unknown> | undefined;
  for (const key of Object.keys(changes) as (keyof ObjectMeta)[]) {
    const value = changes[key];
    if (value === undefined) {
      // Only an existing key is deleted: V8 slows down objects after a `delete`, and most changes remove nothing.
      if (Object.hasOwn(meta, key)) delete (merged ??= { ...meta })[key];
    } else if (meta[key] !== value) (merged ??= { ...meta })[key] = value;
  }
  // The changes add only fields of ObjectMeta. Their order does not matter: encoding sorts keys by the schema.
  return (merged ?? meta) as ObjectMeta;
}

/**
 * Sets the namespace from the URL, or removes it from a cluster-scoped object. Removes duplicate owner references. `isAdmitted`: the mutating
 * steps of admission have run, or the request is a patch, which upstream checks after them only.
 */
export function setNamespace(call: RequestContext, sent: ApiObject, isAdmitted = call.exchange.method === "PATCH"): ApiObject {
  const object = withOwnersOnce(sent, isAdmitted ? " after mutating admission happens" : "", call.warnings);
  const { namespace: own } = object.metadata;
  if (!call.endpoint.namespaced) {
    return own === undefined ? object : { ...object, metadata: metaWith(object.metadata, { namespace: undefined }) };
  }
  checkNamespaceOf(call, object);
  const { namespace } = call.info;
  return own === namespace ? object : { ...object, metadata: metaWith(object.metadata, { namespace }) };
}

/** Throws 400 unless the namespace in the body is the one in the URL, or absent. */
export function checkNamespaceOf({ endpoint, info }: RequestContext, { metadata: { namespace = "" } }: ApiObject): void {
  if (!endpoint.namespaced || namespace === "" || namespace === info.namespace) return;
  throw badRequestError("the namespace of the provided object does not match the namespace sent on the request");
}

/** Makes the stored form of an object of the request, after the mutating steps of admission. */
async function admit(call: RequestContext, object: ApiObject, prior: ApiObject | undefined): Promise<ApiObject> {
  const sent = inStoredForm(call.endpoint, object), next = await mutated(call, sent, prior);
  return next === sent ? next : setNamespace(call, withValidManagers(sent, next, call.warnings), true);
}

/** Fields of metadata that the server sets at creation, after the mutating steps of admission. A client's values are removed. */
const serverMeta = Object.freeze({ uid: undefined, creationTimestamp: undefined, resourceVersion: undefined, selfLink: undefined });
const noDeletion = Object.freeze({ deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined });

function withMeta(object: ApiObject, changes: Parameters<typeof metaWith>[1]): ApiObject {
  const metadata = metaWith(object.metadata, changes);
  return metadata === object.metadata ? object : { ...object, metadata };
}

/**
 * Makes the object that a create stores from one in the request's version. `keepsDeletion`: an apply and an update may create an object that
 * is already being deleted.
 */
export async function toCreate(call: RequestContext, object: ApiObject, keepsDeletion = false): Promise<ApiObject> {
  const { endpoint, catalog, backend, warnings } = call;
  const { resource } = endpoint;
  checkValidation(call, object);
  const context = hookContext(call);
  let next = await admit(call, withMeta(object, { ...serverMeta, ...(keepsDeletion ? {} : noDeletion) }), undefined);
  const { name, generateName, namespace = "" } = next.metadata;
  const chance = chanceOf(backend.clock), purpose = `${endpoint.stored.under}/${namespace}/`;
  next = withMeta(next, {
    ...(name === undefined && generateName !== undefined
      ? { name: generatedName(generateName, () => chance.number(`${purpose}${generateName}`)) }
      : {}),
    ...serverMeta,
    uid: chance.uid(`${purpose}${name ?? generateName ?? ""}`),
    creationTimestamp: context.now,
    ...(keepsDeletion ? {} : noDeletion),
    ...([true, "exact", "sent"].includes(resource.strategy?.generation ?? false) ? { generation: 1 } : {}),
  });
  call.step("admission has changed the object");
  await authorizeContents(call, next, undefined);
  next = await resource.allocate?.(next, undefined, requestHookContext(call)) ?? next;
  if (resource.strategy?.preparesStatus !== true) next = withStatusOf(call, next, undefined);
  next = resource.prepare?.(next, undefined, context, warnings) ?? next;
  next = dropDisabled(endpoint.stored.schema)(next, undefined, catalog.gates.isOn) as ApiObject; // required fields are never dropped
  next = resource.dropDisabled?.(next, undefined, catalog.gates.isOn) ?? next;
  const ownErrors = [
    ...(resource.strategy?.ownMetaRules ? [] : validateObjectMeta(next.metadata, metaRulesOf(resource, catalog.names))),
    ...runInBudget(call, () => resource.create?.(next, context) ?? []),
  ];
  const errors = [...runInBudget(call, () => withDeclaredRules(call, ownErrors, next, undefined))];
  // Every name must be valid as a path segment, also for kinds without their own rule.
  if (errors.length === 0) append(errors, validateObjectMeta(next.metadata, storedNameRules(resource.scope)));
  if (errors.length > 0) throw invalidError(kindName(call), next.metadata.name ?? "", errors);
  // As upstream, a write that admission rejects has the warnings of its kind.
  for (const text of resource.warn?.(next, undefined, context) ?? []) warnings.add(text);
  await approve(call, next, undefined);
  call.step("validated and admitted");
  return completeCustom(call, next);
}

/** The object that an update stores in place of `prior`, both in the stored form. As upstream's, a dry run returns the client's selfLink. */
export async function toUpdate(call: RequestContext, object: ApiObject, prior: ApiObject, dryRun: boolean): Promise<ApiObject> {
  const { endpoint, catalog, warnings } = call;
  const { resource } = endpoint;
  checkValidation(call, object, prior);
  const sub = writtenSubresource(call);
  const context = hookContext(call);
  let next = await admit(call, object, prior);
  const { managedFields } = next.metadata;
  call.step("admission has changed the object");
  await authorizeContents(call, next, prior);
  if (call.subresource === undefined) next = await resource.allocate?.(next, prior, requestHookContext(call)) ?? next;
  const { generation } = prior.metadata;
  next = withMeta(next, dryRun ? { generation } : { generation, selfLink: undefined });
  const sentCounts = resource.strategy?.generation === "sent" && sub === undefined &&
    specChanged(call, withStatusOf(call, next, prior), prior);
  if (sub?.write !== undefined) next = sub.write(next, prior, context);
  else {
    if (call.subresource === undefined) next = withStatusOf(call, next, prior);
    next = resource.prepare?.(next, prior, context, warnings) ?? next;
  }
  next = dropDisabled(endpoint.stored.schema)(next, prior, catalog.gates.isOn) as ApiObject; // keeps required fields
  next = resource.dropDisabled?.(next, prior, catalog.gates.isOn) ?? next;
  next = withMeta(next, keptMeta(next.metadata, prior.metadata, managedFields));
  const isDirect = call.info.verb === "create" && call.subresource?.definition.create?.isDirect === true;
  if (resource.strategy?.generation && sub === undefined && !isDirect && (sentCounts || specChanged(call, next, prior))) {
    next = { ...next, metadata: metaWith(next.metadata, { generation: Number(prior.metadata.generation ?? 0) + 1 }) };
  }
  const ownErrors: readonly FieldError[] = [
    ...validateObjectMeta(next.metadata, storedNameRules(resource.scope)),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata),
    ...runInBudget(call, () => isDirect ? [] : (sub === undefined ? resource.update : sub.update)?.(next, prior, context) ?? []),
  ];
  const errors = runInBudget(call, () => withDeclaredRules(call, ownErrors, next, prior));
  if (errors.length > 0) throw invalidError(kindName(call), next.metadata.name ?? "", errors);
  for (const text of resource.warn?.(next, prior, context) ?? []) warnings.add(text);
  await approve(call, withVersionOf(next, prior), prior);
  call.step("validated and admitted");
  return completeCustom(call, next);
}

/** The object of an update as validating steps see it: as upstream, an unconditional update has the version that it replaces. */
function withVersionOf(next: ApiObject, { metadata: { resourceVersion } }: ApiObject): ApiObject {
  return next.metadata.resourceVersion === undefined ? withMeta(next, { resourceVersion }) : next;
}

/**
 * Completes a valid custom resource: removes the fields that its stored version does not have, and applies the defaults of that version. Defaults may
 * be missing because the status was removed or because a view made a part of the object.
 */
function completeCustom({ endpoint: { resource, served, stored }, budget }: RequestContext, object: ApiObject): ApiObject {
  if (!resource.custom) return object;
  const kept = served.toStored === undefined ? object : served.toStored(object);
  // Not `runInBudget`: admission may have had effects, so the request cannot be repeated.
  return isValidatedAsSent(resource) ? budget.run(() => stored.applyDefaults(kept)) : kept;
}

/** The subresource of a write, if its body is the object itself. Views and actions write the whole object. */
function writtenSubresource({ subresource, info }: RequestContext): Subresource | undefined {
  return subresource === undefined || subresource.view !== undefined || info.verb === "create" ? undefined : subresource.definition;
}

/** Restores the status, which only the status subresource can change: that of `prior`, or zero or absent at creation. */
function withStatusOf(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): ApiObject {
  if (!call.endpoint.subresources.has("status") || call.endpoint.resource.strategy?.preparesStatus === "always") return next;
  const { status: _sent, ...rest } = next as ApiObject & { status?: unknown };
  const { status } = (prior ?? withoutStatus(call.endpoint)) as { status?: unknown };
  return status === undefined ? rest : { ...rest, status } as ApiObject;
}

function withoutStatus({ stored }: Endpoint): object {
  const member = membersOf(stored.schema).find(({ key }) => key === "status");
  return member?.always && !member.pointer ? { status: zeroOf(member.node) } : {};
}

/**
 * The fields of metadata that an update does not change. The uid and the grace period of the request are kept where it has them: validation
 * rejects them if they differ from the stored ones.
 */
function keptMeta(next: ObjectMeta, prior: ObjectMeta, managedFields: ObjectMeta["managedFields"]): Parameters<typeof metaWith>[1] {
  return {
    uid: next.uid ?? prior.uid,
    creationTimestamp: prior.creationTimestamp,
    deletionTimestamp: prior.deletionTimestamp ?? next.deletionTimestamp,
    deletionGracePeriodSeconds: next.deletionGracePeriodSeconds ?? prior.deletionGracePeriodSeconds,
    managedFields,
  };
}

/**
 * Whether the spec has changed: whether any member differs apart from metadata, and apart from the status if it is a subresource. Custom
 * resources are compared in the version of the request: fields that it does not have do not count.
 */
function specChanged({ endpoint }: RequestContext, next: ApiObject, prior: ApiObject): boolean {
  const isConverted = endpoint.resource.custom === true && endpoint.served.fromStored !== undefined;
  const { encode } = isConverted ? endpoint : endpoint.stored, isExact = endpoint.resource.strategy?.generation === "exact";
  const hasStatus = endpoint.subresources.has("status"), { apiVersion } = next;
  const rest = (object: ApiObject) => {
    const { status, ...others } = object as ApiObject & { status?: unknown };
    const compared = { ...others, ...(hasStatus || status === undefined ? {} : { status }), apiVersion, metadata: {} } as ApiObject;
    return isExact ? compared : encode(compared);
  };
  return !sameValue(rest(next), rest(isConverted ? endpoint.fromStored(prior) : prior));
}

/** A generateName with five random characters, truncated to 63 characters in total. */
function generatedName(prefix: string, random: () => number): string {
  return `${prefix.slice(0, 58)}${randomSuffix(random)}`;
}
