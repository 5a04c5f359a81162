import { listResult, type VerbResult } from "../respond/result.ts";
import type { RequestContext } from "../request-context.ts";
import { computedPage } from "./compute.ts";
import { checkCollectionKey } from "./key-of-call.ts";
import { listOptions } from "../request/options.ts";
import { collectionOf } from "../reads/reads.ts";

/** GET of a collection. */
export async function list(call: RequestContext): Promise<VerbResult> {
  const { backend, endpoint, exchange, info, catalog } = call;
  const fromQuery = listOptions(info.query, endpoint, catalog);
  const options = exchange.watchScope === "owned" ? { ...fromQuery, ownershipOnly: true } : fromQuery;
  if (endpoint.resource.compute !== undefined) return listResult(await computedPage(call, options));
  const collection = collectionOf(backend.prefix, endpoint, info.namespace, "");
  checkCollectionKey(endpoint, info.namespace, options.fields);
  const page = await backend.reads.list(collection, options, catalog.names, call.deadline.signal);
  return listResult(options.shard === undefined ? page : { ...page, shard: options.shard.text });
}
