/**
 * Decoded objects that this server has written recently, or that steps of writes have read. Controllers often write the same object again, and the next
 * write need not decode it; each create of a Pod reads the same namespace, account and classes. An object that was dropped is decoded from its entry.
 */
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum JSON bytes of the decoded objects that are kept for the next write. */
const recentObjectsBytesMax = bound(4 * 1024 * 1024);

/** The entry of an object in the cache. */
interface Written {
  readonly key: string;
  /** Bytes of the object's JSON. */
  readonly length: number;
}

export class RecentObjects {
  readonly #bytesMax: number;
  /** The kept objects by key, in the order of their last writes. */
  readonly #kept = new Map<string, { readonly entry: Written; readonly object: ApiObject }>();
  #bytes = 0;

  constructor(most = recentObjectsBytesMax) {
    this.#bytesMax = most;
  }

  /** The object, which must not be changed. Its resourceVersion is the one before the write. */
  get(entry: Written): ApiObject | undefined {
    const found = this.#kept.get(entry.key);
    return found?.entry === entry ? found.object : undefined;
  }

  /** Keeps an object in place of an earlier one with the same key, and drops the oldest objects above the bound. */
  keep(entry: Written, object: ApiObject): void {
    if (this.get(entry) !== undefined) return;
    this.#drop(entry.key);
    this.#kept.set(entry.key, { entry, object });
    this.#bytes += entry.length;
    if (this.#bytes <= this.#bytesMax) return;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#drop(oldest);
    }
  }

  /** Drops the object of an entry that was replaced or deleted, because a kept entry would keep its slab. */
  forget(entry: Written): void {
    if (this.#kept.get(entry.key)?.entry === entry) this.#drop(entry.key);
  }

  #drop(key: string): void {
    const found = this.#kept.get(key);
    if (found === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= found.entry.length;
  }
}
