/**
 * Encodes the result of a verb as a reply. JSON of the stored version is concatenated from stored bytes; every other representation is
 * encoded from the object.
 */
import { chosenProtocol } from "../request/websocket.ts";
import { mediaType } from "../../core/codec/negotiate.ts";
import { prettyJson } from "../../core/tree/json-text.ts";
import { encoder } from "../../core/derive/encode.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import { Status as StatusSchema } from "../../core/meta/status.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { type Status, StatusError, statusOf } from "../../core/status-error.ts";
import { binaryDocument, isBinary } from "../objects/binary.ts";
import { checkWeight, type RequestContext } from "../request-context.ts";
import { type Begun, begun, chunked, type Part, sizeOf } from "../objects/chunks.ts";
import { compressed, inGzip, wantsGzip } from "./compress.ts";
import { compressedList } from "./compressed-list.ts";
import type { Reply } from "../request/exchange.ts";
import { listParts, textOf } from "./list-body.ts";
import type { Item } from "../objects/objects.ts";
import type { ListPage } from "../reads/reads.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { packageOf } from "../catalog/known-kinds.ts";
import { isStoredForm, partial, partialText, servedJson, servedObject } from "./served.ts";
import { includeObject, tableText } from "./table.ts";
import { yamlOf } from "./yaml.ts";

export type VerbResult =
  | {
    readonly tag: "object";
    readonly status: number;
    readonly item: Item;
    /** The endpoint of the item's kind, if it is a subresource's own kind. */
    readonly shown?: Endpoint;
  }
  | { readonly tag: "list"; readonly page: ListPage }
  | { readonly tag: "status"; readonly status: number; readonly body: Status }
  | { readonly tag: "feed"; readonly contentType: string; readonly frames: AsyncIterable<Uint8Array>; readonly givenUp: AbortSignal };

export function objectResult(status: number, item: Item): VerbResult {
  return { tag: "object", status, item };
}
/** The result for an object of a subresource's own kind. */
export function shownResult(status: number, item: Item, shown: Endpoint): VerbResult {
  return { tag: "object", status, item, shown };
}
export function listResult(page: ListPage): VerbResult {
  return { tag: "list", page };
}
export function statusResult(status: number, body: Status): VerbResult {
  return { tag: "status", status, body };
}

/** The reply to a call. `handle` adds the headers that are common to all replies. */
export async function replyOf(call: RequestContext, answer: VerbResult): Promise<Reply> {
  switch (answer.tag) {
    case "feed":
      return feedReply(call, answer);
    case "status":
      return statusReply(call, answer.status, answer.body);
    case "object":
      return objectReply(
        call,
        answer.status,
        objectParts(answer.shown === undefined ? call : { ...call, endpoint: answer.shown }, answer.item),
      );
    case "list":
      checkTransform(call, true);
      return await listReply(call, answer.page);
  }
}

/** Events as chunks, or as messages if the client offers a websocket. */
function feedReply(
  { exchange, output: { encoding } }: RequestContext,
  { contentType, frames, givenUp }: VerbResult & { tag: "feed" },
): Reply {
  if (exchange.offersWebSocket !== true) return { status: 200, headers: { "content-type": contentType }, body: frames, givenUp };
  const protocol = chosenProtocol(exchange);
  const headers: Readonly<Record<string, string>> = protocol === undefined ? {} : { "sec-websocket-protocol": protocol };
  const messages = encoding === "json" ? "lines" : encoding === "protobuf" ? "lengths" : "whole";
  return { status: 101, headers, body: frames, givenUp, messages };
}

async function listReply(call: RequestContext, page: ListPage): Promise<Reply> {
  const body = wantsGzip(call) ? await compressedList(call, page) : undefined;
  if (body !== undefined) return inGzip(plainReply(call, 200, body));
  return bodyReply(call, 200, await begun(await listParts(call, page)));
}

function objectReply(call: RequestContext, status: number, parts: readonly Part[]): Reply {
  return bodyReply(call, status, { body: chunked(parts), bytes: sizeOf(parts) });
}
function bodyReply(call: RequestContext, status: number, { body, bytes }: Begun): Reply {
  return compressed(call, plainReply(call, status, body), bytes);
}
function plainReply(call: RequestContext, status: number, body: Reply["body"]): Reply {
  return { status, headers: { "content-type": mediaType(call.output.encoding, call.catalog.names) }, body };
}

/** Throws 406 if the requested transformation does not apply to the result: a list or an object. */
function checkTransform(call: RequestContext, isList: boolean): void {
  const { endpoint, output: { transform } } = call;
  const go = `*${packageOf(endpoint.stored.group)}.${isList ? endpoint.listKind : endpoint.kind}`;
  if (transform.as === "PartialObjectMetadata" && isList) {
    throw new StatusError("NotAcceptable", `you requested PartialObjectMetadata, but the requested object is a list (${go})`);
  }
  if (transform.as === "PartialObjectMetadataList" && !isList) {
    throw new StatusError("NotAcceptable", `you requested PartialObjectMetadataList, but the requested object is not a list (${go})`);
  }
}

function objectParts(call: RequestContext, item: Item): readonly Part[] {
  checkTransform(call, false);
  const { endpoint, output: { encoding, transform } } = call;
  const asIs = transform.as === "object" && encoding === "json" && !call.pretty && isStoredForm(endpoint);
  // Only reads are handed over: a write has already been committed.
  if (!asIs && call.info.verb === "get") checkWeight(call, item);
  if (transform.as === "Table") {
    const { resourceVersion } = item.object.metadata;
    const text = tableText(
      call,
      item,
      resourceVersion === undefined ? {} : { resourceVersion },
      includeObject(call),
      transform.version,
      true,
    );
    return textParts(call, text);
  }
  if (transform.as !== "object") {
    if (isBinary(encoding)) return [binaryDocument(encoding, PartialObjectMetadata, partial(call, item, transform.version))];
    return textParts(call, partialText(call, item, transform.version));
  }
  if (isBinary(encoding)) return [binaryDocument(encoding, endpoint.schema, servedObject(endpoint, item))];
  if (asIs) return [...item.pieces, lineEnd];
  return textParts(call, servedJson(endpoint, item));
}

const lineEnd = new TextEncoder().encode("\n");

/** JSON text in the negotiated encoding. Indented JSON has no final newline. */
function textParts(call: Pick<RequestContext, "output" | "pretty">, json: Part): readonly Part[] {
  if (call.output.encoding === "yaml") return [yamlOf(textOf(json))];
  return call.pretty ? [prettyJson(textOf(json))] : [json, lineEnd];
}

/** A document of one type in the negotiated encoding. */
export function typedReply<T extends object>(
  call: Pick<RequestContext, "output" | "pretty" | "catalog">,
  code: number,
  schema: Typed<T, StructNode>,
  body: T & { readonly kind?: string; readonly apiVersion?: string },
): Reply {
  const { encoding } = call.output;
  const type = { kind: body.kind ?? schema.name, apiVersion: body.apiVersion ?? "v1" };
  const parts = isBinary(encoding) ? [binaryDocument(encoding, schema, { ...body, ...type })] : textParts(call, encoder(schema)(body));
  return { status: code, headers: { "content-type": mediaType(encoding, call.catalog.names) }, body: chunked(parts) };
}

/** A Status in the negotiated encoding; a Status is never a Table. */
export function statusReply(call: Pick<RequestContext, "output" | "pretty" | "catalog">, code: number, body: Status): Reply {
  try {
    return typedReply(call, code, StatusSchema, body);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // A Status that cannot be written as YAML is replaced by a Status of that error, with the original code.
    return typedReply(call, code, StatusSchema, statusOf(error));
  }
}
