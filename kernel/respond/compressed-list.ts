/**
 * Lists as gzip, of blocks that are compressed once for all lists:
 *
 *   header, head of the list, block, comma, block, comma, block, tail of the list, end of the member
 *
 * Only the blocks are compressed; what is between them is stored.
 */
import type { RequestContext } from "../request-context.ts";
import { type Deflated, stored } from "../../protocols/gzip/deflate.ts";
import { gzipMember } from "../../protocols/gzip/member.ts";
import { type Begun, gzipBytesMin, pieces, Turn } from "../objects/chunks.ts";
import type { Item } from "../objects/objects.ts";
import type { ItemBlock, ItemForm, ListPage } from "../reads/reads.ts";
import { openList, protobufAround, protobufField } from "./list-body.ts";
import { isStoredForm, metaVersion, partialText, servedJson } from "./served.ts";

const toBytes = new TextEncoder();

/**
 * The gzip member of a list, for a client that accepts it; undefined if the list is too small to be compressed, or has no blocks that other
 * lists share.
 */
export async function compressedList(call: RequestContext, page: ListPage): Promise<Begun["body"] | undefined> {
  const { items } = page;
  const form = formOf(call);
  if (form === undefined || items.blocks === undefined || !isLarge(items.blocks(form))) return undefined;
  const { head, tail } = call.output.encoding === "protobuf"
    ? protobufAround(call, page, await lengthOf(items.blocks(form)))
    : { head: [toBytes.encode(`${openList(call, page)},"items":[`)], tail: [toBytes.encode("]}\n")] };
  return pieces(gzipMember(partsOf(head, items.blocks(form), form, tail)));
}

/** The form of the items, if its bytes depend only on the item and the name of the form. */
function formOf(call: RequestContext): ItemForm | undefined {
  const { endpoint, pretty, output: { encoding, transform } } = call;
  if (transform.as === "Table") return undefined;
  const partials = transform.as === "object" ? undefined : transform;
  const meta = partials === undefined ? "" : metaVersion(call, partials.version);
  if (encoding === "protobuf") {
    return { name: `protobuf ${endpoint.apiVersion} ${meta}`, between: "", bytesOf: protobufField(call, partials?.version) };
  }
  if (encoding !== "json" || pretty || !isStoredForm(endpoint)) return undefined;
  const name = `json ${meta}`, between = ",";
  if (partials !== undefined) return { name, between, bytesOf: (item) => toBytes.encode(partialText(call, item, partials.version)) };
  return { name, between, bytesOf: endpoint.resource.custom ? (item) => jsonBytes(call, item) : undefined };
}
function jsonBytes({ endpoint }: RequestContext, item: Item): Uint8Array {
  const json = servedJson(endpoint, item);
  return typeof json === "string" ? toBytes.encode(json) : json;
}

/** Whether the list is compressed because of its items alone. If it is just large enough with what is around them, it has few blocks. */
function isLarge(blocks: Iterable<ItemBlock>): boolean {
  let bytes = 0;
  for (const block of blocks) if ((bytes += block.length()) >= gzipBytesMin) return true;
  return false;
}

/** The bytes of blocks before compression, with turns of the event loop between them. */
async function lengthOf(blocks: Iterable<ItemBlock>): Promise<number> {
  let bytes = 0;
  const turn = new Turn();
  for (const block of blocks) {
    bytes += block.length();
    if (turn.isOver) await turn.next();
  }
  return bytes;
}

function* partsOf(
  head: readonly Uint8Array[],
  blocks: Iterable<ItemBlock>,
  { between }: ItemForm,
  tail: readonly Uint8Array[],
): Generator<Deflated> {
  yield* head.map(stored);
  const separator = between === "" ? undefined : stored(toBytes.encode(between));
  let isFirst = true;
  for (const block of blocks) {
    if (!isFirst && separator !== undefined) yield separator;
    isFirst = false;
    yield* block.pieces();
  }
  yield* tail.map(stored);
}
