/** Objects without what differs from run to run. */
import { isObject, type JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { valueText } from "../../core/value-text.ts";

/** What replaces a value that differs from run to run. A load leaves such values out. */
export const placeholders = Object.freeze({ time: "<time>", uid: "<uid>", token: "<token>", ip: "<ip>", port: "<port>" });

/**
 * What differs from run to run: times; what is drawn at random, such as uids, generated names and allocated addresses; resourceVersions; and the
 * owners of fields, which differ by their times only and are long.
 */
export type Unsteady = "times" | "random" | "revisions" | "managedFields";

/** Uids, also within texts such as the id of a container. */
const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** The volume that admission adds to pods, for their tokens. */
const tokenVolume = "kube-api-access-", tokenVolumePattern = /^kube-api-access-[a-z0-9]{5}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Returns objects without uids, resourceVersions, times, allocated addresses and generated tokens, in the given order. Generated names are numbered in the
 * order of what the objects contain, and uids of objects of the set are replaced by the name of the object, also where other objects refer to them.
 */
export function steadyForms(objects: readonly ApiObject[], keep: readonly Unsteady[] = []): readonly ApiObject[] {
  const kept = new Set(keep), isRandomKept = kept.has("random");
  const names = isRandomKept ? new Map<string, string>() : namesOf(objects), uids = new Map<string, string>();
  for (const { kind, metadata: { uid, namespace, name } } of isRandomKept ? [] : objects) {
    const shown = names.get(name ?? "") ?? name;
    if (uid !== undefined) uids.set(uid, `<uid of ${kind} ${namespace === undefined ? shown : `${namespace}/${shown}`}>`);
  }
  const context: Context = { names, uids, kept };
  return objects.map((object) => steadyForm(object, context));
}

interface Context {
  /** New names by generated ones. */
  readonly names: ReadonlyMap<string, string>;
  /** Texts by uid. */
  readonly uids: ReadonlyMap<string, string>;
  readonly kept: ReadonlySet<Unsteady>;
}

function steadyForm(object: ApiObject, context: Context): ApiObject {
  const { kept } = context, { managedFields, uid, creationTimestamp, resourceVersion, ...metadata } = object.metadata;
  const whole = {
    // The keys of tokens are never drawn from a seed.
    ...(kept.has("random") ? withoutToken(object) : withoutAllocated(withoutToken(object))),
    metadata: {
      ...metadata,
      ...(kept.has("managedFields") && managedFields ? { managedFields } : {}),
      ...(kept.has("times") && creationTimestamp ? { creationTimestamp } : {}),
      ...(kept.has("random") && uid ? { uid } : {}),
      ...(kept.has("revisions") && resourceVersion ? { resourceVersion } : {}),
    },
  };
  const steady = steadyValue(whole, "", context) as ApiObject; // an object stays one
  return kept.has("random") ? steady : withSortedAddresses(steady);
}

/** Endpoints are in the order of their pods, which have generated names and uids. */
function withSortedAddresses(object: ApiObject): ApiObject {
  const { kind, endpoints, subsets } = object as ApiObject & {
    readonly endpoints?: readonly unknown[];
    readonly subsets?: readonly object[];
  };
  if (kind === "EndpointSlice" && endpoints !== undefined) return { ...object, endpoints: sorted(endpoints) } as ApiObject;
  if (kind !== "Endpoints" || subsets === undefined) return object;
  const lists = ["addresses", "notReadyAddresses"];
  const sortedSubset = (subset: object) =>
    Object.fromEntries(Object.entries(subset).map(([name, list]) => [name, lists.includes(name) ? sorted(list) : list]));
  return { ...object, subsets: subsets.map(sortedSubset) } as ApiObject;
}
function sorted(items: readonly unknown[]): readonly unknown[] {
  return items.map((item) => ({ item, text: valueText(item) })).sort((a, b) => a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
    .map(({ item }) => item);
}

/**
 * The names that a server generated, and the numbered ones in their place. Objects are numbered by what they contain, and those that contain the same by
 * their revisions: the order in which a server makes them at the same time differs from run to run.
 */
function namesOf(objects: readonly ApiObject[]): ReadonlyMap<string, string> {
  const generated = objects.filter(({ metadata: { name = "", generateName = "" } }) =>
    generateName !== "" && name.startsWith(generateName)
  );
  const unnumbered = new Map(generated.map(({ metadata: { name = "", generateName = "" } }) => [name, `${generateName}<>`]));
  const context: Context = { names: unnumbered, uids: new Map(), kept: new Set() };
  const rows = generated.map((object) => ({ object, content: valueText(steadyForm(object, context)) }));
  rows.sort((a, b) =>
    a.content < b.content
      ? -1
      : a.content > b.content
      ? 1
      : Number(a.object.metadata.resourceVersion) - Number(b.object.metadata.resourceVersion)
  );
  const counts = new Map<string, number>(), names = new Map<string, string>();
  for (const { object: { kind, metadata: { name = "", namespace = "", generateName = "" } } } of rows) {
    const scope = `${kind}/${namespace}/${generateName}`, count = (counts.get(scope) ?? 0) + 1;
    counts.set(scope, count);
    names.set(name, `${generateName}<${count}>`);
  }
  return names;
}

function steadyValue(value: unknown, key: string, context: Context): unknown {
  if (typeof value === "string") return steadyText(value, key, context);
  if (Array.isArray(value)) return value.map((each) => steadyValue(each, "", context));
  if (!isObject(value)) return value;
  const { kept } = context;
  const members = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (name === "resourceVersion" && typeof each === "string" && !kept.has("revisions")) return [];
    // An owner is known by its kind and name.
    if (name === "uid" && "kind" in value && "name" in value && !kept.has("random")) return [];
    if (name === "time" && "manager" in value && !kept.has("times")) return [];
    return [[name, steadyValue(each, name, context)]];
  });
  return Object.fromEntries(members);
}

function steadyText(text: string, key: string, { names, uids, kept }: Context): string {
  if (timePattern.test(text)) return kept.has("times") ? text : placeholders.time;
  if (kept.has("random")) return text;
  if (tokenVolumePattern.test(text)) return `${tokenVolume}<random>`;
  const withoutUids = text.replaceAll(uidPattern, (uid) => uids.get(uid) ?? placeholders.uid);
  if (withoutUids !== text) return withoutUids;
  return key === "generateName" ? text : names.get(text) ?? text;
}

function withoutToken(object: ApiObject): ApiObject {
  const { kind, type, data } = object as ApiObject & { readonly type?: string; readonly data?: Readonly<Record<string, string>> };
  if (kind !== "Secret" || type === undefined || !type.endsWith("/service-account-token") || data?.token === undefined) return object;
  return { ...object, data: { ...data, token: placeholders.token } } as ApiObject;
}

/** The fields of a Service that a server allocates if the client leaves them out. */
interface Allocated {
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly healthCheckNodePort?: number;
  readonly ports?: readonly { readonly nodePort?: number }[];
}

/** A Service without the addresses and ports that no client has written: those have no owner. */
function withoutAllocated(object: ApiObject): ApiObject {
  const { spec } = object as ApiObject & { readonly spec?: Allocated };
  if (object.kind !== "Service" || spec === undefined) return object;
  const owned = (field: string) =>
    (object.metadata.managedFields ?? []).some(({ fieldsV1 }) => fieldsV1 !== undefined && hasMember(fieldsV1 as JsonObject, `f:${field}`));
  const steady: { -readonly [Name in keyof Allocated]: unknown } = { ...spec };
  const isAddress = (ip: string) => ip !== "" && ip !== "None";
  if (!owned("clusterIP") && !owned("clusterIPs")) {
    if (isAddress(spec.clusterIP ?? "")) steady.clusterIP = placeholders.ip;
    if (spec.clusterIPs?.some(isAddress)) steady.clusterIPs = spec.clusterIPs.map(() => placeholders.ip);
  }
  if (spec.healthCheckNodePort !== undefined && !owned("healthCheckNodePort")) steady.healthCheckNodePort = placeholders.port;
  if (spec.ports !== undefined && !owned("nodePort")) {
    steady.ports = spec.ports.map((port) => port.nodePort === undefined ? port : { ...port, nodePort: placeholders.port });
  }
  return { ...object, spec: steady } as ApiObject;
}

/** Whether a set of fields has one with this name, at any level. Its levels are those of the kind. */
function hasMember(fields: JsonObject, name: string): boolean {
  return Object.entries(fields).some(([each, value]) => each === name || (isObject(value) && hasMember(value, name)));
}

/** Returns a value without the members that a steady form has replaced, so that it can be loaded. */
export function withoutPlaceholders<T>(value: T): T {
  if (Array.isArray(value)) return value.filter((each) => !isPlaceholder(each)).map((each) => withoutPlaceholders(each)) as T;
  if (typeof value !== "object" || value === null) return value;
  const { generateName, name } = value as { readonly generateName?: unknown; readonly name?: unknown };
  const isNumbered = typeof generateName === "string" && typeof name === "string" && name.startsWith(`${generateName}<`);
  return Object.fromEntries(
    Object.entries(value).filter(([key, each]) => !isPlaceholder(each) && !(isNumbered && key === "name"))
      .map(([key, each]) => [key, withoutPlaceholders(each)]).filter(([key, each]) => !(key === "clusterIPs" && isEmpty(each))),
  ) as T;
}
function isPlaceholder(value: unknown): boolean {
  // The volume, and its mounts: admission adds them again.
  if (isObject(value)) return value["name"] === `${tokenVolume}<random>`;
  return typeof value === "string" && (Object.values<string>(placeholders).includes(value) || value.startsWith("<uid of "));
}
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
