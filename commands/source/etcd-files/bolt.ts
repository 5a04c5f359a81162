/**
 * Reads bbolt files (the database of etcd, and its snapshots) without writing or locking them. A file is a tree of pages:
 *
 *     meta ──> root bucket ──> leaf: "key" ──> root page of the bucket `key` ──> branch ──> leaf: pairs in the order of their keys
 *                              leaf: "meta" ──> inline page
 *
 * The bytes are not trusted: each page is read once in one walk, so that the work is bounded by the size of the file.
 */
import { type LeafItem, type Meta, type Page, pageHeadBytes, parsePage, readMeta, readPage } from "./bolt-page.ts";
import { EtcdFileError, type RandomAccess } from "./random-access.ts";
import { bound } from "../../../core/bound.ts";

/** Levels of pages of one bucket. A tree of 2^64 pages with two items each has as many. */
export const boltDepthMax = bound(64);

/** Root page u64 and sequence u64 before an inline page. */
const bucketHeadBytes = 16;

export interface BoltFile {
  /** Changes with every commit of the program that writes the file. */
  transaction(): number;
  /** The pairs of a bucket of the root, in the order of their keys; undefined if there is no such bucket. Their bytes are views. */
  bucket(name: string): Iterable<LeafItem> | undefined;
}

/** Throws an `EtcdFileError` for bytes that are no bbolt file, here or while they are read. */
export function openBolt(file: RandomAccess): BoltFile {
  const meta = readMeta(file);
  return {
    transaction: () => readMeta(file).transaction,
    bucket(name) {
      const wanted = new TextEncoder().encode(name);
      for (const { key, value, at, isBucket } of walk(file, meta, meta.root)) {
        if (!isBucket || compareBytes(key, wanted) !== 0) continue;
        if (value.length < bucketHeadBytes) throw new EtcdFileError(`the bucket "${name}" is damaged`);
        const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
        const root = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
        return root === 0 ? readInline(value.subarray(bucketHeadBytes), at + bucketHeadBytes, name) : walk(file, meta, root);
      }
      return undefined;
    },
  };
}

/** Returns the pairs of an inline page. */
function readInline(bytes: Uint8Array, at: number, name: string): readonly LeafItem[] {
  if (bytes.length < pageHeadBytes) throw new EtcdFileError(`the bucket "${name}" is damaged`);
  const page = parsePage(bytes, at, 0);
  if (page.tag !== "leaf") throw new EtcdFileError(`the bucket "${name}" is damaged`);
  return page.items;
}

/** Yields the pairs below a page, in the order of their keys. */
function* walk(file: RandomAccess, meta: Meta, root: number): Generator<LeafItem> {
  const seen = new Uint8Array(meta.pages);
  const way: { readonly page: Page; next: number }[] = [{ page: readPage(file, meta, root, seen), next: 0 }];
  let last: Uint8Array | undefined;
  for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
    if (here.page.tag === "leaf") {
      for (const item of here.page.items) {
        if (last !== undefined && compareBytes(item.key, last) <= 0) throw new EtcdFileError("its keys are not in order: it is damaged");
        last = item.key;
        yield item;
      }
      way.pop();
      continue;
    }
    const child = here.page.children[here.next++];
    if (child === undefined) way.pop();
    else if (way.length >= boltDepthMax) throw new EtcdFileError(`it has more than ${boltDepthMax} levels: it is damaged`);
    else way.push({ page: readPage(file, meta, child, seen), next: 0 });
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = a[index]! - b[index]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
