/**
 * The garbage collector: deletes objects whose owners no longer exist (upstream: pkg/controller/garbagecollector).
 *
 *     an object with owners ──> all are absent: delete it
 *                          ├──> at least one exists: remove the references to absent ones
 *                          └──> none exists, and some wait for dependents (foreground deletion): delete it
 *     a deleted object with finalizer `orphan`: remove the references to it, then the finalizer
 *     ... with finalizer `foregroundDeletion`: delete its dependents, and remove the finalizer when no dependent with
 *         blockOwnerDeletion is left; a dependent that waits for its own dependents no longer blocks its owners
 *
 * It uses the API like any client. Watch events only trigger checks: before a deletion, the existence of the owners is read again. Objects without
 * owners, finalizers and deletion timestamp, which are most objects of a large store, are neither listed nor kept.
 *
 * Stored objects that cannot be read are passed over; objects that they own stay, because their owner is not known to be absent. A kind that cannot be
 * listed or watched at all waits alone: it is tried again until it can be.
 */
import { type Api, type ApiObject, type Controller, defineMetric, StatusError } from "../../plugin.ts";
import {
  type ApiCollection,
  type EventRecorder,
  foregroundFinalizer,
  orphanFinalizer,
  type OwnerReference,
  splitGroupVersion,
} from "../../toolbox.ts";
import { ObjectFollower, type Waits } from "./object-follower.ts";
import { awaitsCollector, isForeground, type Node, OwnerGraph, sameGroup } from "./owner-graph.ts";
import { WorkQueue } from "./work-queue.ts";
import { controllerPassesMax } from "../shared/bounds.ts";

export const garbageCollector: Controller = {
  name: "garbage-collector",
  serviceAccount: "generic-garbage-collector",
  fieldManager: "kube-controller-manager",
  async run(context, signal) {
    const { api, metric, events, logError } = context;
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const graph = new OwnerGraph();
    const means: Means = { api, graph, events, nowhere: new Set() };
    const queue = new WorkQueue(
      controllerPassesMax,
      (uid) => attempt(means, uid, (other) => queue.add(other)),
      (uid, error) => {
        const node = graph.get(uid), name = node === undefined ? uid : `${node.resource} ${node.namespace}/${node.name}`;
        logError(`${name} cannot be processed; it is tried again`, error);
      },
      context,
    );
    const handle = (node: Node, deleted: boolean) => {
      if (deleted) {
        graph.remove(node.uid);
        foundNowhere(means, node.uid);
        queue.forget(node.uid);
        for (const dependent of graph.dependentsOf(node.uid)) queue.add(dependent.uid);
        for (const { uid } of node.owners) if (graph.get(uid)?.deleting) queue.add(uid);
        return;
      }
      // The former owners are included, because the object may have been the last dependent that blocked them.
      const owners = new Set([...graph.get(node.uid)?.owners ?? [], ...node.owners].map(({ uid }) => uid));
      graph.put(node);
      if (node.owners.length > 0 || awaitsCollector(node)) queue.add(node.uid);
      for (const uid of owners) if (graph.get(uid)?.deleting) queue.add(uid);
    };
    try {
      const waits: Waits = {
        began({ groupVersion, resource }, error, isFirst) {
          const { group } = splitGroupVersion(groupVersion);
          metric(waitingResources).with({ group, resource }).set(1);
          const name = group === "" ? resource : `${resource}.${group}`;
          if (isFirst) logError(`the objects of ${name} cannot be followed: they wait, other resources go on`, error);
        },
        ended({ groupVersion, resource }) {
          metric(waitingResources).with({ group: splitGroupVersion(groupVersion).group, resource }).set(0);
        },
      };
      await new ObjectFollower({ api, graph, handle, waits, failed: (error) => failed.abort(error) }, until).run();
    } finally {
      await queue.close();
    }
    if (failed.signal.aborted) throw failed.signal.reason;
  },
};

const waitingResources = defineMetric({
  name: "thole_garbage_collector_waiting_resources",
  type: "gauge",
  help: "1 while the garbage collector cannot list or watch the objects of the resource, and tries it again.",
  labels: ["group", "resource"],
  stability: "ALPHA",
});
export const garbageCollectorMetrics = Object.freeze([waitingResources]);

interface Means {
  readonly api: Api;
  readonly graph: OwnerGraph;
  readonly events: EventRecorder;
  /**
   * The uids of owners that were deleted or found in no namespace, at most `nowhereMax`. The dependents of an owner are mostly collected one after the
   * other.
   */
  readonly nowhere: Set<string>;
}
const nowhereMax = 1_000;

/**
 * Processes one object. Resolves with true if it must be processed again, which is also so after a StatusError. Rejects with other errors.
 */
async function attempt(means: Means, uid: string, again: (uid: string) => void): Promise<boolean> {
  const { api, graph } = means;
  const node = graph.get(uid);
  if (node === undefined) return false;
  try {
    if (node.deleting && node.finalizers.includes(orphanFinalizer)) return await orphan(api, graph, node);
    if (node.deleting && node.finalizers.includes(foregroundFinalizer)) {
      for (const dependent of graph.dependentsOf(uid)) if (!dependent.deleting) again(dependent.uid);
      if (!graph.dependentsOf(uid).some((dependent) => blocks(dependent, uid))) await dropFinalizer(api, node, foregroundFinalizer);
    }
    return node.owners.length > 0 && await collect(means, node);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === "NotFound") return false;
    // There was a conflict, or the server is busy, so the object is processed again.
    return true;
  }
}

function blocks(dependent: Node, uid: string): boolean {
  return dependent.owners.some((owner) => owner.uid === uid && (owner.blockOwnerDeletion ?? false));
}

/** Deletes an object if each owner is absent or waits for it. If an owner exists, removes the references to absent ones. */
async function collect(means: Means, node: Node): Promise<boolean> {
  const { api, graph, events } = means;
  // A change of an owner adds its dependents again.
  if (node.owners.every((owner) => isKnownOwner(graph, node, owner))) return false;
  const live = await api.get(node.groupVersion, node.resource, node.namespace, node.name);
  if (live.metadata.uid !== node.uid) return false;
  const pending = (live.metadata.deletionTimestamp ?? null) !== null;
  if (pending) return false;
  const owners = live.metadata.ownerReferences ?? [];
  const states = await Promise.all(owners.map((owner) => stateOf(api, graph, node, owner)));
  for (const [index, owner] of owners.entries()) {
    if (states[index] !== "absent" && states[index] !== "unknown" || !await isElsewhere(means, node, owner)) continue;
    const { apiVersion, kind, name, uid } = owner, { namespace } = node;
    events.record(live, {
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      action: "CollectingGarbage",
      note:
        `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
    });
  }
  if (owners.length === 0 || states.includes("unknown")) return false;
  const absent = owners.filter((_, index) => states[index] !== "present");
  if (states.includes("present")) {
    if (absent.length > 0) await dropOwners(api, node, live, new Set(absent.map(({ uid }) => uid)));
    return false;
  }
  const dependents = graph.dependentsOf(node.uid);
  const foreground = states.includes("waiting") && dependents.length > 0;
  // A cycle of owners would wait forever. As upstream, unblock the owners first, then process the object again.
  if (foreground && dependents.some(isForeground) && await unblockOwners(api, node, live)) return true;
  await api.delete(node.groupVersion, node.resource, node.namespace, node.name, {
    propagationPolicy: foreground ? "Foreground" : "Background",
    preconditions: { uid: node.uid },
  });
  return false;
}

/** Whether the graph has the owner, where it may be, and it is not being deleted. */
function isKnownOwner(graph: OwnerGraph, { namespace }: Node, { uid, name }: OwnerReference): boolean {
  const known = graph.get(uid);
  return known !== undefined && known.name === name && !known.deleting && (known.namespace === "" || known.namespace === namespace);
}

type OwnerState = "present" | "absent" | "waiting" | "unknown";

/**
 * Reads from the API whether an owner exists. An owner in another namespace counts as absent. The state is unknown for a namespaced owner
 * of a cluster-scoped object, and for kinds that cannot be created here (Pod): the object may come from a cluster where its owner exists.
 * Objects with an unknown owner are not deleted.
 */
async function stateOf(api: Api, graph: OwnerGraph, node: Node, owner: OwnerReference): Promise<OwnerState> {
  const collection = api.collections("get").find(({ groupVersion, kind }) =>
    sameGroup(groupVersion, owner.apiVersion) && kind === owner.kind
  );
  if (collection === undefined || !canCreate(api, collection)) return "unknown";
  if (collection.namespaced && node.namespace === "") return "unknown";
  const namespace = collection.namespaced ? node.namespace : "";
  if (isKnownOwner(graph, node, owner)) return "present";
  try {
    const live = await api.get(collection.groupVersion, collection.resource, namespace, owner.name);
    if (live.metadata.uid !== owner.uid) return "absent";
    const foreground = (live.metadata.deletionTimestamp ?? null) !== null && (live.metadata.finalizers ?? []).includes(foregroundFinalizer);
    return foreground ? "waiting" : "present";
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return "absent";
    throw error;
  }
}

/** Whether the owner exists in a namespace other than the object's, which is not allowed. */
async function isElsewhere(
  means: Means,
  { namespace }: Node,
  { apiVersion, kind, name, uid }: OwnerReference,
): Promise<boolean> {
  const { api, nowhere } = means;
  if (nowhere.has(uid)) return false;
  const collection = api.collections("list").find((each) => sameGroup(each.groupVersion, apiVersion) && each.kind === kind);
  if (collection?.namespaced !== true) return false;
  const query = { fieldSelector: `metadata.name=${name}` };
  const list = await api.list(collection.groupVersion, collection.resource, "", query).catch((error) => {
    // Only an event depends on the result, so one object that cannot be read does not delay others.
    if (error instanceof StatusError) return { items: [] };
    throw error;
  });
  const isFound = list.items.some(({ metadata }) => metadata.uid === uid && metadata.namespace !== namespace);
  if (!isFound) foundNowhere(means, uid);
  return isFound;
}

function foundNowhere({ nowhere }: Pick<Means, "nowhere">, uid: string): void {
  if (nowhere.size >= nowhereMax) nowhere.clear();
  nowhere.add(uid);
}

function canCreate(api: Api, { groupVersion, resource }: ApiCollection): boolean {
  return api.collections("create").some((each) => each.groupVersion === groupVersion && each.resource === resource);
}

/** Removes the references to the object from its dependents, then its finalizer. */
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

/** Sets blockOwnerDeletion of all of its owner references to false. Resolves with false if none was true. */
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
