/** Nothing is made in a namespace that is missing or going away. */
import type { ApiObject } from "../../core/plugin.ts";
import { forbiddenError, notFoundError } from "../../core/status-error.ts";
import type { Call } from "../call.ts";
import { keyOf } from "../objects.ts";
import { readsOf } from "../reads-of.ts";
import { resourceName } from "../write-pipeline.ts";

/** 404 for a missing namespace, 403 for one that is being terminated. Servers without the Namespace kind ask nothing. */
export async function checkNamespace(call: Call, name: string): Promise<void> {
  if (!call.endpoint.namespaced || call.info.namespace === "") return;
  const { catalog, backend, info } = call;
  const kind = catalog.endpoint("", "v1", "namespaces")?.stored;
  if (kind === undefined) return;
  // The newest there is, but from the cache: what many creates ask at once is asked of the store once.
  const item = await readsOf(backend).get(kind, keyOf(backend.prefix, kind, "", info.namespace), "", call);
  if (item === undefined) throw notFoundError({ group: "", name: "namespaces" }, info.namespace);
  // Decoded only where one of the two words stands anywhere in it.
  if (!item.text.includes("deletionTimestamp") && !item.text.includes("Terminating")) return;
  const namespace: ApiObject & { status?: { phase?: string } } = item.object;
  if (namespace.metadata.deletionTimestamp === undefined && namespace.status?.phase !== "Terminating") return;
  throw forbiddenError(
    resourceName(call),
    name,
    `unable to create new content in namespace ${info.namespace} because it is being terminated`,
    [{ reason: "NamespaceTerminating", message: `namespace ${info.namespace} is being terminated`, field: "metadata.namespace" }],
  );
}
