/** The current objects of tokens. */
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { pathSegmentName } from "../../../core/meta/names.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { type Item, keyOf } from "../../objects/objects.ts";
import type { Reads, Waiter } from "../../reads/reads.ts";

/** Resources of the core group that tokens refer to. */
export type Named = "serviceaccounts" | "secrets" | "pods" | "nodes";

/** An object and its revision. */
export interface Found<T extends ApiObject = ApiObject> {
  readonly revision: number;
  /** Whether this text is in its JSON, without decoding. */
  mentions(text: string): boolean;
  /** Decoded on first use. */
  readonly object: T;
}

/**
 * The object, from the watch cache. A write or deletion by this server has effect at once, one by another server when its event has
 * arrived. As upstream, an object that is not in the cache is read from the store. Undefined if there is none.
 */
export type Lookup = <T extends ApiObject>(resource: Named, namespace: string, name: string) => Promise<Found<T> | undefined>;

export interface LookupNeeds {
  readonly catalog: () => Pick<Catalog, "endpoint">;
  readonly reads: Pick<Reads, "live">;
  readonly prefix: string;
  readonly waiter: Waiter;
}

export function lookupOf({ catalog, reads, prefix, waiter }: LookupNeeds): Lookup {
  return async <T extends ApiObject>(resource: Named, namespace: string, name: string): Promise<Found<T> | undefined> => {
    const kind = catalog().endpoint("", "v1", resource)?.stored;
    if (kind === undefined || !isName(name) || (kind.namespaced && !isName(namespace))) return undefined;
    const { item } = await reads.live(kind, keyOf(prefix, kind, namespace, name), waiter);
    return item && foundOf<T>(item);
  };
}

function foundOf<T extends ApiObject>(item: Item): Found<T> {
  return {
    revision: item.revision,
    mentions: (text) =>
      item.pieces.some(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).includes(text)),
    get object() {
      return item.object as T; // Of the requested resource.
    },
  };
}

/** Whether text is a valid name: other text would be part of another key. */
function isName(text: string): boolean {
  return text !== "" && pathSegmentName(text, false).length === 0;
}
