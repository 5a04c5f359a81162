/**
 * Bodies of lists, encoded item by item while they are sent, so that a list is neither in memory as a whole nor blocks the event loop.
 */
import { limits } from "../../core/limits.ts";
import { cborListAround } from "../../core/codec/cbor/documents.ts";
import { prettyPrinter } from "../../core/tree/json-text.ts";
import { envelopeAround, writeListField } from "../../core/codec/protobuf.ts";
import { writeYaml, yamlPieces } from "../../core/codec/yaml.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { encoder } from "../../core/derive/encode.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import { type ApiObject, ListMeta } from "../../core/meta/object-meta.ts";
import type { Json, Typed } from "../../core/schema.ts";
import { type RequestContext, turns } from "../request-context.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { inOrder, type Part, Turn } from "../objects/chunks.ts";
import type { Item } from "../objects/objects.ts";
import type { ListPage } from "../reads/reads.ts";
import { isStoredForm, metaVersion, partial, partialText, servedJson, servedObject } from "./served.ts";
import { includeObject, tableHead, tableRow } from "./table.ts";
import { checkYaml, yamlValue } from "./yaml.ts";

/** A document with a list field: the JSON text before the field, its name, and its elements as JSON. */
interface ListDocument {
  /** An object without its closing brace. */
  readonly open: string;
  readonly field: "items" | "rows";
  readonly elements: () => Iterable<Part>;
  /** The value of the field without elements. */
  readonly none: "[]" | "null";
}

const toBytes = new TextEncoder();
const toText = new TextDecoder();

/** The parts of a list in the negotiated encoding and transformation, which has been checked. */
export async function listParts(call: RequestContext, page: ListPage): Promise<Iterable<Part>> {
  const { endpoint, output: { encoding, transform } } = call;
  const metadata: ListMeta = {
    resourceVersion: String(page.revision),
    ...(page.continue === "" ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  if (transform.as === "Table") return await documentParts(call, tableDocument(call, page, metadata, transform.version));
  const partials = transform.as === "object" ? undefined : transform;
  const type = partials === undefined
    ? { kind: endpoint.listKind, apiVersion: endpoint.apiVersion }
    : { kind: "PartialObjectMetadataList", apiVersion: metaVersion(call, partials.version) };
  if (encoding === "protobuf") return await protobufParts(call, page, type, metadata, partials?.version);
  if (encoding === "cbor") return cborParts(call, page, type, metadata, partials?.version);
  const { custom } = endpoint.resource;
  const head = custom && partials === undefined ? customListMeta(metadata) : encoder(ListMeta)(metadata);
  const open = `{"kind":"${type.kind}","apiVersion":"${type.apiVersion}","metadata":${head}`;
  const { json } = page.items;
  if (
    encoding === "json" && !call.pretty && partials === undefined && !custom && json !== undefined && page.items.length > 0 &&
    isStoredForm(endpoint)
  ) {
    return inOrder([`${open},"items":[`], json.pieces(), ["]}\n"]);
  }
  const elements = partials === undefined
    ? () => each(page.items, (item) => listItem(endpoint, item))
    : () => each(page.items, (item) => partialText(call, item, partials.version));
  return await documentParts(call, { open, field: "items", elements, none: partials === undefined ? "[]" : "null" });
}

function tableDocument(call: RequestContext, page: ListPage, metadata: ListMeta, version: string): ListDocument {
  const include = includeObject(call);
  const elements = () => each(page.items, (item) => tableRow(call, item, include, version));
  // Upstream's default table converter returns null rows for an empty list; the converters of kinds return an empty list.
  const none = call.endpoint.served.columns === undefined ? "null" : "[]";
  return { open: tableHead(call, metadata, version, true), field: "rows", elements, none };
}

function* each(items: Iterable<Item>, make: (item: Item) => Part): Generator<Part> {
  for (const item of items) yield make(item);
}

/** Metadata of a list of custom resources: upstream writes the token even if it is empty. */
function customListMeta({ continue: token = "", remainingItemCount, resourceVersion = "" }: ListMeta): string {
  const remaining = remainingItemCount === undefined ? "" : `"remainingItemCount":${remainingItemCount},`;
  return `{"continue":${JSON.stringify(token)},${remaining}"resourceVersion":"${resourceVersion}"}`;
}

/** An item of a list: without kind and apiVersion, but for custom resources. */
function listItem(endpoint: Endpoint, item: Item): Part {
  if (endpoint.resource.custom) return servedJson(endpoint, item);
  const head = `{"kind":"${endpoint.kind}","apiVersion":"${endpoint.apiVersion}",`;
  return `{${textOf(servedJson(endpoint, item)).slice(head.length)}`;
}

async function documentParts(call: Pick<RequestContext, "output" | "pretty">, document: ListDocument): Promise<Iterable<Part>> {
  if (call.output.encoding === "yaml") {
    // An element that cannot be written must be detected before the first byte is sent.
    const turn = new Turn();
    let longest = 0;
    for (const element of document.elements()) {
      const text = textOf(element);
      longest = Math.max(longest, text.length);
      checkYaml(text);
      if (turn.isOver) await turn.next();
    }
    // Several lists with large elements together would block other requests.
    if (longest > limits.turnBodyBytesMin) await turns.next();
    return yamlParts(document);
  }
  return call.pretty ? prettyParts(jsonParts(document)) : withEnd(jsonParts(document));
}

function* jsonParts({ open, field, elements, none }: ListDocument): Generator<Part> {
  let count = 0;
  for (const element of elements()) {
    yield count++ === 0 ? `${open},"${field}":[` : ",";
    yield bytesOf(element);
  }
  yield count === 0 ? `${open},"${field}":${none}}` : "]}";
}
function* withEnd(parts: Iterable<Part>): Generator<Part> {
  yield* parts;
  yield "\n";
}

function* prettyParts(parts: Iterable<Part>): Generator<Part> {
  const print = prettyPrinter();
  for (const part of parts) yield bytesOf(print(textOf(part)));
}

/** Fields are sorted by name; elements have the indentation of their field. */
function* yamlParts({ open, field, elements, none }: ListDocument): Generator<Part> {
  const fields = Object.entries(yamlValue(`${open}}`) as Readonly<Record<string, Json>>); // we have written an object
  const text = (some: typeof fields): string => some.length === 0 ? "" : writeYaml(Object.fromEntries(some));
  yield text(fields.filter(([name]) => name < field));
  let count = 0;
  for (const element of elements()) {
    if (count++ === 0) yield `${field}:\n`;
    for (const piece of yamlPieces([yamlValue(textOf(element))])) yield bytesOf(piece);
  }
  if (count === 0) yield `${field}: ${none}\n`;
  yield text(fields.filter(([name]) => name > field));
}

/**
 * A message begins with its length, so all messages are measured first, with turns of the event loop between them. Messages that are not
 * cached are encoded again when they are sent.
 */
async function protobufParts(
  call: RequestContext,
  page: ListPage,
  type: { readonly kind: string; readonly apiVersion: string },
  metadata: ListMeta,
  partialVersion: string | undefined,
): Promise<Iterable<Part>> {
  const { endpoint } = call;
  const write = protobufWriter(partialVersion === undefined ? endpoint.schema : PartialObjectMetadata);
  const message = (item: Item): Uint8Array =>
    partialVersion === undefined
      ? item.form(`protobuf ${endpoint.apiVersion}`, () => write(servedObject(endpoint, item)))
      : write(partial(call, item, partialVersion));
  const first = writeListField("metadata", protobufWriter(ListMeta)(metadata));
  const kept: Uint8Array[] = [];
  let bytes = first.length, keptBytes = 0;
  const turn = new Turn();
  for (const item of page.items) {
    const field = writeListField("items", message(item));
    bytes += field.length;
    keptBytes += field.length;
    if (keptBytes <= limits.listMessagesBytesMax) kept.push(field);
    if (turn.isOver) await turn.next();
  }
  const { head, tail } = envelopeAround(type, bytes);
  return inOrder([head, first], kept, remade(page.items, kept.length, message), [tail]);
}

function* remade(items: Iterable<Item>, after: number, message: (item: Item) => Uint8Array): Generator<Part> {
  let count = 0;
  for (const item of items) if (count++ >= after) yield writeListField("items", message(item));
}

/** Lists begin with the number of their items. Items have no kind, except partial object metadata. */
function* cborParts(
  call: RequestContext,
  page: ListPage,
  type: { readonly kind: string; readonly apiVersion: string },
  metadata: ListMeta,
  partialVersion: string | undefined,
): Generator<Part> {
  const { endpoint } = call;
  const write = cborWriter(endpoint.schema as Typed<ApiObject>), writePartial = cborWriter(PartialObjectMetadata); // the schema of such objects
  const { length } = page.items;
  const around = cborListAround(
    type,
    cborWriter(ListMeta)(metadata).finish(),
    partialVersion !== undefined && length === 0 ? null : length,
  );
  yield around.head;
  for (const item of page.items) {
    yield partialVersion === undefined
      ? item.form(`cbor ${endpoint.apiVersion}`, () => write({ ...servedObject(endpoint, item), kind: "", apiVersion: "" }).finish())
      : writePartial(partial(call, item, partialVersion)).finish();
  }
  yield around.tail;
}

export function textOf(part: Part): string {
  return typeof part === "string" ? part : toText.decode(part);
}
function bytesOf(part: Part): Uint8Array {
  return typeof part === "string" ? toBytes.encode(part) : part;
}
