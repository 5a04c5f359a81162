/** Creates the namespace of a new object, for admission steps such as NamespaceAutoProvision. */
import { admissionCallMs } from "../../core/access.ts";
import { forbiddenError, StatusError } from "../../core/status-error.ts";
import { TreeObject } from "../../core/tree/tree.ts";
import { keyOf, storedBytes } from "../objects/objects.ts";
import { type RequestContext, resourceName } from "../request-context.ts";
import { servedEndpoint } from "./admission-server.ts";
import { commit } from "./commit.ts";
import { recordOwners } from "./field-managers.ts";
import { toCreate } from "./write-pipeline.ts";
import { ownCall } from "./write-status.ts";

/** Creates the namespace of the request as the server itself, unless it exists. Throws 403 if it is rejected; `name` is that of the new object. */
export async function makeNamespace(call: RequestContext, name: string): Promise<void> {
  const endpoint = servedEndpoint(call.catalog, "v1", "namespaces")!; // the caller has looked for it
  const { kind, apiVersion, stored } = endpoint, { namespace } = call.info;
  const own = ownCall(call, endpoint, "POST", "/namespaces", AbortSignal.timeout(admissionCallMs));
  const empty = endpoint.decode(new TreeObject(), { reader: "json", findings: [] });
  const object = endpoint.applyDefaults({ ...empty, kind, apiVersion, metadata: { name: namespace } });
  try {
    const next = await toCreate(own, await recordOwners(own, object, undefined));
    const value = storedBytes(stored, next, call.catalog.storedAs);
    await commit(own, { key: keyOf(call.backend.prefix, stored, "", namespace), expect: "absent", value });
  } catch (error) {
    if (error instanceof StatusError) throw forbiddenError(resourceName(call), name, error.message);
    throw error;
  }
}
