/**
 * Parses URL and method once, for authorization, metrics, routing and verbs. Paths without an endpoint have request info, too.
 * Source: kube-apiserver's RequestInfoFactory.
 */
import { readInt64 } from "./int64.ts";
import { percentDecodeBytes } from "../../core/net/percent.ts";
import { parseQuery, type Query } from "../../core/net/query.ts";

export interface RequestInfo {
  /** False for /version, /livez and everything else outside /api and /apis. */
  readonly isResourceRequest: boolean;
  /** Decoded path. */
  readonly path: string;
  readonly query: Query;
  /** For resources: get, list, watch, create, update, patch, delete, deletecollection, proxy, or "" for other methods. For other paths: the
   *  method in lower case. */
  readonly verb: string;
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on, as routing matches them. */
  readonly parts: readonly string[];
  /** Whether the path has a namespace for its resource (which may be empty). */
  readonly inNamespace: boolean;
  /** Whether the path is below the deprecated /watch/ prefix. */
  readonly watchPrefix: boolean;
  /** Whether the path ends after /watch or /proxy, without a resource. */
  readonly cutShort: boolean;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
/** Subresources of a namespace, as opposed to resources in it. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** The request info of a method and an undecoded URL; undefined if the URL has malformed escapes (answered with 400). */
export function requestInfo(method: string, url: string): RequestInfo | undefined {
  const mark = url.indexOf("?");
  const path = percentDecodeBytes(mark < 0 ? url : url.slice(0, mark));
  if (path === undefined) return undefined;
  const query = parseQuery(mark < 0 ? "" : url.slice(mark + 1));
  const segments = segmentsOf(trimSlashes(path));
  const prefix = segments[0]!;
  if (prefix !== "api" && prefix !== "apis") return outside(method, path, query, "", false);
  const head = prefix === "api" ? 2 : 3;
  // `/api/v1` and `/apis/g/v` are discovery.
  if (segments.length <= head) return outside(method, path, query, prefix, false);
  let verb = Object.hasOwn(verbs, method) ? verbs[method]! : "";
  // The first segment of the resource.
  let from = head;
  const special = segments[head]!;
  if (special === "watch" || special === "proxy") {
    if (segments.length === head + 1) return outside(method, path, query, prefix, true);
    verb = special;
    from++;
  }
  let namespace = "", inNamespace = false;
  if (segments[from] === "namespaces" && segments.length > from + 1) {
    namespace = segments[from + 1]!;
    const next = segments[from + 2];
    if (next !== undefined && !namespaceSubresources.has(next)) {
      from += 2;
      inNamespace = true;
    }
  }
  const parts = segments.slice(from), resource = parts[0] ?? "", name = parts[1] ?? "";
  const subresource = verb === "proxy" ? "" : parts[2] ?? "";
  let named = name;
  if (verb === "get" && name === "") {
    verb = isTrue(query, "watch") ? "watch" : "list";
    named = nameSelected(query);
  } else if (verb === "delete" && name === "") verb = "deletecollection";
  return {
    isResourceRequest: true,
    path,
    query,
    verb,
    prefix,
    group: prefix === "api" ? "" : segments[1]!,
    version: segments[head - 1]!,
    namespace,
    resource,
    subresource,
    name: named,
    parts,
    inNamespace,
    watchPrefix: special === "watch",
    cutShort: false,
  };
}

/** The request info of a path without a resource. */
function outside(method: string, path: string, query: Query, prefix: string, cutShort: boolean): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    query,
    verb: method.toLowerCase(),
    prefix,
    group: "",
    version: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    parts: noParts,
    inNamespace: false,
    watchPrefix: false,
    cutShort,
  };
}
const noParts: readonly string[] = Object.freeze([]);

const lastingSubresources = new Set(["attach", "exec", "log", "portforward", "proxy"]);
/** Whether the request may last for any time: neither the request timeout nor the bounds on requests in flight apply. */
export function isLasting(
  { isResourceRequest, verb, subresource }: Pick<RequestInfo, "isResourceRequest" | "verb" | "subresource">,
): boolean {
  return isResourceRequest && (verb === "watch" || verb === "proxy" || lastingSubresources.has(subresource));
}

/** As `split("/")`, which V8 runs outside of optimized code. */
function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  let from = 0;
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", from)) {
    segments.push(path.slice(from, slash));
    from = slash + 1;
  }
  segments.push(path.slice(from));
  return segments;
}

/** Removes the slashes at both ends. */
export function trimSlashes(path: string): string {
  let from = 0, to = path.length;
  while (from < to && path[from] === "/") from++;
  while (to > from && path[to - 1] === "/") to--;
  return path.slice(from, to);
}

/** Whether a boolean parameter is true: present, and neither `false` nor `0`. An empty one is true. */
export function isTrue(query: Query, key: string): boolean {
  if (!query.has(key)) return false;
  const value = query.first(key).toLowerCase();
  return value !== "0" && value !== "false";
}

/**
 * The name in `fieldSelector=metadata.name=x`, for which a list or watch is authorized; "" if there is none, and where another option of
 * the list cannot be read, as upstream: such a request is then about all objects, and is refused with 400 if that is allowed.
 */
function nameSelected(query: Query): string {
  if (query.first("fieldSelector") === "") return "";
  const selector = query.fieldSelector;
  if (!selector.ok) return "";
  const exact = selector.requirements.find((each) => each.field === "metadata.name" && each.operator === "=");
  if (exact === undefined || /[/%]/.test(exact.value) || exact.value === "." || exact.value === "..") return "";
  const areRead = integerOptions.every((key) => !query.has(key) || typeof readInt64(query.first(key)) === "bigint");
  return areRead && query.labelSelector.ok ? exact.value : "";
}
const integerOptions = Object.freeze(["limit", "timeoutSeconds"]);
