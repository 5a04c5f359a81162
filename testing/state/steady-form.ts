/** Objects without what differs from run to run. */
import type { ApiObject } from "../../core/meta/object-meta.ts";

/** What replaces a value that differs from run to run. A load leaves such values out. */
export const placeholders = Object.freeze({ time: "<time>", uid: "<uid>", token: "<token>" });

/** What a steady form keeps. */
export interface SteadyOptions {
  /** Whether times stay, as for servers whose clock stands still. Default false. */
  readonly times?: boolean;
  /** Whether the owners of fields stay, without their times. Default false. */
  readonly managedFields?: boolean;
}

const uidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Returns objects without uids, resourceVersions, times and generated tokens, in the given order. Generated names are numbered in the order of the
 * creations, and uids of objects of the set are replaced by the name of the object, also where other objects refer to them.
 */
export function steadyForms(objects: readonly ApiObject[], options: SteadyOptions = {}): readonly ApiObject[] {
  const names = namesOf(objects), uids = new Map<string, string>();
  for (const { kind, metadata: { uid, namespace, name } } of objects) {
    const shown = names.get(name ?? "") ?? name;
    if (uid !== undefined) uids.set(uid, `<uid of ${kind} ${namespace === undefined ? shown : `${namespace}/${shown}`}>`);
  }
  const context: Context = { names, uids, keepsTimes: options.times === true };
  return objects.map((object) => {
    const { managedFields, uid: _uid, creationTimestamp, ...metadata } = object.metadata;
    const owners = options.managedFields === true && managedFields ? { managedFields } : {};
    const made = context.keepsTimes && creationTimestamp !== undefined ? { creationTimestamp } : {};
    const whole = { ...withoutToken(object), metadata: { ...metadata, ...owners, ...made } };
    return steadyValue(whole, "", context) as ApiObject; // an object stays one
  });
}

interface Context {
  /** New names by generated ones. */
  readonly names: ReadonlyMap<string, string>;
  /** Texts by uid. */
  readonly uids: ReadonlyMap<string, string>;
  readonly keepsTimes: boolean;
}

/** The names that a server generated, and the numbered ones in their place. */
function namesOf(objects: readonly ApiObject[]): ReadonlyMap<string, string> {
  const generated = objects.filter(({ metadata: { name = "", generateName = "" } }) => generateName !== "" && name.startsWith(generateName))
    .toSorted((a, b) => Number(a.metadata.resourceVersion ?? 0) - Number(b.metadata.resourceVersion ?? 0));
  const counts = new Map<string, number>(), names = new Map<string, string>();
  for (const { kind, metadata: { name = "", namespace = "", generateName = "" } } of generated) {
    const scope = `${kind}/${namespace}/${generateName}`, count = (counts.get(scope) ?? 0) + 1;
    counts.set(scope, count);
    names.set(name, `${generateName}<${count}>`);
  }
  return names;
}

function steadyValue(value: unknown, key: string, context: Context): unknown {
  if (typeof value === "string") return steadyText(value, key, context);
  if (Array.isArray(value)) return value.map((each) => steadyValue(each, "", context));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (name === "resourceVersion" && typeof each === "string") return [];
    // An owner is known by its kind and name.
    if (name === "uid" && "kind" in value && "name" in value) return [];
    if (name === "time" && "manager" in value && !context.keepsTimes) return [];
    return [[name, steadyValue(each, name, context)]];
  });
  return Object.fromEntries(members);
}

function steadyText(text: string, key: string, { names, uids, keepsTimes }: Context): string {
  if (!keepsTimes && timePattern.test(text)) return placeholders.time;
  if (uidPattern.test(text)) return uids.get(text) ?? placeholders.uid;
  return key === "generateName" ? text : names.get(text) ?? text;
}

function withoutToken(object: ApiObject): ApiObject {
  const { kind, type, data } = object as ApiObject & { readonly type?: string; readonly data?: Readonly<Record<string, string>> };
  if (kind !== "Secret" || type === undefined || !type.endsWith("/service-account-token") || data?.token === undefined) return object;
  return { ...object, data: { ...data, token: placeholders.token } } as ApiObject;
}

/** Returns a value without the members that a steady form has replaced, so that it can be loaded. */
export function withoutPlaceholders<T>(value: T): T {
  if (Array.isArray(value)) return value.map((each) => withoutPlaceholders(each)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => !isPlaceholder(each)).map(([key, each]) => [key, withoutPlaceholders(each)]),
  ) as T;
}
function isPlaceholder(value: unknown): boolean {
  return typeof value === "string" && (Object.values<string>(placeholders).includes(value) || value.startsWith("<uid of "));
}
