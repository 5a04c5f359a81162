/** Knows which quotas count the objects of which collections and namespaces. */
import type { Counted } from "./resources.ts";
import type { ResourceQuota } from "./quota-schema.ts";

/** Keys of quotas by namespace. */
type ByNamespace = ReadonlyMap<string, ReadonlySet<string>>;

export function collectionKey({ collection: { groupVersion, resource } }: Counted): string {
  return `${groupVersion}/${resource}`;
}

export class Interests {
  readonly #counted: readonly Counted[];
  readonly #quotas = new Map<string, Map<string, Set<string>>>();

  constructor(counted: readonly Counted[]) {
    this.#counted = counted;
  }

  /** Sets the limits of a quota; undefined means that it was deleted. Returns the collections whose namespaces have changed. */
  set(key: string, namespace: string, spec: ResourceQuota["spec"] | undefined): readonly Counted[] {
    const limited = Object.keys(spec?.hard ?? {});
    return this.#counted.filter((counted) => {
      const of = this.#quotas.get(collectionKey(counted)), had = of?.get(namespace)?.has(key) ?? false;
      const has = counted.usage.matching(limited).length > 0;
      if (has === had) return false;
      return has ? this.#add(collectionKey(counted), namespace, key) : this.#remove(collectionKey(counted), namespace, key);
    });
  }

  of(counted: Counted): ByNamespace {
    return this.#quotas.get(collectionKey(counted)) ?? none;
  }

  /** `#add` and `#remove` return whether the namespaces have changed. */
  #add(collection: string, namespace: string, key: string): boolean {
    const of = this.#quotas.get(collection) ?? new Map<string, Set<string>>(), keys = of.get(namespace);
    this.#quotas.set(collection, of);
    keys?.add(key);
    if (keys === undefined) of.set(namespace, new Set([key]));
    return keys === undefined;
  }
  #remove(collection: string, namespace: string, key: string): boolean {
    const of = this.#quotas.get(collection), keys = of?.get(namespace);
    keys?.delete(key);
    return keys?.size === 0 && of!.delete(namespace);
  }
}
const none: ByNamespace = new Map();
