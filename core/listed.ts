/** All objects of a collection, of which no more than a page is held at a time. */
import type { Api, ApiObject, GroupVersion } from "./plugin.ts";

/** A page is of so many objects, or of as many as come to so much text if all were as long as one of those before. */
const pageItemsMax = 100;
const pageItemsFirst = 10;
const pageLength = 4 * 1024 * 1024;

/**
 * The objects as they are at one revision, which is returned at the end. A StatusError Expired where reading them takes longer than
 * history is kept.
 */
export async function* listed(
  api: Pick<Api, "list">,
  groupVersion: GroupVersion,
  resource: string,
  namespace: string,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<ApiObject, string> {
  let limit = pageItemsFirst;
  for (let from: Readonly<Record<string, string>> = {};;) {
    const { items, metadata } = await api.list(groupVersion, resource, namespace, { ...query, ...from, limit: `${limit}` });
    yield* items;
    if (metadata.continue === undefined) return metadata.resourceVersion;
    from = { continue: metadata.continue };
    limit = Math.min(pageItemsMax, Math.ceil(pageLength / JSON.stringify(items[0] ?? "").length));
  }
}
