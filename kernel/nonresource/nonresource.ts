/** Non-resource paths: one table of exact paths, and three prefixes. */
import { type Checks, type Endpoint, report, reportOne } from "../../health/mod.ts";
import { VersionInfo } from "../../core/meta/version-info.ts";
import { noRouteError } from "../../core/status-error.ts";
import { typedReply } from "../respond/answer.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkRoute, type DiscoveryReplies, discoveryReply } from "./discovery/reply.ts";
import type { Exchange, Reply } from "../request/exchange.ts";
import { notFoundText, textReply } from "../respond/text.ts";
import type { OpenapiDocuments } from "./openapi/documents.ts";
import { openapiReply } from "./openapi/reply.ts";
import { type MayGet, type StatusPage, wantsPage } from "./status-page.ts";
import { type RequestInfo, trimSlashes } from "../request/request-info.ts";
import { indentedText } from "../../core/value-text.ts";

/** What the replies at non-resource paths depend on. */
export interface Outside {
  readonly checks: Checks;
  readonly version: VersionInfo;
  /** The replies about the process: /metrics, documents for tokens, what gates switch on; undefined for other paths. */
  process(exchange: Exchange, info: RequestInfo, catalog: Catalog): Promise<Reply | undefined>;
  /** The paths of these. */
  processPaths(catalog: Catalog): readonly string[];
  /** The discovery documents of all groups, which are made once. */
  readonly discovery: DiscoveryReplies;
  /** The page for browsers. */
  readonly page: StatusPage;
  now(): number;
  /** Returns the OpenAPI documents of this server with those of others. Absent without such servers. */
  openapi?(own: OpenapiDocuments): OpenapiDocuments;
  /** Called with the error of an OpenAPI document, and the name of the version that it leaves out. */
  undescribed(error: unknown, name: string): void;
  /** Called with the result of each check that was run. */
  checked(endpoint: Endpoint, name: string, passed: boolean): void;
  /** Called with the reasons of failed checks; replies contain the names only. */
  unhealthy(endpoint: Endpoint, failures: readonly { readonly name: string; readonly reason: string }[]): void;
}

/** Timeout of one health check in milliseconds. */
const checkMs = 2_000;
const endpoints: readonly Endpoint[] = ["livez", "readyz", "healthz"];

export async function nonresourceReply(
  exchange: Exchange,
  info: RequestInfo,
  catalog: Catalog,
  mayGet: MayGet,
  outside: Outside,
): Promise<Reply> {
  const { path } = info;
  if (wantsPage(exchange, info)) return outside.page(info, catalog, outside.checks, mayGet);
  if (path === "/" || path === "/index.html") return rootReply(catalog, outside);
  if (path === "/version" || path.startsWith("/version/")) return versionReply(exchange, path, catalog, outside.version);
  const endpoint = endpoints.find((each) => path === `/${each}` || path.startsWith(`/${each}/`));
  if (endpoint !== undefined) return await healthReply(endpoint, info, outside);
  if (path === "/api" || path === "/apis" || path.startsWith("/api/") || path.startsWith("/apis/")) {
    return await discoveryReply(exchange, info, catalog, outside.discovery) ?? notFoundText();
  }
  if (path.startsWith("/openapi/")) return await openapiReply(exchange, info, catalog, outside) ?? notFoundText();
  return await outside.process(exchange, info, catalog) ?? notFoundText();
}

async function healthReply(endpoint: Endpoint, { path, query }: RequestInfo, outside: Outside): Promise<Reply> {
  if (path === `/${endpoint}`) {
    const observe = (name: string, passed: boolean) => outside.checked(endpoint, name, passed);
    const result = await report(
      endpoint,
      outside.checks,
      { verbose: query.has("verbose"), exclude: query.all("exclude"), observe },
      checkMs,
    );
    if (result.failures.length > 0) outside.unhealthy(endpoint, result.failures);
    return textReply(result.status, result.text);
  }
  const result = await reportOne(endpoint, outside.checks, path.slice(endpoint.length + 2), checkMs);
  if (result === undefined) return notFoundText();
  if (result.failures.length > 0) {
    outside.unhealthy(endpoint, result.failures);
    return textReply(result.status, result.text);
  }
  // As upstream, the path of a single check has no nosniff header while the check succeeds.
  return { status: result.status, headers: { "content-type": "text/plain; charset=utf-8" }, body: result.text };
}

/** Ignores trailing slashes; paths below are a Status 404. Always indented JSON. */
function versionReply(exchange: Exchange, path: string, catalog: Catalog, version: VersionInfo): Reply {
  if (trimSlashes(path) !== "version") throw noRouteError();
  checkRoute(exchange, ["application/json"]);
  const output = { encoding: "json", transform: { as: "object" } } as const;
  return typedReply({ output, pretty: true, catalog }, 200, VersionInfo, version);
}

/** The paths in the index at `/`. */
function rootReply(catalog: Catalog, { checks, processPaths }: Outside): Reply {
  const groups = catalog.groups.filter(({ name }) => name !== "");
  const paths = [
    ...(catalog.group("") === undefined ? [] : ["/api", ...catalog.group("")!.versions.map(({ version }) => `/api/${version}`)]),
    "/apis",
    "/apis/",
    ...groups.flatMap(({ name, versions }) => [`/apis/${name}`, ...versions.map(({ apiVersion }) => `/apis/${apiVersion}`)]),
    ...endpoints.flatMap((endpoint) => [`/${endpoint}`, ...checks[endpoint].map(({ name }) => `/${endpoint}/${name}`)]),
    ...processPaths(catalog),
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/version",
  ].toSorted();
  return { status: 200, headers: { "content-type": "application/json" }, body: indentedText({ paths }) };
}
