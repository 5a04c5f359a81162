/** The graph of owner references, built from watch events: a node for each object with owners, finalizers or a deletion timestamp, by uid. */
import type { ApiObject, GroupVersion } from "../../plugin.ts";
import { foregroundFinalizer, orphanFinalizer, type OwnerReference } from "../../toolbox.ts";

/** The location of an object, and the metadata that garbage collection uses. */
export interface Node {
  readonly uid: string;
  readonly groupVersion: GroupVersion;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly deleting: boolean;
}

export function nodeOf(groupVersion: GroupVersion, resource: string, { metadata }: ApiObject): Node {
  return {
    uid: metadata.uid ?? "",
    groupVersion,
    resource,
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    deleting: (metadata.deletionTimestamp ?? null) !== null,
  };
}

/** Whether the object's deletion waits for the garbage collector. */
export function awaitsCollector(node: Node): boolean {
  return isForeground(node) || (node.deleting && node.finalizers.includes(orphanFinalizer));
}
export function isForeground({ deleting, finalizers }: Node): boolean {
  return deleting && finalizers.includes(foregroundFinalizer);
}

export class OwnerGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }
  /** Returns the existing objects that have the uid as an owner. */
  dependentsOf(uid: string): readonly Node[] {
    return [...this.#dependents.get(uid) ?? []].flatMap((each) => this.#nodes.get(each) ?? []);
  }
  /** Returns all objects of a collection that are in the graph. */
  nodesOf(groupVersion: GroupVersion, resource: string): readonly Node[] {
    return [...this.#nodes.values()].filter((node) => node.groupVersion === groupVersion && node.resource === resource);
  }
  /** Returns the objects that have an owner of this kind, in any version of its group. */
  dependentsOfKind(groupVersion: GroupVersion, kind: string): readonly Node[] {
    return [...this.#nodes.values()].filter(({ owners }) =>
      owners.some((owner) => owner.kind === kind && sameGroup(owner.apiVersion, groupVersion))
    );
  }
  /** Adds an object or replaces its node. Removes the node if the object has no owners, finalizers or deletion timestamp. */
  put(node: Node): void {
    const { owners, finalizers, deleting } = node;
    if (owners.length === 0 && finalizers.length === 0 && !deleting) return this.remove(node.uid);
    this.#unlink(node.uid);
    this.#nodes.set(node.uid, node);
    for (const { uid } of node.owners) {
      const known = this.#dependents.get(uid);
      if (known === undefined) this.#dependents.set(uid, new Set([node.uid]));
      else known.add(node.uid);
    }
  }
  remove(uid: string): void {
    this.#unlink(uid);
    this.#nodes.delete(uid);
  }
  #unlink(uid: string): void {
    for (const owner of this.#nodes.get(uid)?.owners ?? []) {
      const known = this.#dependents.get(owner.uid);
      known?.delete(uid);
      if (known?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}

/** Whether two versions belong to the same group. A kind is the same in each version of its group. */
export function sameGroup(a: string, b: string): boolean {
  const group = (text: string) => text.includes("/") ? text.slice(0, text.indexOf("/")) : "";
  return group(a) === group(b);
}
