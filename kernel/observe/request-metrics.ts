/** The labels and counts of requests, by kube-apiserver's rules; free text of clients never becomes a label. */
import { applyMediaType } from "../../core/codec/negotiate.ts";
import type { Catalog, Endpoint } from "../catalog/catalog.ts";
import type { RequestRecord } from "./metrics.ts";
import { isTrue, type RequestInfo } from "../request/request-info.ts";

export type MetricScope = "" | "cluster" | "namespace" | "resource";
export type MetricVerb = "APPLY" | "CONNECT" | "DELETE" | "GET" | "LIST" | "PATCH" | "POST" | "PUT" | "WATCH" | "other";

const connects = new Set(["attach", "exec", "log", "portforward", "proxy"]);
/** Non-resource paths with their own series. */
const nonresourcePaths = new Set(["/healthz", "/livez", "/metrics", "/readyz", "/version"]);

/** `resource` for one object (also for its creation), `namespace`, `cluster`; "" for non-resource paths. */
export function metricScope(info: Pick<RequestInfo, "isResourceRequest" | "name" | "namespace" | "verb">): MetricScope {
  if (info.name !== "" || info.verb === "create") return "resource";
  if (info.namespace !== "") return "namespace";
  return info.isResourceRequest ? "cluster" : "";
}

/**
 * The `verb` label: the method, but LIST and WATCH instead of GET, and APPLY instead of PATCH with the content type of apply. The deletion
 * of a collection is DELETE; an unknown method is `other`.
 */
export function metricVerb(method: string, info: RequestInfo, contentType = ""): MetricVerb {
  const upper = method.toUpperCase();
  if (upper === "GET" && (info.watchPrefix || isTrue(info.query, "watch"))) return "WATCH";
  if (info.isResourceRequest && connects.has(info.subresource)) return "CONNECT";
  switch (upper) {
    case "GET":
    case "HEAD": {
      const scope = metricScope(info);
      return scope === "namespace" || scope === "cluster" ? "LIST" : "GET";
    }
    case "PATCH":
      return contentType === applyMediaType ? "APPLY" : "PATCH";
    case "DELETE":
    case "POST":
    case "PUT":
      return upper;
    default:
      return "other";
  }
}

/** The `dry_run` label: "", "All", or "invalid" for every other value. */
export function metricDryRun(values: readonly string[]): "" | "All" | "invalid" {
  if (values.length === 0) return "";
  return values.every((value) => value === "All") ? "All" : "invalid";
}

export interface RequestLabels {
  readonly component: string;
  readonly dry_run: string;
  readonly group: string;
  readonly resource: string;
  readonly scope: MetricScope;
  readonly subresource: string;
  readonly verb: MetricVerb;
  readonly version: string;
}

/** The labels of a request. A resource that is not served has no name, so that clients cannot create series. */
export function requestLabels(method: string, info: RequestInfo, contentType: string | undefined, catalog: Catalog): RequestLabels {
  const verb = metricVerb(method, info, contentType), scope = metricScope(info);
  const plain = { dry_run: "", group: "", resource: "", version: "", scope, verb };
  if (!info.isResourceRequest) return { ...plain, component: "", subresource: nonresourcePaths.has(info.path) ? info.path : "" };
  const endpoint = catalog.endpoint(info.group, info.version, info.resource);
  if (endpoint === undefined) return { ...plain, component: "apiserver", subresource: "" };
  return endpointLabels(endpoint, {
    scope,
    verb,
    dry_run: metricDryRun(info.query.all("dryRun")),
    subresource: endpoint.subresources.has(info.subresource) ? info.subresource : "",
  });
}

/** Label objects by endpoint and verb. They are constants: a table of the module serves all servers of a process. */
const labelsOf = new WeakMap<Endpoint, Map<string, RequestLabels[]>>();

/** Returns the same object for the same labels, so that metrics find their series without a lookup by text. */
function endpointLabels(endpoint: Endpoint, own: Pick<RequestLabels, "dry_run" | "scope" | "subresource" | "verb">): RequestLabels {
  const all = labelsOf.get(endpoint) ?? new Map<string, RequestLabels[]>(), ofVerb = all.get(own.verb) ?? [];
  const known = ofVerb.find(({ scope, dry_run, subresource }) =>
    scope === own.scope && dry_run === own.dry_run && subresource === own.subresource
  );
  if (known !== undefined) return known;
  const { group, version, plural: resource } = endpoint;
  const made = Object.freeze<RequestLabels>({ component: "apiserver", group, version, resource, ...own });
  labelsOf.set(endpoint, all.set(own.verb, [...ofVerb, made]));
  return made;
}

const labelsWithCode = new WeakMap<RequestLabels, Map<number, RequestLabels & { readonly code: string }>>();

/** Returns the same object for the same labels and code, cached by the labels object. */
function withCode(labels: RequestLabels, code: number): RequestLabels & { readonly code: string } {
  const all = labelsWithCode.get(labels) ?? new Map<number, RequestLabels & { readonly code: string }>();
  labelsWithCode.set(labels, all);
  const known = all.get(code) ?? Object.freeze({ ...labels, code: String(code) });
  all.set(code, known);
  return known;
}

export interface Answered {
  /** HTTP status. */
  readonly code: number;
  /** Seconds from arrival to the last byte. */
  readonly seconds: number;
  /** The part of `seconds` spent in webhooks and queues. Default 0. */
  readonly waitedSeconds?: number;
  /** Bytes of the body as sent. */
  readonly bytes: number;
}

/** Counts one completed request. */
export function recordRequest(record: RequestRecord, labels: RequestLabels, answered: Answered): void {
  record.requests.with(withCode(labels, answered.code)).add();
  record.requestSeconds.with(labels).observe(answered.seconds);
  if (labels.dry_run === "") record.requestSliSeconds.with(labels).observe(Math.max(0, answered.seconds - (answered.waitedSeconds ?? 0)));
  if (labels.verb === "GET" || labels.verb === "LIST") record.responseBytes.with(labels).observe(answered.bytes);
}
