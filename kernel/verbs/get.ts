import { notFoundError } from "../../core/status-error.ts";
import { type Answer, objectAnswer } from "../answer.ts";
import type { Call } from "../call.ts";
import { keyOf } from "../objects.ts";
import { getItem, reached, revisionOf } from "../reads.ts";
import { resourceName } from "../write-pipeline.ts";

/** GET of one object, or of one of its subresources. `watch` in the query means nothing here. */
export async function get(call: Call): Promise<Answer> {
  const { backend, endpoint, info } = call;
  const asked = revisionOf(info.query.first("resourceVersion"), "get");
  const key = keyOf(backend.prefix, endpoint.stored, info.namespace, info.name);
  if (asked !== undefined && asked > 0) await reached(backend.store, asked, key, call.signal);
  const { item } = await getItem(backend.store, endpoint.stored, key, call.signal);
  if (item === undefined) throw notFoundError(resourceName(call), info.name);
  return objectAnswer(200, item);
}
