/** Records in the store that are no objects, as JSON. */
import type { FoundRecord, Records } from "../../core/allocation.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { valueText } from "../../core/value-text.ts";
import type { Entry, Store } from "../../kernel/store/store.ts";

/** The records of a store. `prefix` is that of all keys. */
export function recordsOf(store: Pick<Store, "get" | "list" | "commit">, prefix: string): Records {
  const encoder = new TextEncoder();
  const found = (entry: Entry): FoundRecord => ({
    path: entry.key.slice(prefix.length + 1),
    value: jsonOf(entry.value),
    revision: entry.revision,
  });
  return {
    async get(path) {
      const { entry } = await store.get(`${prefix}/${path}`);
      return entry === undefined ? undefined : found(entry);
    },
    async list(start) {
      const { entries } = await store.list({ prefix: `${prefix}/${start}` }, {});
      return entries.map(found);
    },
    async put(path, value, expect, ttlSeconds) {
      const outcome = await store.commit({
        key: `${prefix}/${path}`,
        expect: expect ?? "absent",
        value: value === undefined ? undefined : encoder.encode(`${valueText(value)}\n`),
        ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      });
      return outcome.done;
    },
  };
}

/** The value of a JSON text; undefined for other bytes, such as the protobuf of a kube-apiserver. */
function jsonOf(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = plainJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
