/** Reads of a kind whose objects are computed. It has cluster scope, and its requests stay in the serving thread. */
import { notFoundError, notSupportedError } from "../../core/status-error.ts";
import { Item, keyOf } from "../objects/objects.ts";
import { type ListPage, selects } from "../reads/reads.ts";
import { type RequestContext, resourceName } from "../request-context.ts";
import type { ListOptions } from "../request/options.ts";
import { requestHookContext } from "../write/request-hook-context.ts";

async function computed(call: RequestContext): Promise<readonly Item[]> {
  const { endpoint: { resource, stored }, backend: { prefix, peers } } = call;
  const objects = await resource.compute!(requestHookContext(call), peers!);
  return objects.map((each) => Item.unsaved(stored, keyOf(prefix, stored, "", each.metadata.name!), each));
}
export async function computedItem(call: RequestContext): Promise<Item> {
  const found = (await computed(call)).find(({ object: { metadata } }) => metadata.name === call.info.name);
  if (found === undefined) throw notFoundError(resourceName(call), call.info.name);
  return found;
}
/** A list in one chunk, without a revision. Upstream's error of a watch of such a kind comes from the list. */
export async function computedPage(call: RequestContext, options: ListOptions): Promise<ListPage> {
  if (call.info.verb === "watch") throw notSupportedError({ group: call.endpoint.group, name: call.endpoint.plural }, "watch");
  const chosen = selects(call.endpoint, options) ?? (() => true);
  // As upstream, all objects are computed: a field selector that names none selects nothing.
  const all = await computed({ ...call, info: { ...call.info, name: "" } });
  return { items: all.filter(chosen), revision: 0, continue: "", remaining: undefined };
}
