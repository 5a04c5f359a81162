/** Iterates over all objects of a collection, with at most one page in memory. */
import { nextTurn } from "./turns.ts";
import type { Api } from "./api.ts";
import type { GroupVersion } from "./versions.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import { valueText } from "./value-text.ts";
import { bound } from "./bound.ts";

/** Objects of one page of a list of a controller. */
const listedItemsMax = bound(100);
/** Objects of the first page of a list of a controller. */
const listedItemsFirst = bound(10);
/** UTF-16 units of one page of a list of a controller. */
const listedLength = bound(4 * 1024 * 1024);
/** Milliseconds of a list of a controller after which other requests run. */
export const listedTurnMs = bound(10);

/**
 * The objects at one revision, which is the return value. Throws a StatusError Expired if reading takes longer than the retention of
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
    // A server in the process answers from memory, without a turn of the event loop: many pages would block all other requests.
    if (performance.now() - since > listedTurnMs) {
      await nextTurn();
      since = performance.now();
    }
    limit = Math.min(listedItemsMax, Math.ceil(listedLength / valueText(items[0] ?? "").length));
  }
}
