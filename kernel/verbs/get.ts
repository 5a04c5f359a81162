import { badRequestError, notFoundError } from "../../core/status-error.ts";
import { objectResult, type VerbResult } from "../respond/result.ts";
import { computedItem } from "./compute.ts";
import { shownKind } from "./shown-kind.ts";
import { keyOfCall } from "./key-of-call.ts";
import { isTrue } from "../request/request-info.ts";
import { type RequestContext, resourceName } from "../request-context.ts";

/** GET of one object, or of one of its subresources. Ignores `watch` in the query. */
export async function get(call: RequestContext): Promise<VerbResult> {
  const { backend, endpoint, info } = call;
  if (isTrue(info.query, "export")) throw badRequestError("the export parameter, deprecated since v1.14, is no longer supported");
  if (endpoint.resource.compute !== undefined) return objectResult(200, await computedItem(call));
  const key = keyOfCall(call);
  const item = await backend.reads.get(endpoint.stored, key, info.query.first("resourceVersion"), call.deadline);
  if (item === undefined) throw notFoundError(resourceName(call), info.name);
  return shownKind(call).answer(item);
}
