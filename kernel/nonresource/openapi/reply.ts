/** `/openapi/v2` and `/openapi/v3`: selects the document and its encoding, and evaluates conditions. */
import { parseAccept } from "../../../core/codec/accept.ts";
import { type Exchange, header, type Reply } from "../../request/exchange.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { RequestInfo } from "../../request/request-info.ts";
import { content } from "../../../protocols/http/content.ts";
import { type OpenapiDocument, type OpenapiDocuments, openapiDocuments, type ReportVersion, v3Address } from "./documents.ts";

type Form = "json" | "protobuf";
type Headers = Readonly<Record<string, string>>;

/** A v3 document at a URL with its hash never changes: it may be cached for a year. */
const keepMs = 365 * 24 * 60 * 60 * 1000;

/**
 * The reply to a path below /openapi; undefined for unknown paths (a text 404). As in kube-apiserver every method counts as GET.
 */
export async function openapiReply(
  exchange: Exchange,
  info: RequestInfo,
  catalog: Catalog,
  outside: { now(): number; readonly undescribed: ReportVersion; openapi?(own: OpenapiDocuments): OpenapiDocuments },
): Promise<Reply | undefined> {
  const { path } = info, now = outside.now();
  const own = openapiDocuments(catalog, outside.undescribed), documents = outside.openapi?.(own) ?? own;
  if (path === "/openapi/v2") return await v2Reply(exchange, documents, now);
  if (path === "/openapi/v3") {
    const document = await documents.index();
    // JSON with the media type of text: kube-apiserver's aggregator lets Go detect the type, and clients rely on the result. It has no ETag
    // and is as new as its reply.
    const reply = content(exchange, {
      bytes: document.json,
      headers: { "content-type": "text/plain; charset=utf-8" },
      modified: now,
      isVolatile: true,
    });
    return reply.status === 412 ? { ...reply, headers: { "last-modified": reply.headers["last-modified"]! } } : reply;
  }
  if (path.startsWith("/openapi/v3/")) return await v3Reply(exchange, path.slice("/openapi/v3/".length), info, documents, now);
  return undefined;
}

/** Media types of a protobuf document of that OpenAPI version; older clients send the form with an at sign. */
function protobufTypes(version: "v2" | "v3"): readonly [answered: string, asked: string] {
  return [`com.github.proto-openapi.spec.${version}.v1.0+protobuf`, `com.github.proto-openapi.spec.${version}@v1.0+protobuf`];
}

/** The form of the first acceptable clause; "nothing" for a header without clauses, undefined for 406. */
function formOf(accept: string, version: "v2" | "v3", hasProtobuf = true): Form | "nothing" | undefined {
  const clauses = parseAccept(accept === "" ? "*/*" : accept);
  if (clauses.length === 0) return "nothing";
  for (const { type, subtype } of clauses) {
    if (type !== "*" && type !== "application") continue;
    if (subtype === "*" || subtype === "json") return "json";
    if (hasProtobuf && protobufTypes(version).includes(subtype)) return "protobuf";
  }
  return undefined;
}

function headersOf({ hash }: OpenapiDocument, form: Form, version: "v2" | "v3"): Headers & { readonly etag: string } {
  const type = form === "json" ? "application/json" : `application/${protobufTypes(version)[0]}`;
  return { vary: "Accept", "content-type": type, etag: `"${hash}"` };
}
/** Time of a document's first request, in milliseconds since the epoch: its Last-Modified. */
const served = new WeakMap<OpenapiDocument, number>();
function modifiedOf(document: OpenapiDocument, now: number): number {
  const known = served.get(document) ?? now;
  served.set(document, known);
  return known;
}
function bytesOf(document: OpenapiDocument, form: Form): Uint8Array {
  return form === "protobuf" && document.protobuf !== undefined ? document.protobuf() : document.json;
}
const empty = (status: number, headers: Headers = {}): Reply => ({ status, headers, body: "" });
const v2Vary: Headers = { vary: "Accept-Encoding, Accept" };

async function v2Reply(exchange: Exchange, documents: OpenapiDocuments, now: number): Promise<Reply> {
  const form = formOf(header(exchange, "accept"), "v2");
  if (form === undefined || form === "nothing") return empty(406, v2Vary);
  const document = await documents.v2();
  const headers = { ...headersOf(document, form, "v2"), ...v2Vary };
  const gzipped = acceptsGzip(header(exchange, "accept-encoding")) ? await document.gzip(form) : undefined;
  return content(exchange, { bytes: bytesOf(document, form), headers, modified: modifiedOf(document, now), gzipped });
}

function acceptsGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(",").some((clause) => {
    const [coding = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    return coding === "gzip" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

async function v3Reply(
  exchange: Exchange,
  name: string,
  { query }: RequestInfo,
  documents: OpenapiDocuments,
  now: number,
): Promise<Reply> {
  const document = await documents.v3(name);
  if (document === undefined) return { status: 404, headers: {}, body: "" };
  const form = formOf(header(exchange, "accept"), "v3", document.protobuf !== undefined);
  if (form === undefined) return empty(406, { vary: "Accept" });
  if (form === "nothing") return empty(200);
  const headers = headersOf(document, form, "v3");
  const hash = query.first("hash");
  const bytes = bytesOf(document, form), modified = modifiedOf(document, now);
  if (hash === "") return content(exchange, { bytes, headers, modified });
  if (hash !== document.hash) return empty(301, { ...headers, location: v3Address(name, document.hash) });
  const forever = { "cache-control": "public, immutable", expires: new Date(now + keepMs).toUTCString() };
  return content(exchange, { bytes, headers: { ...headers, ...forever }, modified });
}
