// In Deno's suite only: etcd and encryption are tested together on both runtimes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { encryptingStore, type Encryption } from "./encrypting-store.ts";

const turned = (value: Uint8Array): Uint8Array => value.map((byte) => byte ^ 0xff);

test("encryptingStore() opens the values of a stream, and has none over a store without one", async () => {
  const inner = await openSqlite(":memory:"), { signal } = new AbortController();
  // `as`: the members that are used here.
  const encryption = {
    of: (key: string) =>
      key.startsWith("/s/") ? { seal: turned, open: (value: Uint8Array) => ({ value: turned(value), isStale: false }) } : undefined,
    replaced: signal,
  } as unknown as Encryption;
  try {
    assert.equal(encryptingStore(inner, encryption).stream, undefined);
    const value = new TextEncoder().encode("secret");
    const entries = [{ key: "/s/a", value: turned(value), revision: 1 }, { key: "/t/a", value, revision: 2 }];
    const store = encryptingStore({
      ...inner,
      stream: () =>
        Promise.resolve((async function* () {
          yield entries;
        })()),
    }, encryption);
    for await (const piece of await store.stream!({ prefix: "" }, 2, signal) ?? []) {
      assert.deepEqual(piece, [{ ...entries[0], value }, entries[1]]);
    }
    const without = encryptingStore({ ...inner, stream: () => Promise.resolve(undefined) }, encryption);
    assert.equal(await without.stream!({ prefix: "" }, 2, signal), undefined);
  } finally {
    await inner.close();
  }
});
