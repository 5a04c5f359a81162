/** Rejects creation in a namespace that is absent or being deleted. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { pathSegmentName } from "../../core/meta/names.ts";
import { forbiddenError, internalError, notFoundError } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { type Item, keyOf } from "../objects/objects.ts";
import { type RequestContext, resourceName } from "../request-context.ts";
import { makeNamespace } from "./make-namespace.ts";

/**
 * Throws 404 for an absent namespace, 403 for one that is being terminated and 500 for an invalid name. A server without the Namespace kind
 * checks nothing, and reviews may be in any namespace. If a step makes namespaces, an absent one is created.
 */
export async function checkNamespace(call: RequestContext, name: string): Promise<void> {
  const { catalog, backend, info } = call;
  const { resource } = call.endpoint, checks = catalog.checksNamespaces && resource.handleCreate === undefined;
  const makes = catalog.admission(resource).some(({ makesNamespaces }) => makesNamespaces === true);
  if ((!checks && !makes) || !call.endpoint.namespaced || info.namespace === "") return;
  const kind = catalog.endpoint("", "v1", "namespaces")?.stored;
  if (kind === undefined) return;
  const wrong = pathSegmentName(info.namespace, false);
  if (wrong.length > 0) throw internalError(`invalid resource name ${goQuote(info.namespace)}: [${wrong.join(" ")}]`);
  // The namespace is read from memory if possible, as upstream's informer does. Writes of this server are visible at once. A state that
  // would reject the create is read again from the store.
  const { item, renew } = await backend.reads.live(kind, keyOf(backend.prefix, kind, "", info.namespace), call.deadline);
  if (item !== undefined && !isTerminating(item)) return;
  const newest = renew === undefined ? item : await renew();
  if (newest === undefined && makes && info.query.first("dryRun") === "") return await makeNamespace(call, name);
  if (!checks) return;
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
  // The namespace is decoded only if its text contains one of the two words.
  if (!item.text.includes("deletionTimestamp") && !item.text.includes("Terminating")) return false;
  const namespace: ApiObject & { status?: { phase?: string } } = item.object;
  return namespace.metadata.deletionTimestamp !== undefined || namespace.status?.phase === "Terminating";
}
