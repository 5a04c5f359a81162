/** Reads every object of a store and changes none. */
import { limits } from "../../core/limits.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { StoredKind } from "../catalog/catalog.ts";
import { decodeStored, keysOf } from "../objects/objects.ts";
import type { Store } from "../store/store.ts";

export interface Checked {
  /** Objects of these kinds. */
  readonly read: number;
  /** Keys that belong to none of them. */
  readonly other: number;
  /** One text for each object that cannot be read, at most `limits.unreadableShownMax` and a last one with the number of the others. */
  readonly unreadable: readonly string[];
}

/** Keys of one page. */
const pageSize = 500;

/** Decodes every object of these kinds. Rejects if the store fails. */
export async function checkStore(store: Store, prefix: string, kinds: readonly StoredKind[]): Promise<Checked> {
  const byPrefix = kinds.map((kind) => [keysOf(prefix, kind, ""), kind] as const);
  const unreadable: string[] = [];
  let read = 0, other = 0, unshown = 0, after: string | undefined;
  do {
    const { entries } = await store.list({ prefix: `${prefix}/`, ...(after === undefined ? {} : { after }) }, { limit: pageSize });
    for (const { key, value } of entries) {
      const kind = byPrefix.find(([start]) => key.startsWith(start))?.[1];
      if (kind === undefined) other++;
      else {
        read++;
        const problem = problemOf(kind, key, value);
        if (problem !== undefined && unreadable.length >= limits.unreadableShownMax) unshown++;
        else if (problem !== undefined) unreadable.push(problem);
      }
    }
    after = entries.length < pageSize ? undefined : entries.at(-1)!.key;
  } while (after !== undefined);
  return { read, other, unreadable: unshown === 0 ? unreadable : [...unreadable, `${unshown} more objects cannot be read`] };
}

function problemOf(kind: StoredKind, key: string, value: Uint8Array): string | undefined {
  try {
    const { metadata } = decodeStored(kind, key, value);
    return key.endsWith(`/${metadata.name}`) ? undefined : `the object stored under "${key}" has the name "${metadata.name}"`;
  } catch (error) {
    return reasonOf(error);
  }
}
