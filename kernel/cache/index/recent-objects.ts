/**
 * Objects of entries that this server has written lately, so that whoever writes them again, which most controllers do, need not
 * have them decoded. What is forgotten is decoded, that is all.
 */
import { limits } from "../../../core/limits.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";

/** What stands for an object in the cache. */
interface Written {
  readonly key: string;
  /** Of its JSON, in bytes. */
  readonly length: number;
}

export class RecentObjects {
  readonly #bytesMax: number;
  /** By key, those written last at the end. */
  readonly #kept = new Map<string, { readonly entry: Written; readonly object: ApiObject }>();
  #bytes = 0;

  constructor(most = limits.recentObjectsBytesMax) {
    this.#bytesMax = most;
  }

  /** The object, which nobody may change; its resourceVersion is whatever it was when it was written. */
  get(entry: Written): ApiObject | undefined {
    const found = this.#kept.get(entry.key);
    return found?.entry === entry ? found.object : undefined;
  }

  /** Remembers an object in the place of earlier ones of its key, and forgets the oldest where there is no room. */
  keep(entry: Written, object: ApiObject): void {
    this.#drop(entry.key);
    this.#kept.set(entry.key, { entry, object });
    this.#bytes += entry.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const found = this.#kept.get(key);
    if (found === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= found.entry.length;
  }
}
