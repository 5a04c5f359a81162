/**
 * URL and method, parsed once: what authorization, metrics, routing and verbs all go by. Total: a path that leads
 * nowhere has request info too. The rules are kube-apiserver's RequestInfoFactory.
 */
import { parseFieldSelector } from "../../core/selectors/field.ts";
import { parseQuery, percentDecodeBytes, type Query } from "./query.ts";

export interface RequestInfo {
  /** False for /version, /livez and everything else outside /api and /apis. */
  readonly isResourceRequest: boolean;
  /** Decoded path. */
  readonly path: string;
  readonly query: Query;
  /** get, list, watch, create, update, patch, delete, deletecollection, proxy, "" for a method that means nothing to a
   *  resource; the method in lower case outside of resources. */
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
  /** The path names a namespace for its resource (possibly the empty one). */
  readonly inNamespace: boolean;
  /** Below the old /watch/ prefix. */
  readonly watchPrefix: boolean;
  /** The path ends at /watch or /proxy, where a resource should follow. */
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
/** Subresources of a namespace, which are not resources inside of it. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** The request info of a method and a URL as written; undefined where the URL's escapes are broken (answered 400). */
export function requestInfo(method: string, url: string): RequestInfo | undefined {
  const mark = url.indexOf("?");
  const path = percentDecodeBytes(mark < 0 ? url : url.slice(0, mark));
  if (path === undefined) return undefined;
  const query = parseQuery(mark < 0 ? "" : url.slice(mark + 1));
  const plain = {
    path,
    query,
    prefix: "",
    group: "",
    version: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    parts: [] as readonly string[],
    inNamespace: false,
    watchPrefix: false,
    cutShort: false,
  };
  const outside = { ...plain, isResourceRequest: false, verb: method.toLowerCase() };

  const segments = trimSlashes(path).split("/");
  const prefix = segments[0];
  if (prefix !== "api" && prefix !== "apis") return outside;
  const head = prefix === "api" ? 2 : 3;
  if (segments.length <= head) {
    // `/api/v1` and `/apis/g/v` are discovery.
    return { ...outside, prefix };
  }
  const group = prefix === "api" ? "" : segments[1]!;
  const version = segments[head - 1]!;
  let parts = segments.slice(head);
  let verb = Object.hasOwn(verbs, method) ? verbs[method]! : "";
  const [special] = parts;
  if (special === "watch" || special === "proxy") {
    if (parts.length === 1) return { ...outside, prefix, cutShort: true };
    verb = special;
    parts = parts.slice(1);
  }
  let namespace = "", inNamespace = false;
  if (parts[0] === "namespaces") {
    if (parts.length > 1) {
      namespace = parts[1]!;
      if (parts.length > 2 && !namespaceSubresources.has(parts[2]!)) {
        parts = parts.slice(2);
        inNamespace = true;
      }
    }
  }
  const [resource = "", name = "", subresource = ""] = parts;
  let named = name;
  if (verb === "get" && name === "") {
    verb = isTrue(query, "watch") ? "watch" : "list";
    named = nameSelected(query);
  } else if (verb === "delete" && name === "") verb = "deletecollection";
  return {
    ...plain,
    isResourceRequest: true,
    prefix,
    group,
    version,
    verb,
    namespace,
    resource,
    name: named,
    subresource,
    parts,
    inNamespace,
    watchPrefix: special === "watch",
    cutShort: false,
  };
}

/** Without the slashes at both ends. */
export function trimSlashes(path: string): string {
  let from = 0, to = path.length;
  while (from < to && path[from] === "/") from++;
  while (to > from && path[to - 1] === "/") to--;
  return path.slice(from, to);
}

/** A yes-or-no parameter is true unless it says `false` or `0`; also when it is empty. */
export function isTrue(query: Query, key: string): boolean {
  if (!query.has(key)) return false;
  const value = query.first(key).toLowerCase();
  return value !== "0" && value !== "false";
}

/** `fieldSelector=metadata.name=x` names the object that a list or watch is about. */
function nameSelected(query: Query): string {
  const text = query.first("fieldSelector");
  if (text === "") return "";
  const selector = parseFieldSelector(text);
  if (!selector.ok) return "";
  const exact = selector.requirements.find((each) => each.field === "metadata.name" && each.operator === "=");
  return exact === undefined || /[/%]/.test(exact.value) || exact.value === "." || exact.value === ".." ? "" : exact.value;
}
