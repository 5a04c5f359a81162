import { type Store, StoreError } from "../../kernel/store/store.ts";

/** Both stores begin at revision 1 without keys, so this is the revision of the first write. */
const firstWrittenRevision = 2;

/**
 * Compacts the state before the first write, so that a request for revision 1 is answered as expired. An empty store is written to
 * first, because both stores compact only existing revisions. Must run before the first watch: a compaction breaks watches that have
 * not caught up with it.
 */
export async function compactInitialRevision(store: Store, prefix: string): Promise<void> {
  const { revision } = await store.list({ prefix: `${prefix}/` }, { limit: 1 });
  if (revision < firstWrittenRevision) {
    const key = `${prefix}/beginning`;
    const written = await store.commit({ key, expect: "absent", value: new Uint8Array(1) });
    if (written.done) await store.commit({ key, expect: written.revision, value: undefined });
  }
  try {
    await store.compact(firstWrittenRevision);
  } catch (error) {
    // The server also runs without the right to compact.
    if (!(error instanceof StoreError && error.code === "refused")) throw error;
  }
}
