/** Makes informers: copies of the objects of a resource that a watch keeps up to date. */
import type { Informer, TypedChange } from "./api.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import { objectKey } from "./object-key.ts";

/** Makes the informer of a watch. `watch` calls its second argument when the present state has been delivered. */
export function informerOf<T extends ApiObject>(
  watch: (signal: AbortSignal, synced: () => void) => AsyncIterable<TypedChange<T>>,
): Informer<T> {
  const known = new Map<string, T>();
  let resolve = () => {}, reject: (reason: unknown) => void = () => {};
  const synced = new Promise<void>((...settle) => [resolve, reject] = settle);
  synced.catch(() => {}); // `run` rejects with the same error
  let hasRun = false;
  return {
    synced,
    get: (namespace, name) => known.get(objectKey({ metadata: { namespace, name } })),
    objects: () => [...known.values()],
    async run(signal, { added, updated, deleted } = {}) {
      if (hasRun) throw new Error("Cannot run an informer a second time");
      hasRun = true;
      const remove = (key: string, before: T) => {
        known.delete(key);
        deleted?.(before);
      };
      try {
        for await (const change of watch(signal, resolve)) {
          const key = objectKey(change.object), before = known.get(key);
          if (change.type === "DELETED") {
            if (before !== undefined) remove(key, before);
            continue;
          }
          const { object } = change, { uid, resourceVersion } = object.metadata;
          // The list after an interruption also has objects that have not changed.
          if (before?.metadata.uid === uid && before?.metadata.resourceVersion === resourceVersion) continue;
          const isOther = before !== undefined && before.metadata.uid !== uid;
          if (isOther) remove(key, before);
          known.set(key, object);
          if (before === undefined || isOther) added?.(object);
          else updated?.(object, before);
        }
        reject(signal.reason ?? new Error("The watch ended"));
      } catch (error) {
        reject(error);
        throw error;
      }
    },
  };
}
