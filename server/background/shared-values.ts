/** Values of objects that several readers in the process get at about the same time, such as controllers that list one resource at the start. */
import type { Json } from "../../core/json.ts";
import { bound } from "../../core/bound.ts";
import type { Endpoint } from "../../kernel/catalog/catalog.ts";
import type { Item } from "../../kernel/objects/objects.ts";

/** Bytes of JSON of the objects whose values readers in the process share. */
export const sharedValuesBytesMax = bound(64 * 1024 * 1024);
/** Milliseconds for which the values of objects are kept that readers in the process share. */
const sharedValuesMs = bound(10_000);

/** A value, and the place of the bytes of its object in memory. The caches of servers that have the same object share them. */
interface Known {
  readonly value: Json;
  readonly buffer: ArrayBufferLike;
  readonly at: number;
}

/** The values of the objects of endpoints, by key and revision, for all servers of a process. Readers must not change them. */
export class SharedValues {
  #values = new Map<Endpoint, Map<string, Known>>();
  #bytes = 0;
  #timer: { unref(): unknown } | undefined;

  /**
   * The value of a stored object in a form, made by `make` if it is not kept. An object that was not stored, as of a dry run, has no revision
   * and is not kept.
   */
  of(endpoint: Endpoint, form: string, item: Pick<Item, "key" | "revision" | "size" | "pieces">, make: () => Json): Json {
    if (item.revision === 0) return make();
    let values = this.#values.get(endpoint);
    const { buffer, byteOffset: at } = item.pieces.at(-1)!; // there is one
    const name = `${form} ${item.revision} ${item.key}`, known = values?.get(name);
    if (known?.buffer === buffer && known.at === at) return known.value;
    const value = make();
    this.#bytes += item.size;
    if (this.#bytes > sharedValuesBytesMax) {
      this.#values = new Map();
      this.#bytes = item.size;
      values = undefined;
    }
    if (values === undefined) this.#values.set(endpoint, values = new Map());
    values.set(name, { value, buffer, at });
    this.#timer ??= setTimeout(() => this.#forget(), sharedValuesMs).unref();
    return value;
  }

  #forget(): void {
    this.#values = new Map();
    this.#bytes = 0;
    this.#timer = undefined;
  }
}
