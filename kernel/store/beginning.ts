import { type Store, StoreError } from "./store.ts";

/** Both stores begin at revision 1 with nothing in them. */
const firstWrittenRevision = 2;

/**
 * The state before anything was written is nobody's to ask for: whoever names revision 1 made it up. Done before anybody watches,
 * because a watch that has not caught up with a compaction breaks; a new store is written to, so that there is something to go by.
 */
export async function forgetBeginning(store: Store, prefix: string): Promise<void> {
  const { revision } = await store.list({ prefix: `${prefix}/` }, { limit: 1 });
  if (revision < firstWrittenRevision) {
    const key = `${prefix}/beginning`;
    const written = await store.commit({ key, expect: "absent", value: new Uint8Array(1) });
    if (written.done) await store.commit({ key, expect: written.revision, value: undefined });
  }
  try {
    await store.compact(firstWrittenRevision);
  } catch (error) {
    // Whose rights do not reach so far can do without.
    if (!(error instanceof StoreError && error.code === "refused")) throw error;
  }
}
