/** The objects of a state, and which of them a dump shows. */
import { bound } from "../../core/bound.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { valueText } from "../../core/value-text.ts";
import type { Contents } from "./memory-engine.ts";
import { groupOf } from "./order.ts";
import { objectOf, type StoredObject, storedObjects } from "./objects.ts";
import type { SnapshotParts } from "./snapshot.ts";
import { steadyForms } from "./steady-form.ts";

/** Objects of one dump. */
const dumpedObjectsMax = bound(1_000_000);

/** Which objects are meant. */
export interface StateFilter {
  /** Kinds, or plurals with or without their group: `Deployment`, `deployments`, `widgets.example.com`. Default: all but Leases and Events, which say what runs. */
  readonly kinds?: readonly string[];
  /** Namespaces; "" for objects without one. Default: all. */
  readonly namespaces?: readonly string[];
  /** Whether objects are included that every server has or makes: default roles and namespaces, service accounts `default`, APIServices. Default: no. */
  readonly bootstrap?: boolean;
}

/** Kinds that say which servers run and what they did. */
const transient: ReadonlySet<string> = new Set(["Lease", "Event"]);

/** The stored object of a key; undefined if the key is none of an object, or it is not meant. */
export type Meant = (each: StoredObject) => boolean;

/** The filter of stored objects. `baseline`: what the server had when it was opened. */
export function meantBy({ kinds, namespaces, bootstrap = false }: StateFilter, baseline: Contents): Meant {
  const wanted = kinds && new Set(kinds);
  return (each) => {
    const { kind: { resource: { kind }, plural, group, namespaced } } = each;
    const isWanted = wanted === undefined
      ? !transient.has(kind)
      : [kind, plural, `${plural}.${group}`, `${kind}.${group}`].some((name) => wanted.has(name));
    if (!isWanted) return false;
    if (namespaces !== undefined && !namespaces.includes(namespaced ? namespaceOf(each) : "")) return false;
    return bootstrap || !isBootstrap(each, baseline);
  };
}

/** The objects of a state that are meant, in the order of their keys. */
export function objectsOf({ store, active }: Pick<SnapshotParts, "store" | "active">, isMeant: Meant): readonly ApiObject[] {
  const entries = [...store.keys.chunks].flatMap((chunk) =>
    chunk.flatMap(({ key, value, revision }) => value === undefined ? [] : [{ key, value, revision }])
  );
  const found = storedObjects(entries, active.config["etcd-prefix"], active.catalog).filter(isMeant);
  if (found.length > dumpedObjectsMax) throw new Error(`the state has more than ${dumpedObjectsMax} objects: name kinds or namespaces`);
  return found.map(objectOf);
}

/** Sorts objects by their namespaces, kinds and names. */
export function byPlace(objects: readonly ApiObject[]): readonly ApiObject[] {
  return objects.toSorted((a, b) => compare(placeOf(a), placeOf(b)));
}

/** The parts of an identity, in the order in which dumps are sorted. */
function placeOf({ apiVersion, kind, metadata: { namespace = "", name = "" } }: ApiObject): readonly string[] {
  return [namespace, groupOf(apiVersion), kind, name];
}
function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
}

function namespaceOf({ entry: { key } }: StoredObject): string {
  return key.split("/").at(-2) ?? "";
}

/** Whether every server has this object, or makes it for each namespace and definition. */
function isBootstrap(each: StoredObject, baseline: Contents): boolean {
  const { kind, entry: { key, value } } = each, before = baseline.keys.get(key);
  if (before?.value === value) return true;
  const object = objectOf(each);
  if (isMadeByServer(object)) return true;
  // On a busy machine the default roles may come later.
  if (before?.value === undefined) return object.metadata.labels?.["kubernetes.io/bootstrapping"] !== undefined;
  const first = objectOf({ kind, entry: { ...before, value: before.value } });
  return valueText(steadyForms([withoutDerived(first)])) === valueText(steadyForms([withoutDerived(object)]));
}

/** What controllers compute of a default object: its status, and the rules of an aggregated role. */
export function withoutDerived(object: ApiObject): ApiObject {
  const { status: _, ...rest } = object as ApiObject & { readonly status?: unknown };
  return "aggregationRule" in rest ? { ...rest, rules: undefined } as ApiObject : rest;
}

/** Objects that the server itself makes while it runs. */
function isMadeByServer(object: ApiObject): boolean {
  const { kind, metadata: { namespace, name = "", labels = {} } } = object;
  switch (kind) {
    case "Node": {
      const { taints = [], unschedulable = false } = (object as ApiObject & { readonly spec: NodeSpec }).spec;
      return /^simulated-\d+$/.test(name) && taints.length === 0 && !unschedulable;
    }
    case "ServiceAccount":
      return (name === "default" || namespace === "kube-system") && isPlain(object);
    case "ConfigMap":
      return name === "kube-root-ca.crt" || namespace === "kube-system" && name === "kube-apiserver-legacy-service-account-token-tracking";
    case "APIService":
      return Object.keys(labels).some((label) => label.endsWith("/automanaged"));
    case "Endpoints":
    case "EndpointSlice":
    case "Service":
      return namespace === "default" && name === "kubernetes";
    case "IPAddress":
      return Object.keys(labels).some((label) => label.endsWith("/managed-by"));
    default:
      return false;
  }
}

/** Whether a service account has nothing but its name. */
function isPlain(object: ApiObject): boolean {
  const { labels, annotations } = object.metadata;
  return [labels, annotations].every((each) => each === undefined) && !("secrets" in object) && !("imagePullSecrets" in object);
}

interface NodeSpec {
  readonly taints?: readonly unknown[];
  readonly unschedulable?: boolean;
}
