/** Writes small bbolt files, and databases of etcd, for tests. */
import { createHash } from "node:crypto";
import { newWriter } from "../../../core/codec/protobufjs.ts";

export type Pair = readonly [key: Uint8Array, value: Uint8Array];

export interface BoltOptions {
  readonly pageSize?: number;
  /** Pairs of one leaf page, and children of one branch page; at least two. */
  readonly itemsPerPage?: number;
  /** Buckets that are written as an inline page. */
  readonly inline?: readonly string[];
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns a bbolt file with these buckets. */
export function boltFile(
  buckets: Readonly<Record<string, readonly Pair[]>>,
  { pageSize = 4096, itemsPerPage = 20, inline = [] }: BoltOptions = {},
): Uint8Array {
  const pages: Uint8Array[] = [];
  let next = 2;
  const add = (page: Uint8Array): number => {
    const id = next, count = Math.ceil(page.length / pageSize);
    const whole = new Uint8Array(count * pageSize);
    whole.set(page);
    new DataView(whole.buffer).setBigUint64(0, BigInt(id), true);
    new DataView(whole.buffer).setUint32(12, count - 1, true);
    pages.push(whole);
    next += count;
    return id;
  };
  const tree = (pairs: readonly Pair[]): number => {
    let level = parts(pairs, itemsPerPage).map((some) => [some[0]?.[0] ?? new Uint8Array(), add(leafPage(some, 0))] as const);
    while (level.length > 1) level = parts(level, itemsPerPage).map((some) => [some[0]![0], add(branchPage(some))] as const);
    return level[0]![1];
  };
  const roots = Object.entries(buckets).toSorted(([a], [b]) => a < b ? -1 : 1).map(([name, pairs]): Pair => {
    const isInline = inline.includes(name), page = isInline ? leafPage(pairs, 0) : new Uint8Array();
    const value = new Uint8Array(16 + page.length);
    new DataView(value.buffer).setBigUint64(0, BigInt(isInline ? 0 : tree(pairs)), true);
    value.set(page, 16);
    return [bytesOf(name), value];
  });
  const root = add(leafPage(roots, 1));
  const file = new Uint8Array(next * pageSize);
  for (const transaction of [0, 1]) {
    file.set(metaPage({ pageSize, root, pages: next, transaction: transaction + 1 }), transaction * pageSize);
  }
  let at = 2 * pageSize;
  for (const page of pages) {
    file.set(page, at);
    at += page.length;
  }
  return file;
}

function parts<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return items.length <= size
    ? [items]
    : Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Returns a meta page with its checksum. */
export function metaPage(
  { pageSize, root, pages, transaction }: Readonly<Record<"pageSize" | "root" | "pages" | "transaction", number>>,
): Uint8Array {
  const page = new Uint8Array(80), view = new DataView(page.buffer);
  view.setBigUint64(0, BigInt((transaction - 1) % 2), true);
  view.setUint16(8, 4, true);
  view.setUint32(16, 0xed0cdaed, true);
  view.setUint32(20, 2, true);
  view.setUint32(24, pageSize, true);
  view.setBigUint64(32, BigInt(root), true);
  view.setBigUint64(48, 0xffffffffffffffffn, true); // no list of free pages
  view.setBigUint64(56, BigInt(pages), true);
  view.setBigUint64(64, BigInt(transaction), true);
  let sum = 0xcbf29ce484222325n;
  for (const byte of page.subarray(16, 72)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  view.setBigUint64(72, sum, true);
  return page;
}

function leafPage(pairs: readonly Pair[], flags: number): Uint8Array {
  const data = pairs.flatMap(([key, value]) => [key, value]);
  return page(2, pairs.length, data, (view, at, index, start) => {
    view.setUint32(at, flags, true);
    view.setUint32(at + 4, start - at, true);
    view.setUint32(at + 8, pairs[index]![0].length, true);
    view.setUint32(at + 12, pairs[index]![1].length, true);
    return pairs[index]![0].length + pairs[index]![1].length;
  });
}
function branchPage(children: readonly (readonly [Uint8Array, number])[]): Uint8Array {
  return page(1, children.length, children.map(([key]) => key), (view, at, index, start) => {
    view.setUint32(at, start - at, true);
    view.setUint32(at + 4, children[index]![0].length, true);
    view.setBigUint64(at + 8, BigInt(children[index]![1]), true);
    return children[index]![0].length;
  });
}
function page(
  flags: number,
  count: number,
  data: readonly Uint8Array[],
  element: (view: DataView, at: number, index: number, start: number) => number,
): Uint8Array {
  const bytes = new Uint8Array(16 + 16 * count + data.reduce((sum, { length }) => sum + length, 0)), view = new DataView(bytes.buffer);
  view.setUint16(8, flags, true);
  view.setUint16(10, count, true);
  let start = 16 + 16 * count, at = start;
  for (let index = 0; index < count; index++) start += element(view, 16 + 16 * index, index, start);
  for (const piece of data) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** One change of a key; without a value it is a deletion. Revisions count from 2, as in etcd. */
export interface KeyChange {
  readonly key: string;
  readonly value?: Uint8Array | string;
}

/** Returns the records of changes in the bucket `key`. */
export function recordsOf(changes: readonly KeyChange[]): readonly Pair[] {
  return changes.map(({ key, value }, index): Pair => {
    const at = new Uint8Array(value === undefined ? 18 : 17), view = new DataView(at.buffer);
    view.setBigUint64(0, BigInt(index + 2));
    at[8] = 0x5f;
    if (value === undefined) at[17] = 0x74;
    const writer = newWriter().uint32(10).bytes(bytesOf(key));
    if (value !== undefined) {
      writer.uint32(16).int64(index + 2).uint32(24).int64(index + 2).uint32(42).bytes(typeof value === "string" ? bytesOf(value) : value);
    }
    return [at, writer.finish()];
  });
}

/** Returns the database of etcd after these changes. */
export function databaseFile(changes: readonly KeyChange[], options: BoltOptions = {}): Uint8Array {
  return boltFile({ key: recordsOf(changes), meta: [[bytesOf("storageVersion"), bytesOf("3.6.0")]] }, { inline: ["meta"], ...options });
}

/** Returns a file of `etcdctl snapshot save`: the database and its checksum. */
export function snapshotFile(database: Uint8Array): Uint8Array {
  const whole = new Uint8Array(database.length + 32);
  whole.set(database);
  whole.set(createHash("sha256").update(database).digest(), database.length);
  return whole;
}
