/** The current objects that authenticators look up. */
import type { FoundObject, LookUpObject } from "../../core/authentication.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { pathSegmentName } from "../../core/meta/names.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { type Item, keyOf } from "../../kernel/objects/objects.ts";
import type { Reads, Waiter } from "../../kernel/reads/reads.ts";

export interface LookUpNeeds {
  readonly catalog: () => Pick<Catalog, "endpoint">;
  readonly reads: Pick<Reads, "live">;
  readonly prefix: string;
  readonly waiter: Waiter;
}

export function lookUpObjects({ catalog, reads, prefix, waiter }: LookUpNeeds): LookUpObject {
  return async <T extends ApiObject>(resource: string, namespace: string, name: string): Promise<FoundObject<T> | undefined> => {
    const kind = catalog().endpoint("", "v1", resource)?.stored;
    if (kind === undefined || !isName(name) || (kind.namespaced && !isName(namespace))) return undefined;
    const { item } = await reads.live(kind, keyOf(prefix, kind, namespace, name), waiter);
    return item && foundOf<T>(item);
  };
}

function foundOf<T extends ApiObject>(item: Item): FoundObject<T> {
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
