/** `/api`, `/apis` and what is below them down to the lists of resources. Served from memory, whatever the store does. */
import { parseAccept } from "../../core/codec/accept.ts";
import { checkProduced, type Encoding, mediaType, negotiate, wantsPretty } from "../../core/codec/negotiate.ts";
import { APIGroupDiscoveryList } from "../../core/meta/discovery.ts";
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from "../../core/meta/options.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { methodNotAllowedError, noRouteError } from "../../core/status-error.ts";
import { typedReply } from "../answer.ts";
import { header } from "../call.ts";
import type { Catalog } from "../catalog.ts";
import type { Exchange, Reply } from "../exchange.ts";
import { aggregated, apiGroup, apiGroupList, apiResourceList, apiVersions } from "./documents.ts";

/** The answer to a discovery path; undefined for a path outside of every group (a text 404). */
export async function discoveryReply(exchange: Exchange, path: string, catalog: Catalog): Promise<Reply | undefined> {
  const [, prefix, ...rest] = path.replace(/\/$/, "").split("/");
  const core = prefix === "api";
  if (rest.length === 0) {
    if (core && exchange.method !== "GET") throw methodNotAllowedError();
    const encoding = wantsAggregated(exchange, catalog);
    if (encoding !== undefined) return await aggregatedReply(exchange, catalog, core, encoding);
    return core
      ? documentReply(exchange, catalog, APIVersions, apiVersions(catalog, header(exchange, "host") || header(exchange, ":authority")))
      : documentReply(exchange, catalog, APIGroupList, apiGroupList(catalog));
  }
  const group = catalog.group(core ? "" : rest[0]!);
  if (group === undefined) return core ? refuse() : undefined;
  const [version, ...more] = core ? rest : rest.slice(1);
  if (version === undefined) return documentReply(exchange, catalog, APIGroup, apiGroup(group));
  const found = catalog.version(group.name, version);
  if (found === undefined || more.length > 0) return refuse();
  if (exchange.method !== "GET") throw methodNotAllowedError();
  checkProduced(header(exchange, "accept"), catalog.media.types);
  return documentReply(exchange, catalog, APIResourceList, await apiResourceList(found, catalog));
}

function refuse(): never {
  throw noRouteError();
}

function documentReply<T extends object>(exchange: Exchange, catalog: Catalog, schema: Typed<T, StructNode>, body: T): Reply {
  const output = negotiate(header(exchange, "accept"), catalog.media, "none");
  return typedReply({ output, pretty: wantsPretty("", header(exchange, "user-agent")), catalog }, 200, schema, body);
}

/** The encoding in which the client takes the aggregated document before any other, undefined when it does not. */
function wantsAggregated(exchange: Exchange, catalog: Catalog): Encoding | undefined {
  for (const clause of parseAccept(header(exchange, "accept"))) {
    const encoding = catalog.media.encodings.find((each) => mediaType(each, catalog.names) === `${clause.type}/${clause.subtype}`);
    if (encoding === undefined && clause.type !== "*") continue;
    const value = (name: string) => clause.parameters.find(([each]) => each === name)?.[1];
    if (value("as") === undefined && value("g") === undefined && value("v") === undefined) return undefined;
    if (value("as") === "APIGroupDiscoveryList" && value("g") === `apidiscovery.${catalog.names.domain}` && value("v") === "v2") {
      return encoding ?? "json";
    }
  }
  return undefined;
}

const tags = new WeakMap<Catalog, Map<boolean, string>>();

/** Sent again only to who does not have it; the tag is upstream's: SHA-512 of the JSON in upper-case hexadecimal. */
async function aggregatedReply(exchange: Exchange, catalog: Catalog, core: boolean, encoding: Encoding): Promise<Reply> {
  const body = aggregated(catalog, core);
  const known = tags.get(catalog) ?? new Map<boolean, string>();
  tags.set(catalog, known);
  const etag = known.get(core) ?? `"${await hexDigest(JSON.stringify(body))}"`;
  known.set(core, etag);
  const headers = { vary: "Accept", etag, "cache-control": "public" };
  if (header(exchange, "if-none-match") === etag) return { status: 304, headers, body: "" };
  const output = { encoding, transform: { as: "object" } } as const;
  const reply = typedReply({ output, pretty: false, catalog }, 200, APIGroupDiscoveryList, body);
  const type = `${mediaType(encoding, catalog.names)};g=apidiscovery.${catalog.names.domain};v=v2;as=APIGroupDiscoveryList`;
  return { ...reply, headers: { ...reply.headers, ...headers, "content-type": type } };
}

async function hexDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-512", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
}
