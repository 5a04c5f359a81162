/**
 * Lists as gzip, of blocks that are compressed once for all lists:
 *
 *   header, head of the list, block, comma, block, comma, block, tail of the list, end of the member
 *
 * Only the blocks are compressed; what is between them is stored.
 */
import type { RequestContext } from "../request-context.ts";
import { type Deflated, storeBlocks } from "../../protocols/gzip/deflate.ts";
import { gzipMember } from "../../protocols/gzip/member.ts";
import { type Begun, gzipBytesMin, pieces, Turn } from "../objects/chunks.ts";
import type { Item } from "../objects/objects.ts";
import type { ItemBlock, ItemForm, ListPage } from "../reads/reads.ts";
import { isStoredForm, servedJson } from "../objects/served.ts";
import type { Form } from "./form.ts";
import { type ItemsForm, openList, protobufAround, protobufField } from "./list-body.ts";
import { metaVersion, partialText } from "./metadata.ts";

const toBytes = new TextEncoder();

/**
 * The gzip member of a list, for a client that accepts it; undefined if the list is too small to be compressed, or has no blocks that other
 * lists share.
 */
export async function compressedList(call: RequestContext, form: Form, page: ListPage): Promise<Begun["body"] | undefined> {
  const { items } = page;
  if (form.as === "table" || items.blocks === undefined) return undefined;
  const bytes = bytesOf(call, form);
  if (bytes === undefined || !isLarge(items.blocks(bytes))) return undefined;
  const { head, tail } = call.output.encoding === "protobuf"
    ? protobufAround(call, form, page, await lengthOf(items.blocks(bytes)))
    : { head: [toBytes.encode(`${openList(call, form, page)},"items":[`)], tail: [toBytes.encode("]}\n")] };
  return pieces(gzipMember(partsOf(head, items.blocks(bytes), bytes, tail)));
}

/** The bytes of the items, if they depend only on the item and a name. */
function bytesOf(call: RequestContext, form: ItemsForm): ItemForm | undefined {
  const { endpoint, pretty, output: { encoding } } = call;
  const meta = form.as === "object" ? "" : metaVersion(call, form.version);
  if (encoding === "protobuf") {
    return { name: `protobuf ${endpoint.apiVersion} ${meta}`, between: "", bytesOf: protobufField(call, form) };
  }
  if (encoding !== "json" || pretty || !isStoredForm(endpoint)) return undefined;
  const name = `json ${meta}`, between = ",";
  if (form.as === "metadata") return { name, between, bytesOf: (item) => toBytes.encode(partialText(call, item, form.version)) };
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
  yield* head.map(storeBlocks);
  const separator = between === "" ? undefined : storeBlocks(toBytes.encode(between));
  let isFirst = true;
  for (const block of blocks) {
    if (!isFirst && separator !== undefined) yield separator;
    isFirst = false;
    yield* block.pieces();
  }
  yield* tail.map(storeBlocks);
}
