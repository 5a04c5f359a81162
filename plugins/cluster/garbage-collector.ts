/**
 * Follows owner references: what belongs to nobody any more is deleted.
 *
 *     an object names owners ──> all of them absent: it is deleted
 *                           ├──> one is there: references to absent ones are taken off
 *                           └──> the rest waits for it (foreground): it is deleted first
 *     its deletion is asked for with dependents orphaned: references to it are taken off, then it may go
 *     ... in the foreground: dependents are deleted, and it goes once none that blocks it is left; a dependent that is also the owner
 *         of one that waits no longer blocks its own owners
 *
 * It knows the API only as any client does. What events tell is a hint where to look; whether an owner is there is
 * asked anew before anything is deleted.
 */
import { limits } from "../../core/limits.ts";
import { foregroundFinalizer, orphanFinalizer } from "../../core/meta/finalizers.ts";
import { listed } from "../../core/listed.ts";
import type { Api, Controller } from "../../core/plugin.ts";
import type { ApiObject, OwnerReference } from "../../core/meta/object-meta.ts";
import { StatusError } from "../../core/status-error.ts";
import { type Node, nodeOf, OwnerGraph } from "./owner-graph.ts";
import { PassQueue } from "./pass-queue.ts";

export const garbageCollector: Controller = {
  name: "garbage-collector",
  async run({ api, work }, signal) {
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const graph = new OwnerGraph();
    const queue = new PassQueue(
      limits.controllerPassesMax,
      (uid) => attempt(api, graph, uid, (other) => queue.add(other)),
      (error) => failed.abort(error),
      work,
    );
    // Events belong to nobody: there are many, and they go by themselves.
    const collections = api.collections("watch").filter(({ resource }) => resource !== "events");
    const told = (collection: Collection, object: ApiObject, gone: boolean) => {
      const node = nodeOf(collection.groupVersion, collection.resource, object);
      if (gone) {
        graph.remove(node.uid);
        queue.forget(node.uid);
        for (const dependent of graph.dependentsOf(node.uid)) queue.add(dependent.uid);
        for (const { uid } of node.owners) if (graph.get(uid)?.deleting) queue.add(uid);
        return;
      }
      // Also those that it names no more: it may have been the last that blocked them.
      const owners = new Set([...graph.get(node.uid)?.owners ?? [], ...node.owners].map(({ uid }) => uid));
      graph.put(node);
      if (node.owners.length > 0 || waits(node)) queue.add(node.uid);
      for (const uid of owners) if (graph.get(uid)?.deleting) queue.add(uid);
    };
    try {
      // An owner may not go before all who depend on it are known.
      await Promise.all(collections.map(async (collection) => {
        const { groupVersion, resource } = collection;
        for await (const object of listed(api, groupVersion, resource, "")) graph.put(nodeOf(groupVersion, resource, object));
      }));
      await Promise.all(collections.map(async (collection) => {
        for await (const { type, object } of api.watch(collection.groupVersion, collection.resource, "", {}, until, "ownership")) {
          told(collection, object, type === "DELETED");
        }
      }));
    } finally {
      await queue.close();
    }
    if (failed.signal.aborted) throw failed.signal.reason;
  },
};

type Collection = ReturnType<Api["collections"]>[number];

/** Whether an object's deletion waits for us. */
function waits(node: Node): boolean {
  return isForeground(node) || (node.deleting && node.finalizers.includes(orphanFinalizer));
}
function isForeground({ deleting, finalizers }: Node): boolean {
  return deleting && finalizers.includes(foregroundFinalizer);
}

/** One look at one object; true when it has to be looked at again. A lost race comes back, everything else is a failure. */
async function attempt(api: Api, graph: OwnerGraph, uid: string, again: (uid: string) => void): Promise<boolean> {
  const node = graph.get(uid);
  if (node === undefined) return false;
  try {
    if (node.deleting && node.finalizers.includes(orphanFinalizer)) return await orphan(api, graph, node);
    if (node.deleting && node.finalizers.includes(foregroundFinalizer)) {
      for (const dependent of graph.dependentsOf(uid)) if (!dependent.deleting) again(dependent.uid);
      if (!graph.dependentsOf(uid).some((dependent) => blocks(dependent, uid))) await dropFinalizer(api, node, foregroundFinalizer);
    }
    return node.owners.length > 0 && await collect(api, graph, node);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === "NotFound") return false;
    // Somebody else wrote at the same time, or the server is busy: look again.
    return true;
  }
}

function blocks(dependent: Node, uid: string): boolean {
  return dependent.owners.some((owner) => owner.uid === uid && (owner.blockOwnerDeletion ?? false));
}

/** Deletes an object whose owners are all absent or waiting for it; takes references to absent ones off where one is there. */
async function collect(api: Api, graph: OwnerGraph, node: Node): Promise<boolean> {
  const live = await api.get(node.groupVersion, node.resource, node.namespace, node.name);
  if (live.metadata.uid !== node.uid) return false;
  const pending = (live.metadata.deletionTimestamp ?? null) !== null;
  if (pending) return false;
  const owners = live.metadata.ownerReferences ?? [];
  const states = await Promise.all(owners.map((owner) => stateOf(api, graph, node, owner)));
  if (owners.length === 0 || states.includes("unknown")) return false;
  const gone = owners.filter((_, index) => states[index] !== "there");
  if (states.includes("there")) {
    if (gone.length > 0) await dropOwners(api, node, live, new Set(gone.map(({ uid }) => uid)));
    return false;
  }
  const dependents = graph.dependentsOf(node.uid);
  const foreground = states.includes("waiting") && dependents.length > 0;
  // Owners that wait for each other would wait for ever. Its owners go first, then it is looked at again, as upstream does.
  if (foreground && dependents.some(isForeground) && await unblockOwners(api, node, live)) return true;
  await api.delete(node.groupVersion, node.resource, node.namespace, node.name, {
    propagationPolicy: foreground ? "Foreground" : "Background",
    preconditions: { uid: node.uid },
  });
  return false;
}

type OwnerState = "there" | "absent" | "waiting" | "unknown";

/** Whether an owner is there, asked of the server. An owner in another namespace counts as absent; an object of the whole
 *  cluster is never collected for an owner in a namespace. Of a kind that cannot be made here (Pod) nobody knows: an object may
 *  have come from a cluster where its owner is there. */
async function stateOf(api: Api, graph: OwnerGraph, node: Node, owner: OwnerReference): Promise<OwnerState> {
  const collection = api.collections("get").find(({ groupVersion, kind }) =>
    sameGroup(groupVersion, owner.apiVersion) && kind === owner.kind
  );
  if (collection === undefined || !canBeMade(api, collection)) return "unknown";
  if (collection.namespaced && node.namespace === "") return "unknown";
  const namespace = collection.namespaced ? node.namespace : "";
  const known = graph.get(owner.uid);
  try {
    const live = known !== undefined && known.namespace === namespace && known.name === owner.name && !known.deleting
      ? undefined
      : await api.get(collection.groupVersion, collection.resource, namespace, owner.name);
    if (live === undefined) return "there";
    if (live.metadata.uid !== owner.uid) return "absent";
    const foreground = (live.metadata.deletionTimestamp ?? null) !== null && (live.metadata.finalizers ?? []).includes(foregroundFinalizer);
    return foreground ? "waiting" : "there";
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return "absent";
    throw error;
  }
}

function canBeMade(api: Api, { groupVersion, resource }: Collection): boolean {
  return api.collections("create").some((each) => each.groupVersion === groupVersion && each.resource === resource);
}

/** Kinds are the same in every version of their group. */
function sameGroup(a: string, b: string): boolean {
  const group = (text: string) => text.includes("/") ? text.slice(0, text.indexOf("/")) : "";
  return group(a) === group(b);
}

/** Lets the dependents go, then the object. */
async function orphan(api: Api, graph: OwnerGraph, node: Node): Promise<boolean> {
  for (const dependent of graph.dependentsOf(node.uid)) {
    const live = await api.get(dependent.groupVersion, dependent.resource, dependent.namespace, dependent.name);
    if (live.metadata.uid === dependent.uid) await dropOwners(api, dependent, live, new Set([node.uid]));
  }
  await dropFinalizer(api, node, orphanFinalizer);
  return false;
}

async function dropOwners(api: Api, node: Node, live: ApiObject, uids: ReadonlySet<string>): Promise<void> {
  const kept = (live.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
  await put(api, node, { ...live, metadata: { ...live.metadata, ownerReferences: kept } });
}

/** Lets the owners of an object go before it; false where it blocks none. */
async function unblockOwners(api: Api, node: Node, live: ApiObject): Promise<boolean> {
  const owners = live.metadata.ownerReferences ?? [];
  if (!owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion)) return false;
  const ownerReferences = owners.map((owner) => owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner);
  await put(api, node, { ...live, metadata: { ...live.metadata, ownerReferences } });
  return true;
}

async function dropFinalizer(api: Api, node: Node, finalizer: string): Promise<void> {
  const live = await api.get(node.groupVersion, node.resource, node.namespace, node.name);
  if (live.metadata.uid !== node.uid) return;
  const kept = (live.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  await put(api, node, { ...live, metadata: { ...live.metadata, finalizers: kept } });
}

async function put(api: Api, { groupVersion, resource, namespace, name }: Node, object: ApiObject): Promise<void> {
  await api.update(groupVersion, resource, namespace, name, object);
}
