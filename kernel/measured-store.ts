/** A store whose requests are counted and timed. Watches are not: they last. */
import type { KernelRecord } from "./metrics.ts";
import type { Change, Store } from "./store/store.ts";

/** What a key or prefix holds, for the labels `group` and `resource`. */
export interface StoredLabels {
  readonly group: string;
  readonly resource: string;
}

type Operation = "create" | "delete" | "get" | "list" | "update";

/** `store`, measured. `labelsOf` tells what a key or prefix holds; `now` is in milliseconds and never goes back. */
export function measuredStore(store: Store, labelsOf: (key: string) => StoredLabels, record: KernelRecord, now: () => number): Store {
  async function measured<T>(operation: Operation, key: string, run: () => Promise<T>): Promise<T> {
    const { group, resource } = labelsOf(key);
    const labels = { group, operation, resource };
    const begun = now();
    try {
      return await run();
    } catch (error) {
      record.storeErrors.with(labels).add();
      throw error;
    } finally {
      record.storeRequests.with(labels).add();
      record.storeSeconds.with(labels).observe((now() - begun) / 1000);
    }
  }
  return {
    get: (key, signal) => measured("get", key, () => store.get(key, signal)),
    async list(range, page) {
      const { group, resource } = labelsOf(range.prefix);
      record.storeLists.with({ group, resource }).add();
      const listing = await measured("list", range.prefix, () => store.list(range, page));
      record.storeListObjects.with({ group, resource }).add(listing.entries.length);
      return listing;
    },
    newest: () => store.newest(),
    commit: (change) => measured(operationOf(change), change.key, () => store.commit(change)),
    watch: (range, from, signal) => store.watch(range, from, signal),
    compact: (revision) => store.compact(revision),
    size: () => store.size(),
    close: () => store.close(),
  };
}

function operationOf({ expect, value }: Change): Operation {
  return value === undefined ? "delete" : expect === "absent" ? "create" : "update";
}
