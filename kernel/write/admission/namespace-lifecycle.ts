/** Nothing is made in a namespace that is missing or going away. */
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { pathSegmentName } from "../../../core/meta/names.ts";
import { forbiddenError, internalError, notFoundError } from "../../../core/status-error.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { type Item, keyOf } from "../../objects/objects.ts";
import { type RequestContext, resourceName } from "../../request-context.ts";

/** 404 for a missing namespace, 403 for one that is being terminated, 500 for a name that no path can hold. Servers without the Namespace kind ask nothing. */
export async function checkNamespace(call: RequestContext, name: string): Promise<void> {
  if (!call.endpoint.namespaced || call.info.namespace === "") return;
  const { catalog, backend, info } = call;
  const kind = catalog.endpoint("", "v1", "namespaces")?.stored;
  if (kind === undefined) return;
  const wrong = pathSegmentName(info.namespace, false);
  if (wrong.length > 0) throw internalError(`invalid resource name ${goQuote(info.namespace)}: [${wrong.join(" ")}]`);
  // From memory where it is there, as upstream takes it from an informer; what this server has written itself counts at once. What would
  // refuse a create is looked at anew.
  const { item, renew } = await backend.reads.live(kind, keyOf(backend.prefix, kind, "", info.namespace), call.deadline);
  if (item !== undefined && !isTerminating(item)) return;
  const newest = renew === undefined ? item : await renew();
  if (newest === undefined) throw notFoundError({ group: "", name: "namespaces" }, info.namespace);
  if (!isTerminating(newest)) return;
  throw forbiddenError(
    resourceName(call),
    name,
    `unable to create new content in namespace ${info.namespace} because it is being terminated`,
    [{ reason: "NamespaceTerminating", message: `namespace ${info.namespace} is being terminated`, field: "metadata.namespace" }],
  );
}

function isTerminating(item: Item): boolean {
  // Decoded only where one of the two words stands anywhere in it.
  if (!item.text.includes("deletionTimestamp") && !item.text.includes("Terminating")) return false;
  const namespace: ApiObject & { status?: { phase?: string } } = item.object;
  return namespace.metadata.deletionTimestamp !== undefined || namespace.status?.phase === "Terminating";
}
