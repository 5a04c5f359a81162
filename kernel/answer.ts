/**
 * From what a verb found to the bytes of its answer. JSON of the stored version is concatenation of bytes that are
 * there already; every other representation is made of the object.
 */
import { mediaType } from "../core/codec/negotiate.ts";
import { prettyJson } from "../core/codec/json-text.ts";
import { writeEnvelope, writeListMessage } from "../core/codec/protobuf.ts";
import { writeYaml } from "../core/codec/yaml.ts";
import { encoder } from "../core/derive/encode.ts";
import { protobufWriter } from "../core/derive/protobuf.ts";
import { ListMeta } from "../core/meta/object-meta.ts";
import { PartialObjectMetadata } from "../core/meta/partial-object-metadata.ts";
import { Status as StatusSchema } from "../core/meta/status.ts";
import type { Json, StructNode, Typed } from "../core/schema.ts";
import { type Status, StatusError } from "../core/status-error.ts";
import { jsonFromTree, readJson } from "../core/tree/json.ts";
import type { Call } from "./call.ts";
import type { Endpoint } from "./catalog.ts";
import { chunked, type Part, sizeOf } from "./chunks.ts";
import { compressed } from "./compress.ts";
import type { Reply } from "./exchange.ts";
import type { Item } from "./objects.ts";
import type { ListPage } from "./reads.ts";
import { packageOf } from "./registry.ts";
import { isStoredForm, metaVersion, partial, servedJson, servedObject } from "./served.ts";
import { includeObject, tableText } from "./table.ts";

export type Answer =
  | { readonly tag: "object"; readonly status: number; readonly item: Item }
  | { readonly tag: "list"; readonly page: ListPage }
  | { readonly tag: "status"; readonly status: number; readonly body: Status }
  | { readonly tag: "feed"; readonly contentType: string; readonly frames: AsyncIterable<Uint8Array>; readonly givenUp: AbortSignal };

export function objectAnswer(status: number, item: Item): Answer {
  return { tag: "object", status, item };
}
export function listAnswer(page: ListPage): Answer {
  return { tag: "list", page };
}
export function statusAnswer(status: number, body: Status): Answer {
  return { tag: "status", status, body };
}

/** The reply to a call. Headers that every answer has come on top in `handle`. */
export function replyOf(call: Call, answer: Answer): Reply {
  switch (answer.tag) {
    case "feed":
      return { status: 200, headers: { "content-type": answer.contentType }, body: answer.frames, givenUp: answer.givenUp };
    case "status":
      return statusReply(call, answer.status, answer.body);
    case "object":
      return bodyReply(call, answer.status, bodyOf(objectParts(call, answer.item)));
    case "list":
      return bodyReply(call, 200, listBody(call, answer.page));
  }
}

/** Parts that may still have to be made, and how many bytes they are at most. */
interface Body {
  readonly parts: Iterable<Part>;
  readonly bytes: number;
}
function bodyOf(parts: readonly Part[]): Body {
  return { parts, bytes: sizeOf(parts) };
}

function bodyReply(call: Call, status: number, { parts, bytes }: Body): Reply {
  const contentType = mediaType(call.output.encoding, call.catalog.names);
  return compressed(call, { status, headers: { "content-type": contentType }, body: chunked(parts, bytes) }, bytes);
}

/** Which lists and objects a transformation may be asked for. */
function checkTransform(call: Call, isList: boolean): void {
  const { endpoint, output: { transform } } = call;
  const go = `*${packageOf(endpoint.group)}.${isList ? endpoint.listKind : endpoint.kind}`;
  if (transform.as === "PartialObjectMetadata" && isList) {
    throw new StatusError("NotAcceptable", `you requested PartialObjectMetadata, but the requested object is a list (${go})`);
  }
  if (transform.as === "PartialObjectMetadataList" && !isList) {
    throw new StatusError("NotAcceptable", `you requested PartialObjectMetadataList, but the requested object is not a list (${go})`);
  }
}

function objectParts(call: Call, item: Item): readonly Part[] {
  checkTransform(call, false);
  const { endpoint, output: { encoding, transform } } = call;
  if (transform.as === "Table") {
    const { resourceVersion } = item.object.metadata;
    const text = tableText(
      call,
      [item],
      resourceVersion === undefined ? {} : { resourceVersion },
      includeObject(call),
      transform.version,
      true,
    );
    return textParts(call, text);
  }
  if (transform.as !== "object") {
    const object = partial(call, item, transform.version);
    if (encoding === "protobuf") return [writeEnvelope(object, protobufWriter(PartialObjectMetadata)(object))];
    return textParts(call, encoder(PartialObjectMetadata)(object));
  }
  if (encoding === "protobuf") {
    const object = servedObject(endpoint, item);
    return [writeEnvelope(object, protobufWriter(endpoint.schema)(object))];
  }
  return textParts(call, servedJson(endpoint, item));
}

function listBody(call: Call, page: ListPage): Body {
  checkTransform(call, true);
  const { endpoint, output: { encoding, transform } } = call;
  const metadata: ListMeta = {
    resourceVersion: String(page.revision),
    ...(page.continue === "" ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  if (transform.as === "Table") {
    return bodyOf(textParts(call, tableText(call, [...page.items], metadata, includeObject(call), transform.version, true)));
  }
  const partials = transform.as === "object" ? undefined : transform;
  const type = partials === undefined
    ? { kind: endpoint.listKind, apiVersion: endpoint.apiVersion }
    : { kind: "PartialObjectMetadataList", apiVersion: metaVersion(call, partials.version) };
  if (encoding === "protobuf") {
    const write = protobufWriter(partials === undefined ? endpoint.schema : PartialObjectMetadata);
    const items = [...page.items].map((item) =>
      partials === undefined
        ? item.form(`protobuf ${endpoint.apiVersion}`, () => write(servedObject(endpoint, item)))
        : write(partial(call, item, partials.version))
    );
    return bodyOf([writeEnvelope(type, writeListMessage(protobufWriter(ListMeta)(metadata), items))]);
  }
  const open = `{"kind":"${type.kind}","apiVersion":"${type.apiVersion}","metadata":${encoder(ListMeta)(metadata)},"items":`;
  if (page.items.length === 0) return bodyOf(textParts(call, `${open}${partials === undefined ? "[]" : "null"}}`));
  const close = "]}\n";
  const compact = encoding === "json" && !call.pretty;
  if (compact && partials === undefined && page.items.json !== undefined && isStoredForm(endpoint)) {
    const { bytes, pieces } = page.items.json;
    return { parts: inOrder([`${open}[`], pieces(), [close]), bytes: sizeOf([open, close]) + bytes };
  }
  const parts: Part[] = [];
  for (const item of page.items) {
    parts.push(parts.length === 0 ? `${open}[` : ",");
    if (partials === undefined) parts.push("{", listItem(endpoint, item));
    else parts.push(encoder(PartialObjectMetadata)(partial(call, item, partials.version)));
  }
  return bodyOf(compact ? [...parts, close] : textParts(call, joined([...parts, "]}"])));
}

function* inOrder(...some: readonly Iterable<Part>[]): Generator<Part> {
  for (const parts of some) yield* parts;
}

/** An item of a list: without kind and apiVersion, and without its opening brace. */
function listItem(endpoint: Endpoint, item: Item): Part {
  const json = servedJson(endpoint, item);
  const head = `{"kind":"${endpoint.kind}","apiVersion":"${endpoint.apiVersion}",`;
  return typeof json === "string" ? json.slice(head.length) : json.subarray(head.length);
}

function joined(parts: readonly Part[]): string {
  const decode = new TextDecoder();
  return parts.map((part) => typeof part === "string" ? part : decode.decode(part)).join("");
}

/** JSON text in the encoding that the client wants. */
function textParts(call: Pick<Call, "output" | "pretty">, json: Part): readonly Part[] {
  if (call.output.encoding === "yaml") return [writeYaml(parsed(joined([json])))];
  return call.pretty ? [prettyJson(joined([json])), "\n"] : [json, "\n"];
}

/** JSON text that we have written ourselves. */
function parsed(text: string): Json {
  const read = readJson(text);
  if (!read.ok) throw new Error(`our own JSON cannot be read: ${read.error}`);
  return jsonFromTree(read.tree);
}

/** A document of one type in the encoding that the client wants. */
export function typedReply<T extends object>(
  call: Pick<Call, "output" | "pretty" | "catalog">,
  code: number,
  schema: Typed<T, StructNode>,
  body: T & { readonly kind?: string; readonly apiVersion?: string },
): Reply {
  const { encoding } = call.output;
  const type = { kind: body.kind ?? schema.name, apiVersion: body.apiVersion ?? "v1" };
  const parts = encoding === "protobuf" ? [writeEnvelope(type, protobufWriter(schema)(body))] : textParts(call, encoder(schema)(body));
  return { status: code, headers: { "content-type": mediaType(encoding, call.catalog.names) }, body: chunked(parts) };
}

/** A Status in the encoding that the client wants; a Status is never a Table. */
export function statusReply(call: Pick<Call, "output" | "pretty" | "catalog">, code: number, body: Status): Reply {
  return typedReply(call, code, StatusSchema, body);
}
