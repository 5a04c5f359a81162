/** A store that is only read, at one revision: this server's own, or that of another server. */
import { pagesOf } from "../../kernel/cache/fill/pages.ts";
import type { EtcdFiles } from "./etcd-files/etcd-files.ts";
import { type Entry, type Revision, type Store, StoreError } from "../../kernel/store/store.ts";
import { type Route, routedList } from "../../server/startup/routed-store.ts";
import { Transformer } from "../../server/encryption/transformer.ts";
import { decryptedEntries } from "./encrypted.ts";
import { type Identity, identityOf } from "./identity.ts";

export interface Source extends Pick<Store, "list" | "close"> {
  /** Everything is read at this revision. */
  readonly revision: Revision;
  /** The beginning of its keys, without a slash at the end: `/registry`. */
  readonly prefix: string;
}

export interface SourceOptions {
  readonly prefix: string;
  /** Keys of values that are encrypted. Others stay encrypted. */
  readonly keys?: Transformer;
  /** Called when the source is closed. */
  readonly closeKeys?: () => void;
}

const noKeys = new Transformer([]);

/** Makes a source of the newest revision of a store, which may go on changing. A read fails with a StoreError "compacted" once that revision is compacted. */
export async function liveSource(
  store: Pick<Store, "list" | "close">,
  { prefix, keys = noKeys, closeKeys = () => {} }: SourceOptions,
): Promise<Source> {
  const { revision } = await store.list({ prefix: `${prefix}/` }, { limit: 1 });
  return {
    revision,
    prefix,
    async list(range, page) {
      const listing = await store.list(range, { ...page, at: revision }).catch((error: unknown) => {
        if (!(error instanceof StoreError && error.code === "compacted")) throw error;
        const advice = "read a snapshot instead, or set a longer --etcd-compaction-interval on its server";
        throw new StoreError("compacted", `The revision ${revision} was compacted before everything was read: ${advice}`, { cause: error });
      });
      return { ...listing, entries: await decryptedEntries(listing.entries, keys) };
    },
    close: () => store.close().finally(closeKeys),
  };
}

/** The stores of a server with several etcds as one source: keys with the prefix of a route are those of its store. */
export function joinedSource(
  sources: readonly [Source, ...Source[]],
  routes: readonly Route[],
  closeKeys: () => void = () => {},
): Source {
  const [{ revision, prefix, list }] = sources;
  const close = async () => void await Promise.all(sources.map((source) => source.close())).finally(closeKeys);
  return { revision, prefix, list: sources.length === 1 ? list : routedList(sources, () => routes), close };
}

/** Makes a source of the files of an etcd. */
export function fileSource(files: EtcdFiles, { prefix, keys = noKeys, closeKeys = () => {} }: SourceOptions): Source {
  return {
    revision: files.revision,
    prefix,
    async list(range, page) {
      const listing = files.list(range, page);
      return { ...listing, entries: await decryptedEntries(listing.entries, keys) };
    },
    close: () => Promise.resolve(files.close()).finally(closeKeys),
  };
}

/** One stored value with its key, and the object in it. */
export interface SourceObject extends Entry {
  readonly identity: Identity;
}

/**
 * Yields every value of a source, or those whose keys begin with `range`, in the order of keys. It reads pages of bounded size. A value
 * that cannot be read has a problem in its identity.
 */
export async function* objectsOf(source: Source, range = `${source.prefix}/`): AsyncGenerator<readonly SourceObject[]> {
  for await (const page of pagesOf(source, range, source.revision, new AbortController().signal)) {
    yield page.map((entry) => ({ ...entry, identity: identityOf(entry.value) }));
  }
}
