/** Maps a resource request to an endpoint and a verb. Paths and errors are upstream's. */
import { hasDeclared } from "../../core/define/declared.ts";
import { badRequestError, methodNotAllowedError, noRouteError, notFoundError, notSupportedError } from "../../core/status-error.ts";
import type { Verb } from "../../core/versions.ts";
import type { Catalog, Endpoint, EndpointSubresource } from "../catalog/catalog.ts";
import { unservedKindError } from "./unserved-kinds.ts";
import type { RequestInfo } from "./request-info.ts";

export interface Route {
  readonly endpoint: Endpoint;
  readonly verb: Verb;
  /** Undefined for the object itself. */
  readonly subresource: EndpointSubresource | undefined;
}

/**
 * Whether a path belongs to the API at all: to the core group, to a group that is served, or to a resource that is served unlisted. Of a
 * group that has custom resources only, to one of them.
 */
export function isApiPath(info: RequestInfo, catalog: Catalog): boolean {
  if (info.path.startsWith("/api/")) return catalog.group("") !== undefined;
  const group = info.path.split("/")[2]!;
  if (!info.path.startsWith("/apis/") || group === "") return false;
  const served = catalog.group(group), endpoint = catalog.endpoint(info.group, info.version, info.resource);
  if (endpoint?.resource.custom === true) return isInScope(endpoint, info);
  return (served !== undefined && hasDeclared(served)) || endpoint !== undefined;
}

/** Whether a custom resource has paths of this scope: one in namespaces is only listed and watched over all of them. An empty namespace is none. */
function isInScope({ namespaced }: Endpoint, { namespace, verb }: RequestInfo): boolean {
  return namespaced ? namespace !== "" || verb === "list" || verb === "watch" : namespace === "";
}

/** The route of a resource request. Throws 404 for a path without an endpoint and 405 for a method that the path does not support. */
export function route(
  info: RequestInfo,
  method: string,
  catalog: Catalog,
  endpoint: Endpoint | undefined = catalog.endpoint(info.group, info.version, info.resource),
): Route {
  if (endpoint === undefined) throw unservedKindError(info, catalog) ?? noRouteError();
  if (endpoint.resource.custom === true) return customRoute(endpoint, info);
  if (info.verb === "proxy") throw noRouteError();
  const [, name = "", subresourceName = "", ...more] = info.parts;
  const { connect } = endpoint.subresources.get(subresourceName)?.definition ?? {};
  if (more.length > 0 && connect?.hasPath !== true) throw noRouteError();
  const { handleCreate, compute } = endpoint.resource;
  // Kinds that are only created have no object paths, and no list over all namespaces.
  if (handleCreate !== undefined && (name !== "" || info.watchPrefix || (endpoint.namespaced && !info.inNamespace))) throw noRouteError();
  // Only a list or watch over all namespaces may omit the namespace; a cluster-scoped resource never has one.
  if (endpoint.namespaced ? !info.inNamespace && name !== "" : info.inNamespace) throw noRouteError();
  const subresource = subresourceName === "" ? undefined : endpoint.subresources.get(subresourceName);
  if (subresourceName !== "" && (subresource === undefined || info.watchPrefix)) throw noRouteError();
  if (connect !== undefined && name !== "" && connect.methods.includes(method)) return { endpoint, verb: "get", subresource };
  if (compute !== undefined && info.watchPrefix) throw noRouteError();
  const verb = connect === undefined ? verbOf(info, method, name, subresource !== undefined, compute !== undefined) : undefined;
  if (verb === undefined || !(subresource ?? endpoint).verbs.includes(verb)) {
    throw methodNotAllowedError(endpoint.resource.strategy?.withoutReason);
  }
  if (endpoint.namespaced && info.namespace === "" && verb !== "list" && verb !== "watch") {
    if (!info.inNamespace) throw methodNotAllowedError();
    // Other verbs continue: upstream reports their other errors before the missing namespace.
    if (verb === "deletecollection") throw badRequestError("Namespace parameter required.");
  }
  return { endpoint, verb, subresource };
}

/**
 * The route of a request for a custom resource. Upstream's handler of them uses the verb of the request info, where routes of built-in kinds use
 * the method: HEAD reads, POST creates with a name in the path, and paths below /watch/ are watched by all methods. Segments below a subresource
 * are ignored. Throws 404 for an unknown subresource and 405 for a verb that the path does not support.
 */
function customRoute(endpoint: Endpoint, info: RequestInfo): Route {
  if (!isInScope(endpoint, info)) throw noRouteError();
  const resource = { group: endpoint.group, name: endpoint.plural };
  const subresource = info.subresource === "" ? undefined : endpoint.subresources.get(info.subresource);
  if (info.subresource !== "" && subresource === undefined) throw notFoundError(resource, info.name);
  const supported: readonly Verb[] = (subresource ?? endpoint).verbs;
  const verb = supported.find((each) => each === info.verb);
  if (verb === undefined) throw notSupportedError(resource, info.verb);
  return { endpoint, verb, subresource };
}

function verbOf(info: RequestInfo, method: string, name: string, isSubresource: boolean, isComputed: boolean): Verb | undefined {
  if (info.watchPrefix) return method === "GET" ? "watch" : undefined;
  if (name === "") {
    if (method === "GET") return info.verb === "watch" && !isComputed ? "watch" : "list"; // the list refuses to be watched
    if (method === "POST") return "create";
    return method === "DELETE" ? "deletecollection" : undefined;
  }
  if (method === "GET") return "get";
  if (method === "POST" && isSubresource) return "create";
  if (method === "DELETE" && !isSubresource) return "delete";
  return method === "PUT" ? "update" : method === "PATCH" ? "patch" : undefined;
}
