/** `/api`, `/apis` and the documents below them, down to resource lists. Served from memory, without the store. */
import { parseAccept } from "../../../core/codec/accept.ts";
import {
  checkConsumed,
  checkProduced,
  clauseNames,
  isOffered,
  type Media,
  mediaType,
  negotiate,
  type Output,
  prefersPretty,
} from "../../../core/codec/negotiate.ts";
import { APIGroupDiscoveryList } from "../../../core/meta/discovery.ts";
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from "../../../core/meta/options.ts";
import type { StructNode, Typed } from "../../../core/schema.ts";
import { methodNotAllowedError, noRouteError } from "../../../core/status-error.ts";
import { typedReply } from "../../respond/answer.ts";
import { concat } from "../../objects/chunks.ts";
import { type Exchange, header, type Reply } from "../../request/exchange.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { type RequestInfo, trimSlashes } from "../../request/request-info.ts";
import { hasDeclared, isDeclared } from "../../../core/define/declared.ts";
import { aggregatedGroups, apiGroup, apiGroupList, apiResourceList, apiVersions, terminatingNames } from "./documents.ts";
import { valueText } from "../../../core/value-text.ts";

/** The fields of the request info that discovery uses. */
export type DiscoveryPath = Pick<RequestInfo, "path" | "query">;

/**
 * The reply to a discovery path; undefined for a path outside of every group (a text 404). Trailing slashes are ignored except for `/apis`
 * and groups, whose handlers have exact paths: `/apis/` is never aggregated, `/apis//` is not found.
 */
export async function discoveryReply(
  exchange: Exchange,
  info: DiscoveryPath,
  catalog: Catalog,
  replies: DiscoveryReplies,
): Promise<Reply | undefined> {
  const { path } = info;
  const [prefix, ...rest] = trimSlashes(path).split("/");
  const core = prefix === "api";
  const document = <T extends object>(schema: Typed<T, StructNode>, body: T, media = catalog.earlyMedia) =>
    documentReply(exchange, info, catalog, media, schema, body);
  if (rest.length === 0) {
    if (core) checkRoute(exchange, catalog.earlyMedia.types);
    else if (path !== "/apis" && path !== "/apis/") return undefined;
    const output = path === "/apis/" ? undefined : wantsAggregated(exchange, catalog);
    if (output !== undefined) return await aggregatedReply(exchange, info, catalog, core, output, replies);
    if (!core) return groupListReply(exchange, info, catalog, replies);
    return document(APIVersions, apiVersions(catalog, header(exchange, "host") || header(exchange, ":authority")));
  }
  if (!core && rest[0] === "") return undefined;
  const group = catalog.group(core ? "" : rest[0]!);
  if (group === undefined) return core ? refuse() : undefined;
  const [version, ...more] = core ? rest : rest.slice(1);
  if (version === undefined) {
    if (path.endsWith("//")) checkRoute(exchange, catalog.earlyMedia.types);
    return document(APIGroup, apiGroup(group));
  }
  const found = catalog.version(group.name, version);
  if (found === undefined || more.length > 0) return hasDeclared(group) ? refuse() : undefined;
  // Upstream's handler of custom resources sends it for all methods.
  if (isDeclared(found)) checkRoute(exchange, catalog.media.types);
  return document(APIResourceList, await apiResourceList(found, catalog), catalog.media);
}

function refuse(): never {
  throw noRouteError();
}

/** The router's checks of a GET-only path: 405, then 415, then 406. */
export function checkRoute(exchange: Exchange, types: readonly string[]): void {
  if (exchange.method !== "GET") throw methodNotAllowedError();
  checkConsumed(header(exchange, "content-type"), types);
  checkProduced(header(exchange, "accept"), types);
}

function documentReply<T extends object>(
  exchange: Exchange,
  info: DiscoveryPath,
  catalog: Catalog,
  media: Media,
  schema: Typed<T, StructNode>,
  body: T,
): Reply {
  const output = negotiate(header(exchange, "accept"), media, "none");
  return typedReply({ output, pretty: isPretty(exchange, info, output), catalog }, 200, schema, body);
}

function isPretty(exchange: Exchange, { query }: DiscoveryPath, output: Output): boolean {
  return prefersPretty(query.first("pretty"), header(exchange, "user-agent"), output);
}

/** The form of the aggregated document, from the first clause that accepts it; other clauses are skipped. */
function wantsAggregated(exchange: Exchange, { earlyMedia: { encodings, types }, names }: Catalog): Output | undefined {
  for (const clause of parseAccept(header(exchange, "accept"))) {
    const { parameters } = clause;
    if (parameters.get("as") !== "APIGroupDiscoveryList" || parameters.get("v") !== "v2") continue;
    if (parameters.get("g") !== `apidiscovery.${names.domain}`) continue;
    const encoding = encodings.find((each, index) => clauseNames(clause, types[index]!) && isOffered(each, parameters));
    if (encoding === undefined) continue;
    return { encoding, transform: { as: "object" }, ...(parameters.get("pretty") === "1" ? { pretty: true } : {}) };
  }
  return undefined;
}

/** A reply that is kept, with the ETag of its document if it has one. */
interface KeptReply {
  readonly reply: Reply;
  readonly etag?: string;
}
/** What distinguishes the kept replies of one catalog. */
interface KeptForm {
  readonly document: "groups" | "core" | "others";
  readonly encoding: Output["encoding"];
  readonly pretty: boolean;
}

/** The replies of a server that hold all groups of a catalog. */
export class DiscoveryReplies {
  /** By catalog, because requests of the one before a reload may still run. `state`: the definitions that were terminating. */
  readonly #kept = new WeakMap<
    Catalog,
    { readonly state: string; readonly replies: (KeptForm & { readonly made: Promise<KeptReply> })[] }
  >();

  /** The reply of a catalog in a form: made once, then again after a definition has begun to terminate. */
  of(catalog: Catalog, form: KeptForm, make: () => Promise<KeptReply>): Promise<KeptReply> {
    const { document, encoding, pretty } = form, state = terminatingNames(catalog), before = this.#kept.get(catalog);
    const current = before?.state === state ? before : { state, replies: [] };
    if (current !== before) this.#kept.set(catalog, current);
    const { replies } = current;
    const known = replies.find((each) => each.document === document && each.encoding === encoding && each.pretty === pretty);
    if (known !== undefined) return known.made;
    const next = { ...form, made: make() };
    replies.push(next);
    // A failure is not kept.
    next.made.catch(() => replies.splice(replies.indexOf(next), 1));
    return next.made;
  }
}

async function groupListReply(
  exchange: Exchange,
  info: DiscoveryPath,
  catalog: Catalog,
  replies: DiscoveryReplies,
): Promise<Reply> {
  const output = negotiate(header(exchange, "accept"), catalog.earlyMedia, "none"), pretty = isPretty(exchange, info, output);
  const { reply } = await replies.of(catalog, { document: "groups", encoding: output.encoding, pretty }, async () => {
    const made = typedReply({ output, pretty, catalog }, 200, APIGroupList, apiGroupList(catalog));
    return { reply: await inOnePiece(made) };
  });
  return reply;
}

/** Replies 304 if the client has the document. The ETag is upstream's: SHA-512 of the JSON in upper-case hexadecimal. */
async function aggregatedReply(
  exchange: Exchange,
  info: DiscoveryPath,
  catalog: Catalog,
  core: boolean,
  output: Output,
  replies: DiscoveryReplies,
): Promise<Reply> {
  const pretty = isPretty(exchange, info, output), { encoding } = output;
  const { reply, etag } = await replies.of(catalog, { document: core ? "core" : "others", encoding, pretty }, async () => {
    const body = aggregatedGroups(catalog, core);
    const etag = `"${await hexDigest(valueText(body))}"`;
    const made = await inOnePiece(typedReply({ output, pretty, catalog }, 200, APIGroupDiscoveryList, body));
    const type = `${mediaType(output.encoding, catalog.names)};g=apidiscovery.${catalog.names.domain};v=v2;as=APIGroupDiscoveryList`;
    return { reply: { ...made, headers: { ...made.headers, ...headersOf(etag), "content-type": type } }, etag };
  });
  if (etag !== undefined && header(exchange, "if-none-match") === etag) return { status: 304, headers: headersOf(etag), body: "" };
  return reply;
}

function headersOf(etag: string) {
  return { vary: "Accept", etag, "cache-control": "public" };
}

/** The reply with a body that can be sent more than once. */
async function inOnePiece(reply: Reply): Promise<Reply> {
  const { body } = reply;
  if (typeof body === "string") return { ...reply, body: new TextEncoder().encode(body) };
  if (body instanceof Uint8Array) return reply;
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return { ...reply, body: concat(pieces) };
}

async function hexDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-512", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
}
