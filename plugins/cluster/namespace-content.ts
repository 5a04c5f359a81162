import { type Api, type GroupVersion, StatusError } from "../../plugin.ts";
import { listed } from "../../toolbox.ts";
import type { Content } from "./namespace-conditions.ts";

interface Collection {
  readonly groupVersion: GroupVersion;
  readonly resource: string;
  /** The collection as messages name it: `resource.group`. */
  readonly name: string;
}

/**
 * Deletes the content of a namespace and counts the objects that remain: pods first, so that none outlives the rules of the network that are made
 * for it (CVE-2024-7598), then all other collections at the same time. An error of one collection is recorded as a failure. Collections of servers
 * that do not answer wait for another pass.
 */
export async function deleteContent(api: Api, namespace: string): Promise<Content> {
  const asCollection = new Set(namespacedCollections(api, "deletecollection").map(({ name }) => name));
  const remaining = new Map<string, number>(), held = new Map<string, number>(), failures: string[] = [];
  const empty = async (collection: Collection): Promise<void> => {
    try {
      if (await isEmpty(api, collection, namespace)) return;
      if (asCollection.has(collection.name)) await api.deleteCollection(collection.groupVersion, collection.resource, namespace);
      else for (const name of await namesIn(api, collection, namespace)) await deleteOne(api, collection, namespace, name);
      for await (const { metadata } of listed(api, collection.groupVersion, collection.resource, namespace)) {
        count(remaining, collection.name);
        for (const finalizer of metadata.finalizers ?? []) count(held, finalizer);
      }
    } catch (error) {
      // The error of one collection goes into the conditions of the namespace. Only pods keep the other collections from being deleted.
      if (!(error instanceof StatusError)) failures.push(`${collection.name}: ${error instanceof Error ? error.message : String(error)}`);
      else if (!isAbsent(error)) failures.push(error.message);
    }
  };
  const undiscovered = api.unknownVersions?.() ?? [];
  const isKnown = ({ groupVersion }: Collection) => !undiscovered.includes(groupVersion);
  const collections = namespacedCollections(api, "delete").filter(isKnown), pods = collections.find(({ name }) => name === "pods.");
  if (pods !== undefined) await empty(pods);
  if (remaining.size === 0 && failures.length === 0) await Promise.all(collections.filter((each) => each !== pods).map(empty));
  return { remaining, held, failures, undiscovered };
}

/** Returns each namespaced resource once, in the first version that supports the verb. All versions have the same objects. */
function namespacedCollections(api: Api, verb: string): readonly Collection[] {
  const found = new Map<string, Collection>();
  for (const { groupVersion, resource, namespaced } of api.collections(verb)) {
    const group = groupVersion.includes("/") ? groupVersion.slice(0, groupVersion.lastIndexOf("/")) : "";
    const name = `${resource}.${group}`;
    if (namespaced && !found.has(name)) found.set(name, { groupVersion, resource, name });
  }
  return [...found.values()];
}

async function isEmpty(api: Api, { groupVersion, resource }: Collection, namespace: string): Promise<boolean> {
  const { items } = await api.list(groupVersion, resource, namespace, { limit: "1" });
  return items.length === 0;
}

async function namesIn(api: Api, { groupVersion, resource }: Collection, namespace: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { metadata } of listed(api, groupVersion, resource, namespace)) names.push(metadata.name ?? "");
  return names;
}

async function deleteOne(api: Api, { groupVersion, resource }: Collection, namespace: string, name: string): Promise<void> {
  try {
    await api.delete(groupVersion, resource, namespace, name);
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
  }
}

/** Whether the error means that the resource is no longer served, so that nothing is left. */
function isAbsent({ reason }: StatusError): boolean {
  return reason === "NotFound" || reason === "MethodNotAllowed";
}
function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
