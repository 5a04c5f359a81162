import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { parseQuery } from "../../core/net/query.ts";
import { listOptions } from "../request/options.ts";
import { keyOf } from "../objects/objects.ts";
import type { Timed } from "../reads/reads.ts";
import { directReads } from "../reads/direct-reads.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { readsConformance } from "../../test/reads/reads-conformance.ts";
import { cached, catalog, endpointOf, fastClock, type Fixture, neverFilled, prefix, put } from "../../test/reads/fixture.ts";

readsConformance("directly from sqlite", async (): Promise<Fixture> => {
  const store = await openSqlite(":memory:");
  return { store, reads: directReads(store, fastClock), close: () => store.close() };
});

readsConformance("cache over sqlite", async () => cached(await openSqlite(":memory:")));

test("reads that memory answers are not timed, and those of the store are", async () => {
  const fixture = await cached(await openSqlite(":memory:"));
  try {
    await put(fixture, "a");
    const endpoint = endpointOf("notes"), { stored } = endpoint, key = keyOf(prefix, stored, "ns", "a"), { signal } = new AbortController();
    const collection = { endpoint, namespace: "", prefix: `${prefix}/${stored.under}/`, within: `${prefix}/${stored.under}/` };
    const timesOf = async ({ reads }: Fixture) => {
      let times = 0;
      const timed: Timed = (read) => {
        times++;
        return read();
      };
      assert.notEqual(await reads.get(stored, key, "", { signal }, timed), undefined);
      assert.notEqual((await reads.live(stored, key, { signal }, timed)).item, undefined);
      const options = listOptions(parseQuery("limit=1"), endpoint, catalog);
      assert.equal((await reads.list(collection, options, defaultNames, signal, timed)).items.length, 1);
      return times;
    };
    assert.equal(await timesOf(fixture), 0);
    const unfilled = await neverFilled(fixture);
    assert.equal(await timesOf(unfilled), 3);
    await unfilled.close();
  } finally {
    await fixture.close();
  }
});
