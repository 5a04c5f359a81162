/**
 * Bodies of lists, encoded item by item while they are sent, so that a list is neither in memory as a whole nor blocks the event loop.
 */
import { cborListAround } from "../../core/codec/cbor/documents.ts";
import { prettyPrinter } from "../../core/tree/json-text.ts";
import { envelopeAround, writeListField } from "../../core/codec/protobuf.ts";
import { writeYaml, yamlPieces } from "../../core/codec/yaml.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { encoder } from "../../core/derive/encode.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import { type ApiObject, ShardedListMeta } from "../../core/meta/object-meta.ts";
import type { Json, Typed } from "../../core/schema.ts";
import { type RequestContext, turnBodyBytesMin, turns } from "../request-context.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { type BodyPart, inOrder, Turn } from "../objects/chunks.ts";
import { servedJson, servedObject } from "../objects/served.ts";
import type { Item } from "../objects/objects.ts";
import type { ListPage } from "../reads/reads.ts";
import { textOf } from "./document.ts";
import { type Form, isStoredText } from "./form.ts";
import { metaVersion, partial, partialText } from "./metadata.ts";
import { type TableForm, tableHead, tableRow, TableWork } from "./table.ts";
import { checkYaml, yamlValue } from "../../core/codec/yaml-reply.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of encoded messages of one protobuf list kept between measuring and sending. Others are encoded twice. */
const listMessagesBytesMax = bound(1024 * 1024);

/** A document with a list field: the JSON text before the field, its name, and its elements as JSON. */
interface ListDocument {
  /** An object without its closing brace. */
  readonly open: string;
  readonly field: "items" | "rows";
  readonly elements: () => Iterable<BodyPart>;
  /** The value of the field without elements. */
  readonly none: "[]" | "null";
}

const toBytes = new TextEncoder();

/** A form with whole objects or their metadata. */
export type ItemsForm = Exclude<Form, TableForm>;

/** The parts of a list in its form and the negotiated encoding. */
export async function listParts(call: RequestContext, form: Form, page: ListPage): Promise<Iterable<BodyPart>> {
  const { endpoint, output: { encoding } } = call;
  if (form.as === "table") return await documentParts(call, tableDocument(call, form, page));
  if (encoding === "protobuf") return await protobufParts(call, form, page);
  if (encoding === "cbor") return cborParts(call, form, page);
  const open = openList(call, form, page);
  const { json } = page.items;
  if (json !== undefined && page.items.length > 0 && !endpoint.resource.custom && isStoredText(call, form)) {
    return inOrder([`${open},"items":[`], json.pieces(), ["]}\n"]);
  }
  const elements = form.as === "object"
    ? () => each(page.items, (item) => listItem(endpoint, item))
    : () => each(page.items, (item) => partialText(call, item, form.version));
  return await documentParts(call, { open, field: "items", elements, none: form.as === "object" ? "[]" : "null" });
}

function listMeta(page: ListPage): ShardedListMeta {
  return {
    ...(page.revision === 0 ? {} : { resourceVersion: String(page.revision) }), // computed lists have none
    ...(page.continue === "" ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
    ...(page.shard === undefined ? {} : { shardInfo: { selector: page.shard } }),
  };
}

/** Kind and version of a list of objects or of their metadata. */
function listType(call: RequestContext, form: ItemsForm): { readonly kind: string; readonly apiVersion: string } {
  const { endpoint } = call;
  return form.as === "object"
    ? { kind: endpoint.listKind, apiVersion: endpoint.apiVersion }
    : { kind: "PartialObjectMetadataList", apiVersion: metaVersion(call, form.version) };
}

/** The JSON of a list of objects or of their metadata, before its items and without a comma. */
export function openList(call: RequestContext, form: ItemsForm, page: ListPage): string {
  const { kind, apiVersion } = listType(call, form);
  const metadata = listMeta(page);
  const text = call.endpoint.resource.custom && form.as === "object" ? customListMeta(metadata) : encoder(ShardedListMeta)(metadata);
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${text}`;
}

function tableDocument(call: RequestContext, form: TableForm, page: ListPage): ListDocument {
  // YAML makes the rows twice.
  const elements = () => {
    const work = new TableWork();
    return each(page.items, (item) => tableRow(call, form, item, work));
  };
  // Upstream's default table converter returns null rows for an empty list; the converters of kinds return an empty list.
  const none = call.endpoint.served.columns === undefined ? "null" : "[]";
  return { open: tableHead(call, form, listMeta(page), true), field: "rows", elements, none };
}

function* each(items: Iterable<Item>, make: (item: Item) => BodyPart): Generator<BodyPart> {
  for (const item of items) yield make(item);
}

/** Metadata of a list of custom resources: upstream writes the token even if it is empty. */
function customListMeta({ continue: token = "", remainingItemCount, resourceVersion = "", shardInfo }: ShardedListMeta): string {
  const remaining = remainingItemCount === undefined ? "" : `"remainingItemCount":${remainingItemCount},`;
  const shard = shardInfo === undefined ? "" : `,"shardInfo":${valueText(shardInfo)}`;
  return `{"continue":${valueText(token)},${remaining}"resourceVersion":"${resourceVersion}"${shard}}`;
}

/** An item of a list: without kind and apiVersion, but for custom resources. */
function listItem(endpoint: Endpoint, item: Item): BodyPart {
  if (endpoint.resource.custom) return servedJson(endpoint, item);
  const head = `{"kind":"${endpoint.kind}","apiVersion":"${endpoint.apiVersion}",`;
  return `{${textOf(servedJson(endpoint, item)).slice(head.length)}`;
}

async function documentParts(call: Pick<RequestContext, "output" | "pretty">, document: ListDocument): Promise<Iterable<BodyPart>> {
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
    if (longest > turnBodyBytesMin) await turns.next();
    return yamlParts(document);
  }
  return call.pretty ? prettyParts(jsonParts(document)) : withEnd(jsonParts(document));
}

function* jsonParts({ open, field, elements, none }: ListDocument): Generator<BodyPart> {
  let count = 0;
  for (const element of elements()) {
    yield count++ === 0 ? `${open},"${field}":[` : ",";
    yield bytesOf(element);
  }
  yield count === 0 ? `${open},"${field}":${none}}` : "]}";
}
function* withEnd(parts: Iterable<BodyPart>): Generator<BodyPart> {
  yield* parts;
  yield "\n";
}

function* prettyParts(parts: Iterable<BodyPart>): Generator<BodyPart> {
  const print = prettyPrinter();
  for (const part of parts) yield bytesOf(print(textOf(part)));
}

/** Fields are sorted by name; elements have the indentation of their field. */
function* yamlParts({ open, field, elements, none }: ListDocument): Generator<BodyPart> {
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
async function protobufParts(call: RequestContext, form: ItemsForm, page: ListPage): Promise<Iterable<BodyPart>> {
  const field = protobufField(call, form);
  const kept: Uint8Array[] = [];
  let bytes = 0;
  const turn = new Turn();
  for (const item of page.items) {
    const message = field(item);
    bytes += message.length;
    if (bytes <= listMessagesBytesMax) kept.push(message);
    if (turn.isOver) await turn.next();
  }
  const { head, tail } = protobufAround(call, form, page, bytes);
  return inOrder(head, kept, remade(page.items, kept.length, field), tail);
}

/** Encodes an item as a field of a list message. */
export function protobufField(call: RequestContext, form: ItemsForm): (item: Item) => Uint8Array {
  const { endpoint } = call;
  const write = protobufWriter(form.as === "object" ? endpoint.schema : PartialObjectMetadata);
  return form.as === "object"
    ? (item) => item.form(`protobuf ${endpoint.apiVersion}`, () => writeListField("items", write(servedObject(endpoint, item))))
    : (item) => writeListField("items", write(partial(call, item, form.version)));
}

/** The parts of a list message before and after its items, which have so many bytes. */
export function protobufAround(
  call: RequestContext,
  form: ItemsForm,
  page: ListPage,
  bytes: number,
): { readonly head: readonly Uint8Array[]; readonly tail: readonly Uint8Array[] } {
  const first = writeListField("metadata", protobufWriter(ShardedListMeta)(listMeta(page)));
  const { head, tail } = envelopeAround(listType(call, form), first.length + bytes);
  return { head: [head, first], tail: [tail] };
}

function* remade(items: Iterable<Item>, after: number, field: (item: Item) => Uint8Array): Generator<BodyPart> {
  let count = 0;
  for (const item of items) if (count++ >= after) yield field(item);
}

/** Lists begin with the number of their items. Items have no kind, except partial object metadata. */
function* cborParts(call: RequestContext, form: ItemsForm, page: ListPage): Generator<BodyPart> {
  const { endpoint } = call;
  const write = cborWriter(endpoint.schema as Typed<ApiObject>), writePartial = cborWriter(PartialObjectMetadata); // the schema of such objects
  const { length } = page.items;
  const around = cborListAround(
    listType(call, form),
    cborWriter(ShardedListMeta)(listMeta(page)).finish(),
    form.as === "metadata" && length === 0 ? null : length,
  );
  yield around.head;
  for (const item of page.items) {
    yield form.as === "object"
      ? item.form(`cbor ${endpoint.apiVersion}`, () => write({ ...servedObject(endpoint, item), kind: "", apiVersion: "" }).finish())
      : writePartial(partial(call, item, form.version)).finish();
  }
  yield around.tail;
}

function bytesOf(part: BodyPart): Uint8Array {
  return typeof part === "string" ? toBytes.encode(part) : part;
}
