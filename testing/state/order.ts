/** The order in which objects are written: each after what it depends on. */
import { bound } from "../../core/bound.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";

/** Owners above an object that the order considers. */
const ownersMax = bound(32);

const definitions = 0, namespaces = 1, foundations = 2, others = 3, hooks = 4;

/**
 * The rank of a kind, by its name and its group. Quotas and webhooks come last: they would count and check the objects of the same set, which a
 * cluster had before them.
 */
const ranks: Readonly<Record<string, number>> = {
  "CustomResourceDefinition.apiextensions.k8s.io": definitions,
  "Namespace.": namespaces,
  "ServiceAccount.": foundations,
  "PriorityClass.scheduling.k8s.io": foundations,
  "RuntimeClass.node.k8s.io": foundations,
  "StorageClass.storage.k8s.io": foundations,
  "ResourceQuota.": hooks,
  "APIService.apiregistration.k8s.io": hooks,
  "MutatingWebhookConfiguration.admissionregistration.k8s.io": hooks,
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io": hooks,
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io": hooks,
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": hooks,
  "MutatingAdmissionPolicy.admissionregistration.k8s.io": hooks,
  "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io": hooks,
};

/** Splits objects into steps. Those of one step do not depend on each other, and keep their order. */
export function stepsOf<T extends { readonly object: ApiObject }>(all: readonly T[]): readonly (readonly T[])[] {
  const known = new Map(all.map(({ object }) => [keyOf(object), object])), steps = new Map<number, T[]>();
  for (const each of all) {
    const step = rankOf(each.object) * (ownersMax + 1) + depthOf(each.object, known);
    const found = steps.get(step);
    if (found === undefined) steps.set(step, [each]);
    else found.push(each);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([, step]) => step);
}

function rankOf({ kind, apiVersion }: ApiObject): number {
  const group = groupOf(apiVersion);
  // Other domains have the same groups.
  return ranks[`${kind}.${group}`] ?? (kind === "CustomResourceDefinition" && group.startsWith("apiextensions.") ? definitions : others);
}

/** The number of owners above an object in the set. */
function depthOf(object: ApiObject, known: ReadonlyMap<string, ApiObject>): number {
  let depth = 0;
  for (let owner = ownerOf(object, known); owner !== undefined && depth < ownersMax; owner = ownerOf(owner, known)) depth++;
  return depth;
}

function ownerOf(object: ApiObject, known: ReadonlyMap<string, ApiObject>): ApiObject | undefined {
  for (const reference of object.metadata?.ownerReferences ?? []) {
    const owner = ownerKeys(object, reference).map((key) => known.get(key)).find((found) => found !== undefined);
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** The keys that the owner of a reference may have: in the namespace of the object, or in none. */
export function ownerKeys(
  { metadata }: ApiObject,
  { apiVersion, kind, name }: { readonly apiVersion: string; readonly kind: string; readonly name: string },
): readonly string[] {
  const owner = (namespace: string) => keyOf({ apiVersion, kind, metadata: { name, namespace } } as ApiObject);
  return [...new Set([owner(metadata.namespace ?? ""), owner("")])];
}

/** The identity of an object apart from its version. */
export function keyOf({ apiVersion, kind, metadata }: ApiObject): string {
  return `${groupOf(apiVersion)}/${kind}/${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
}

/** The group of an apiVersion, "" for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
