/** The graph of owner references, built from watch events: one node for each existing object, by uid. */
import type { ApiObject, GroupVersion, OwnerReference } from "../../plugin.ts";

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

export class OwnerGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }
  /** The existing objects that have the uid as an owner. */
  dependentsOf(uid: string): readonly Node[] {
    return [...this.#dependents.get(uid) ?? []].flatMap((each) => this.#nodes.get(each) ?? []);
  }
  /** All objects of a collection. */
  nodesOf(groupVersion: GroupVersion, resource: string): readonly Node[] {
    return [...this.#nodes.values()].filter((node) => node.groupVersion === groupVersion && node.resource === resource);
  }
  /** Adds an object or replaces its node. */
  put(node: Node): void {
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
