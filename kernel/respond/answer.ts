/**
 * Encodes the result of a verb (`result.ts`) as a reply. One pass, with a file for each step:
 *
 *   1. `form.ts`       chooses the form: whole objects, their metadata, or a table.
 *   2. `objects/served.ts`, `metadata.ts`   take the stored text of an item where it is the served one, else convert its object.
 *   3. `document.ts`   encodes one item, `list-body.ts` a list; `table.ts` has the rows of tables, `yaml.ts` the rules of YAML.
 *   4. `compress.ts`   compresses; `compressed-list.ts` joins blocks of items that are compressed once for all lists.
 *
 * A watch has the same first steps for each event, and in place of the last one `framing.ts`, which puts the document into a frame.
 */
import { mediaType } from "../../core/codec/negotiate.ts";
import { encoder } from "../../core/derive/encode.ts";
import { Status as StatusSchema } from "../../core/meta/status.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { type Status, StatusError, statusOf } from "../../core/status-error.ts";
import { binaryDocument, isBinary } from "../objects/binary.ts";
import { beginBody, bodyOfParts, sizeOf } from "../objects/chunks.ts";
import type { Item } from "../objects/objects.ts";
import type { ListPage } from "../reads/reads.ts";
import { checkWeight, type RequestContext } from "../request-context.ts";
import type { Reply } from "../request/exchange.ts";
import { chosenProtocol } from "../request/websocket.ts";
import { compress, inGzip, wantsGzip } from "./compress.ts";
import { compressedList } from "./compressed-list.ts";
import { objectParts, textParts } from "./document.ts";
import { formOf, isStoredText } from "./form.ts";
import { listParts } from "./list-body.ts";
import type { Feed, VerbResult } from "./result.ts";

/** The reply to a call. `handle` adds the headers that are common to all replies. */
export async function replyOf(call: RequestContext, result: VerbResult): Promise<Reply> {
  switch (result.tag) {
    case "feed":
      return feedReply(call, result);
    case "status":
      return statusReply(call, result.status, result.body);
    case "object":
      return objectReply(result.shown === undefined ? call : { ...call, endpoint: result.shown }, result.status, result.item);
    case "list":
      return await listReply(call, result.page);
  }
}

function objectReply(call: RequestContext, status: number, item: Item): Reply {
  const form = formOf(call, "object");
  // Only reads are handed over: a write has already been committed.
  if (call.info.verb === "get" && !isStoredText(call, form)) checkWeight(call, item);
  const parts = objectParts(call, form, item);
  return compress(call, plainReply(call, status, bodyOfParts(parts)), sizeOf(parts));
}

async function listReply(call: RequestContext, page: ListPage): Promise<Reply> {
  const form = formOf(call, "list");
  const ofBlocks = wantsGzip(call) ? await compressedList(call, form, page) : undefined;
  if (ofBlocks !== undefined) return inGzip(plainReply(call, 200, ofBlocks));
  const { body, bytes } = await beginBody(await listParts(call, form, page));
  return compress(call, plainReply(call, 200, body), bytes);
}

function plainReply(call: RequestContext, status: number, body: Reply["body"]): Reply {
  return { status, headers: { "content-type": mediaType(call.output.encoding, call.catalog.names) }, body };
}

/** Events as chunks, or as messages if the client offers a websocket. */
function feedReply({ exchange, output: { encoding } }: RequestContext, { contentType, frames, givenUp }: Feed): Reply {
  if (exchange.offersWebSocket !== true) return { status: 200, headers: { "content-type": contentType }, body: frames, givenUp };
  const protocol = chosenProtocol(exchange);
  const headers: Readonly<Record<string, string>> = protocol === undefined ? {} : { "sec-websocket-protocol": protocol };
  const messages = encoding === "json" ? "lines" : encoding === "protobuf" ? "lengths" : "whole";
  return { status: 101, headers, body: frames, givenUp, messages };
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
  return { status: code, headers: { "content-type": mediaType(encoding, call.catalog.names) }, body: bodyOfParts(parts) };
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
