/** Pages of a bbolt file, checked: numbers are little-endian, and every length is one of bytes that are there. */
import { EtcdFileError, type RandomAccess } from "./random-access.ts";
import { bound } from "../../../core/bound.ts";

/** Bytes of one page of a bbolt file with its overflow pages: a page has at least one value, which etcd limits to 1.5 MiB by default. */
const boltPageBytesMax = bound(64 * 1024 * 1024);
/** Pages of a bbolt file, of which each walk keeps a byte: 256 GiB in pages of 4 KiB. etcd's quota is 8 GiB at most by its own advice. */
const boltPagesMax = bound(64 * 1024 * 1024);

/** id u64, flags u16, count u16, overflow u32. */
export const pageHeadBytes = 16;
const elementBytes = 16;
const branchFlag = 0x01, leafFlag = 0x02, metaFlag = 0x04;
const magic = 0xed0cdaed, format = 2;
/** magic u32, version u32, page size u32, flags u32, root u64 with its sequence u64, freelist u64, end u64, transaction u64. */
const metaBytes = 56;
const bucketFlag = 0x01;

/** A pair of a leaf page. */
export interface LeafItem {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Where the value is in the file. */
  readonly at: number;
  readonly isBucket: boolean;
}

export type Page =
  | { readonly tag: "branch"; readonly children: readonly number[] }
  | { readonly tag: "leaf"; readonly items: readonly LeafItem[] };

/** The newest state of a file: its meta page. */
export interface Meta {
  readonly pageSize: number;
  readonly root: number;
  /** Pages of the file. */
  readonly pages: number;
  readonly transaction: number;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns a number of 64 bits. Those of pages and transactions are small. */
function readLong(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

/** Returns the newer of the two meta pages that are not damaged; one of them may be half written. */
export function readMeta(file: RandomAccess): Meta {
  const found: Meta[] = [];
  for (const at of metaPlaces) {
    const meta = metaAt(file, at);
    if (meta !== undefined && (at === 0 || meta.pageSize === at)) found.push(meta);
  }
  const [first, second] = found;
  if (first === undefined) throw new EtcdFileError("it is no database of etcd, or both of its first pages are damaged");
  const meta = second !== undefined && second.transaction > first.transaction ? second : first;
  const bytes = meta.pages * meta.pageSize;
  if (meta.pages > boltPagesMax) throw new EtcdFileError(`it has ${meta.pages} pages, more than ${boltPagesMax}`);
  if (bytes > file.size) throw new EtcdFileError(`it has ${file.size} of ${bytes} bytes: it is truncated`);
  return meta;
}

/** The first page, and the second one in each possible size. */
const metaPlaces: readonly number[] = Object.freeze([0, ...Array.from({ length: 7 }, (_, index) => 1024 << index)]);

function metaAt(file: RandomAccess, at: number): Meta | undefined {
  if (at + pageHeadBytes + metaBytes + 8 > file.size) return undefined;
  const bytes = file.read(at, pageHeadBytes + metaBytes + 8), view = viewOf(bytes);
  if (view.getUint16(8, true) !== metaFlag) return undefined;
  const meta = viewOf(bytes.subarray(pageHeadBytes));
  if (meta.getUint32(0, true) !== magic || meta.getUint32(4, true) !== format) return undefined;
  if (meta.getBigUint64(metaBytes, true) !== checksum(bytes.subarray(pageHeadBytes, pageHeadBytes + metaBytes))) return undefined;
  const pageSize = meta.getUint32(8, true);
  if (!metaPlaces.includes(pageSize) || pageSize === 0) return undefined;
  return { pageSize, root: readLong(meta, 16), pages: readLong(meta, 40), transaction: readLong(meta, 48) };
}

/** Returns the FNV-1a hash of 64 bits. */
function checksum(bytes: Uint8Array): bigint {
  let sum = 0xcbf29ce484222325n;
  for (const byte of bytes) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  return sum;
}

/** Reads a page with its overflow pages, and marks them in `seen`. Throws if one was seen before: no page belongs to two others. */
export function readPage(file: RandomAccess, { pageSize, pages }: Meta, id: number, seen: Uint8Array): Page {
  if (id < 2 || id >= pages) throw new EtcdFileError(`it refers to page ${id} of ${pages}: it is damaged`);
  const at = id * pageSize, first = file.read(at, pageSize), view = viewOf(first);
  const overflow = view.getUint32(12, true);
  if (readLong(view, 0) !== id || id + overflow >= pages) throw damaged(id);
  for (let page = id; page <= id + overflow; page++) {
    if (seen[page] === 1) throw new EtcdFileError(`page ${page} is used twice: it is damaged`);
    seen[page] = 1;
  }
  const length = (overflow + 1) * pageSize;
  if (length > boltPageBytesMax) {
    throw new EtcdFileError(`page ${id} has ${length} bytes, more than ${boltPageBytesMax}: it is damaged`);
  }
  return parsePage(overflow === 0 ? first : file.read(at, length), at, id);
}

/** Returns a page of these bytes, which are at `at` in the file. `id` is for messages. */
export function parsePage(bytes: Uint8Array, at: number, id: number): Page {
  if (bytes.length < pageHeadBytes) throw damaged(id);
  const view = viewOf(bytes), flags = view.getUint16(8, true), count = view.getUint16(10, true);
  if (flags !== branchFlag && flags !== leafFlag) throw damaged(id);
  // Keys and values follow the elements in their order, so that no byte is part of two.
  let end = pageHeadBytes + count * elementBytes;
  if (end > bytes.length) throw damaged(id);
  const children: number[] = [], items: LeafItem[] = [];
  for (let index = 0; index < count; index++) {
    const element = pageHeadBytes + index * elementBytes;
    const isBranch = flags === branchFlag;
    const start = element + view.getUint32(element + (isBranch ? 0 : 4), true);
    const keyBytes = view.getUint32(element + (isBranch ? 4 : 8), true), valueBytes = isBranch ? 0 : view.getUint32(element + 12, true);
    if (start < end || start + keyBytes + valueBytes > bytes.length) throw damaged(id);
    end = start + keyBytes + valueBytes;
    if (isBranch) children.push(readLong(view, element + 8));
    else {
      items.push({
        key: bytes.subarray(start, start + keyBytes),
        value: bytes.subarray(start + keyBytes, end),
        at: at + start + keyBytes,
        isBucket: (view.getUint32(element, true) & bucketFlag) !== 0,
      });
    }
  }
  return flags === branchFlag ? { tag: "branch", children } : { tag: "leaf", items };
}

function damaged(id: number): EtcdFileError {
  return new EtcdFileError(`page ${id} is damaged`);
}
