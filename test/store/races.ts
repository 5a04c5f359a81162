/** Many writers at once. */
import assert from "node:assert/strict";
import type { Commit, Revision } from "../../kernel/store/store.ts";
import { bytes, type Case, put, shown, text } from "./helpers.ts";

export function races(promise: Case): void {
  promise("of many writers on one key exactly one wins each round", async (store) => {
    let last: Revision | "absent" = "absent";
    for (let round = 0; round < 10; round++) {
      const expect: Revision | "absent" = last;
      const tries: Commit[] = await Promise.all(
        Array.from({ length: 32 }, (_, writer) => store.commit({ key: "a", expect, value: bytes(`${round}-${writer}`) })),
      );
      const won = tries.filter((commit) => commit.done);
      assert.equal(won.length, 1);
      last = won[0]?.revision ?? assert.fail("no writer won");
      const { entry } = await store.get("a");
      assert.equal(entry?.revision, last);
      for (const commit of tries) if (!commit.done) assert.deepEqual(shown(commit.current), shown(entry));
    }
  });

  promise("writers that lose a race take no revision", async (store) => {
    const { revision } = await store.get("a");
    let last: Revision | "absent" = "absent";
    for (let round = 0; round < 10; round++) {
      const expect: Revision | "absent" = last;
      const tries: Commit[] = await Promise.all(
        Array.from({ length: 32 }, () => store.commit({ key: "a", expect, value: bytes(`${round}`) })),
      );
      last = tries.find((commit) => commit.done)?.revision ?? assert.fail("no writer won");
    }
    assert.equal(last, revision + 10);
  });

  promise("a counter raised by many writers loses no increment", async (store) => {
    await put(store, "counter", "0");
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (let raised = 0; raised < 10;) {
        const { entry } = await store.get("counter");
        if (entry === undefined) return assert.fail("the counter is gone");
        const commit = await store.commit({ key: "counter", expect: entry.revision, value: bytes(`${Number(text(entry.value)) + 1}`) });
        if (commit.done) raised += 1;
      }
    }));
    assert.equal(text((await store.get("counter")).entry?.value), "80");
  });

  promise("a read after a commit sees it", async (store) => {
    await Promise.all(Array.from({ length: 16 }, async (_, writer) => {
      const revision = await put(store, `key-${writer}`, "1");
      const listing = await store.list({ prefix: `key-${writer}` });
      assert.ok(listing.revision >= revision);
      assert.ok(listing.entries.some((entry) => entry.key === `key-${writer}` && entry.revision === revision));
    }));
  });
}
