import { type Answer, listAnswer } from "../answer.ts";
import type { Call } from "../call.ts";
import { keysOf } from "../objects.ts";
import { listOptions } from "../options.ts";
import { listItems } from "../reads.ts";

/** GET of a collection. */
export async function list(call: Call): Promise<Answer> {
  const { backend, endpoint, info, catalog } = call;
  const options = listOptions(info.query, endpoint, catalog.names, {
    watchList: catalog.gates.isOn("WatchList"),
    watchPrefix: false,
  });
  const prefix = keysOf(backend.prefix, endpoint.stored, info.namespace);
  const page = await listItems(backend.store, { endpoint, namespace: info.namespace, prefix }, options, catalog.names, call.signal);
  return listAnswer(page);
}
