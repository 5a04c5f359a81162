/** Nothing is made in a namespace that is missing or going away. */
import type { ApiObject } from "../../core/plugin.ts";
import { forbiddenError, notFoundError } from "../../core/status-error.ts";
import type { Call } from "../call.ts";
import { Item, keyOf } from "../objects.ts";
import { resourceName } from "../write-pipeline.ts";

/** 404 for a missing namespace, 403 for one that is being terminated. Servers without the Namespace kind ask nothing. */
export async function checkNamespace(call: Call, name: string): Promise<void> {
  if (!call.endpoint.namespaced) return;
  const { catalog, backend, info } = call;
  const kind = catalog.endpoint("", "v1", "namespaces")?.stored;
  if (kind === undefined) return;
  const { entry } = await backend.store.get(keyOf(backend.prefix, kind, "", info.namespace), call.signal);
  if (entry === undefined) throw notFoundError({ group: "", name: "namespaces" }, info.namespace);
  const namespace: ApiObject & { status?: { phase?: string } } = new Item(kind, entry).object;
  if (namespace.metadata.deletionTimestamp === undefined && namespace.status?.phase !== "Terminating") return;
  throw forbiddenError(
    resourceName(call),
    name,
    `unable to create new content in namespace ${info.namespace} because it is being terminated`,
    [{ reason: "NamespaceTerminating", message: `namespace ${info.namespace} is being terminated`, field: "metadata.namespace" }],
  );
}
