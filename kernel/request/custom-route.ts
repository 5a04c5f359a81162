/**
 * Routes of custom resources. Upstream's handler of them uses the verb of the request info, where routes of built-in kinds use the method: HEAD
 * reads, POST creates with a name in the path, and paths below /watch/ are watched by all methods. Segments below a subresource are ignored.
 */
import { noRouteError, notFoundError, notSupportedError } from "../../core/status-error.ts";
import type { Verb } from "../../core/versions.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { RequestInfo } from "./request-info.ts";
import type { Route } from "./route.ts";

/** Whether a custom resource has paths of this scope: one in namespaces is only listed and watched over all of them. An empty namespace is none. */
export function isInScope({ namespaced }: Endpoint, { namespace, verb }: RequestInfo): boolean {
  return namespaced ? namespace !== "" || verb === "list" || verb === "watch" : namespace === "";
}

/** The route of a request for a custom resource. Throws 404 for an unknown subresource and 405 for a verb that the path does not support. */
export function customRoute(endpoint: Endpoint, info: RequestInfo): Route {
  if (!isInScope(endpoint, info)) throw noRouteError();
  const resource = { group: endpoint.group, name: endpoint.plural };
  const subresource = info.subresource === "" ? undefined : endpoint.subresources.get(info.subresource);
  if (info.subresource !== "" && subresource === undefined) throw notFoundError(resource, info.name);
  const supported: readonly Verb[] = (subresource ?? endpoint).verbs;
  const verb = supported.find((each) => each === info.verb);
  if (verb === undefined) throw notSupportedError(resource, info.verb);
  return { endpoint, verb, subresource };
}
