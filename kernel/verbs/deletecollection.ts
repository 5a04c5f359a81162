import { listResult, type VerbResult } from "../respond/result.ts";
import type { RequestContext } from "../request-context.ts";
import { deleteOptions } from "../write/delete-options.ts";
import type { Item } from "../objects/objects.ts";
import { checkCollectionKey } from "./key-of-call.ts";
import { listOptions } from "../request/options.ts";
import { collectionOf, namedKey } from "../reads/reads.ts";
import { deleteItem } from "./delete.ts";

/** DELETE of a collection: deletes the selected objects one by one, in the order of the list, and returns the list. */
export async function removeCollection(call: RequestContext): Promise<VerbResult> {
  const { backend, endpoint, info, catalog } = call;
  const listing = listOptions(info.query, endpoint, catalog);
  const options = await deleteOptions(call);
  const collection = collectionOf(backend.prefix, endpoint, info.namespace, "");
  checkCollectionKey(endpoint, info.namespace, listing.fields);
  // A resourceVersion selects that exact state: objects that existed then are deleted if they still exist, and newer ones are kept.
  // A single named object, and a list with a negative limit, are read in their newest state.
  const named = namedKey(collection, listing) !== undefined;
  const isOld = !named && listing.resourceVersion !== "" && listing.resourceVersion !== "0";
  const exact = isOld && listing.resourceVersionMatch === "" && listing.limit >= 0
    ? { ...listing, resourceVersionMatch: "Exact" }
    : listing;
  // A continued list is as old as its first page.
  const mayBeOld = isOld || listing.continue !== "";
  const page = await backend.reads.list(collection, exact, catalog.names, call.deadline.signal);
  // From the first deletion on, the request must not be repeated in the heavy thread: it stays in this one.
  const here: RequestContext = { ...call, heavy: undefined };
  const items: Item[] = [];
  for (const item of page.items) {
    const current = mayBeOld ? await backend.reads.get(endpoint.stored, item.key, "", call.deadline) : item;
    // An object that another request deleted meanwhile is listed as well.
    if (current !== undefined) await deleteItem(here, { item: current, renew: undefined }, options);
    items.push(item);
  }
  return listResult({ ...page, items });
}
