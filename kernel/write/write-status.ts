/** Writes of a status by the server itself, for admission steps such as quotas. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { conflictError, notFoundError } from "../../core/status-error.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { Item, keyOf, storedBytes } from "../objects/objects.ts";
import type { Exchange } from "../request/exchange.ts";
import { requestInfo } from "../request/request-info.ts";
import { Warnings } from "../request/warnings.ts";
import type { RequestContext } from "../request-context.ts";
import { commit } from "./commit.ts";
import { recordOwners } from "./field-managers.ts";
import { toUpdate } from "./write-pipeline.ts";

const loopback = { name: "system:apiserver", uid: "", groups: ["system:authenticated", "system:masters"], extra: {} };
const manager = "kube-apiserver";
const modifiedText = "the object has been modified; please apply your changes to the latest version and try again";

/**
 * One attempt to write the status of `object`: the same steps as for a PUT of the status, except authorization and audit. Rejects with Conflict
 * unless its resourceVersion is the newest.
 */
export async function writeStatus(call: RequestContext, endpoint: Endpoint, object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
  const { backend, catalog } = call;
  const { name = "", namespace = "", resourceVersion } = object.metadata;
  const { stored, group, plural } = endpoint, key = keyOf(backend.prefix, stored, namespace, name);
  const revisionOf = (item: Item | undefined) => String(item?.revision ?? "");
  const { item, renew } = await backend.reads.live(stored, key, { signal });
  // The state in memory may be older than the state that the caller has read.
  const current = revisionOf(item) === resourceVersion || renew === undefined ? item : await renew();
  if (current === undefined) throw notFoundError({ group, name: plural }, name);
  const lost = () => conflictError({ group, name: plural }, name, modifiedText);
  if (revisionOf(current) !== resourceVersion) throw lost();
  const within = namespace === "" ? "" : `/namespaces/${namespace}`;
  const own = ownCall(call, endpoint, "PUT", `${within}/${plural}/${name}/status`, signal);
  const owned = await recordOwners(own, object, endpoint.fromStored(current.object));
  const next = await toUpdate(own, owned, current.object, false);
  const value = storedBytes(stored, next, catalog.storedAs);
  const outcome = await commit(own, { key, expect: current.revision, value });
  if (!outcome.done) throw lost();
  return endpoint.fromStored(Item.committed(stored, key, value, outcome, next).object);
}

const noBytes = new Uint8Array();

/** Makes the context of a request that the server itself sends. `path` is below the group version, and consists of names that are valid. */
export function ownCall(call: RequestContext, endpoint: Endpoint, method: string, path: string, signal: AbortSignal): RequestContext {
  const { group, apiVersion } = endpoint, url = `${group === "" ? "/api" : "/apis"}/${apiVersion}${path}?fieldManager=${manager}`;
  const exchange: Exchange = {
    method,
    url,
    headers: { "user-agent": manager },
    body: () => noBytes,
    peer: undefined,
    remote: "local",
    protocol: "HTTP/1.1",
    watchScope: "everything",
    signal,
  };
  const info = requestInfo(method, url)!; // the path is one of the API
  return {
    ...call,
    exchange,
    body: noBytes,
    info,
    user: loopback,
    endpoint,
    subresource: endpoint.subresources.get(info.subresource),
    warnings: new Warnings(),
    step() {},
    audit: undefined,
    deadline: { signal },
    heavy: undefined,
  };
}
