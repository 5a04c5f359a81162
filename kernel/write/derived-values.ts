/** Keeps values that steps make from whole collections (`AdmissionServer.derived`), until a collection or the catalog changes. */
import type { NamedCollection } from "../../core/access.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Catalog, Endpoint } from "../catalog/catalog.ts";
import type { Item } from "../objects/objects.ts";
import { type Collection, collectionOf } from "../reads/reads.ts";
import type { Backend } from "../request-context.ts";

type Objects = readonly ApiObject[];

/** One collection as it was when the value was made. */
interface Source {
  /** The collection; undefined if its kind is not served. */
  readonly collection: Collection | undefined;
  /** The change mark of the collection; undefined if the collection was not in memory. */
  readonly mark: object | undefined;
  readonly byKey: ReadonlyMap<string, Decoded>;
  readonly objects: Objects;
}
interface Decoded {
  readonly revision: Item["revision"];
  readonly object: ApiObject;
}
interface Derived {
  readonly catalog: Catalog;
  readonly sources: readonly Source[];
  readonly value: unknown;
}

export interface CollectionReader {
  /** Finds the endpoint of a collection in the catalog. */
  endpointOf(catalog: Catalog, collection: NamedCollection): Endpoint | undefined;
  /** Reads a collection that is not in memory. */
  list(backend: Backend, catalog: Catalog, collection: Collection): Promise<Iterable<Item>>;
}

/** The derived values of one server. Each is kept by the key of its owner. */
export class DerivedValues {
  readonly #backend: Backend;
  readonly #reader: CollectionReader;
  readonly #kept = new Map<object, Derived>();

  constructor(backend: Backend, reader: CollectionReader) {
    this.#backend = backend;
    this.#reader = reader;
  }

  /** Returns the value of `key`. Each write asks for several, so a current value is found without an allocation. */
  of<T>(
    key: object,
    catalog: Catalog,
    collections: readonly NamedCollection[],
    make: (lists: readonly Objects[]) => T,
  ): T | Promise<T> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.catalog === catalog && this.#areCurrent(kept.sources)) return kept.value as T; // the same owner has made it
    return this.#renewed(key, catalog, collections, make, kept);
  }

  #renewed<T>(
    key: object,
    catalog: Catalog,
    collections: readonly NamedCollection[],
    make: (lists: readonly Objects[]) => T,
    kept: Derived | undefined,
  ): T | Promise<T> {
    const { reads, prefix } = this.#backend;
    const wanted = collections.map((each) => {
      const endpoint = this.#reader.endpointOf(catalog, each);
      return endpoint === undefined ? undefined : collectionOf(prefix, endpoint, "", "");
    });
    // The marks are read before the lists. A change in between makes the value once more than needed.
    const marks = wanted.map((each) => each && reads.changeMark(each));
    const sourceOf = (index: number, items: Iterable<Item>) => read(wanted[index], marks[index], items, kept?.sources[index]);
    const keep = (sources: readonly Source[]): T => {
      const isSame = kept !== undefined && kept.catalog === catalog &&
        sources.every(({ objects }, at) => same(objects, kept.sources[at]!.objects));
      const value = isSame ? kept.value as T : make(sources.map(({ objects }) => objects)); // the same owner has made it
      this.#kept.set(key, { catalog, sources, value });
      return value;
    };
    const inMemory = wanted.map((each) => each === undefined ? [] : reads.inMemory(each));
    if (inMemory.every((items) => items !== undefined)) return keep(inMemory.map((items, index) => sourceOf(index, items)));
    const lists = wanted.map((each, index) => each === undefined ? [] : inMemory[index] ?? this.#reader.list(this.#backend, catalog, each));
    return Promise.all(lists).then((all) => keep(all.map((items, index) => sourceOf(index, items))));
  }

  #areCurrent(sources: readonly Source[]): boolean {
    for (const source of sources) if (!this.#isCurrent(source)) return false;
    return true;
  }
  #isCurrent({ collection, mark }: Source): boolean {
    return collection === undefined || mark !== undefined && this.#backend.reads.changeMark(collection) === mark;
  }
}

/** Reads the items of a collection. Objects that have not changed are reused from `before`. */
function read(collection: Collection | undefined, mark: object | undefined, items: Iterable<Item>, before: Source | undefined): Source {
  const known = before?.collection?.endpoint === collection?.endpoint ? before?.byKey : undefined;
  const byKey = new Map<string, Decoded>();
  for (const item of items) {
    const same = known?.get(item.key);
    const decoded = same?.revision === item.revision
      ? same
      : { revision: item.revision, object: collection!.endpoint.fromStored(item.object) };
    byKey.set(item.key, decoded);
  }
  return { collection, mark, byKey, objects: Array.from(byKey.values(), ({ object }) => object) };
}

function same(some: Objects, others: Objects): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index]);
}
