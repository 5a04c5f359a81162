/** The pods of each node. */
import { type ApiObject, objectKey } from "../../../plugin.ts";
import type { Store } from "./store.ts";

/** An index of the pods of a store by the node that they are bound to. */
export class PodsByNode<Pod extends ApiObject & { readonly spec: { readonly nodeName?: string } }> {
  readonly #byNode = new Map<string, Map<string, Pod>>();

  /** Follows the store from now on. */
  constructor(pods: Store<Pod>) {
    pods.listen((next, before) => {
      const key = objectKey((next ?? before)!), from = before?.spec?.nodeName ?? "", to = next?.spec.nodeName ?? "";
      if (from !== "" && from !== to) this.#remove(from, key);
      if (next === undefined || to === "") return;
      let known = this.#byNode.get(to);
      if (known === undefined) this.#byNode.set(to, known = new Map());
      known.set(key, next);
    });
  }

  /** Returns the pods that are bound to a node. */
  on(node: string): Iterable<Pod> {
    return this.#byNode.get(node)?.values() ?? [];
  }

  #remove(node: string, key: string): void {
    const known = this.#byNode.get(node);
    known?.delete(key);
    if (known?.size === 0) this.#byNode.delete(node);
  }
}
