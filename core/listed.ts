/** Iterates over all objects of a collection, with at most one page in memory. */
import { nextTurn } from "./turns.ts";
import type { Api } from "./api.ts";
import type { GroupVersion } from "./versions.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import { valueText } from "./value-text.ts";
import { bound } from "./bound.ts";

/** Maximum number of objects of one page of a controller's list. */
const listedItemsMax = bound(100);
/** Maximum number of objects of the first page of a controller's list. */
const listedItemsFirst = bound(10);
/** Maximum length of one page of a controller's list, in UTF-16 units. */
const listedLength = bound(4 * 1024 * 1024);
/** Milliseconds that a controller's list may take before other requests run. */
export const listedTurnMs = bound(10);

/**
 * Yields the objects at one revision, and returns the revision. Throws a StatusError Expired if reading takes longer than the retention of
 * history.
 */
export async function* listAll(
  api: Pick<Api, "list">,
  groupVersion: GroupVersion,
  resource: string,
  namespace: string,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<ApiObject, string> {
  let limit: number = listedItemsFirst;
  let since = performance.now();
  for (let from: Readonly<Record<string, string>> = {};;) {
    const { items, metadata } = await api.list(groupVersion, resource, namespace, { ...query, ...from, limit: `${limit}` });
    yield* items;
    const { continue: token = "" } = metadata;
    if (token === "") return metadata.resourceVersion;
    from = { continue: token };
    // A server in this process answers from memory, without a turn of the event loop, so many pages would block all other requests.
    if (performance.now() - since > listedTurnMs) {
      await nextTurn();
      since = performance.now();
    }
    limit = Math.min(listedItemsMax, Math.ceil(listedLength / valueText(items[0] ?? "").length));
  }
}
