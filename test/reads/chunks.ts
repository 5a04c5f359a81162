/** Lists in chunks, and their tokens. */
import assert from "node:assert/strict";
import { defaultNames } from "../../core/names.ts";
import { readContinue, writeContinue } from "../../kernel/reads/continue-token.ts";
import { collectionOf, continueAfter } from "../../kernel/reads/reads.ts";
import { endpointOf, list, noteOf, prefix, put, remove } from "./fixture.ts";
import { type Case, refusedBy } from "./case.ts";

export function chunks(promise: Case): void {
  promise("list() in chunks shows the moment of the first chunk, counts down, and ends without a token", async (fixture) => {
    for (const name of ["a", "b", "c", "d", "e"]) await put(fixture, name);
    const first = await list(fixture, "limit=2");
    assert.deepEqual([first.names, first.page.remaining], [["a", "b"], 3]);
    await put(fixture, "bb");
    await put(fixture, "d", { data: { k: "new" } });
    await remove(fixture, "c");
    const second = await list(fixture, `limit=2&continue=${first.page.continue}`);
    assert.deepEqual([second.names, second.page.remaining, second.page.revision], [["c", "d"], 1, first.page.revision]);
    assert.deepEqual(second.objects[1], {
      ...noteOf("d"),
      metadata: { ...noteOf("d").metadata, resourceVersion: second.objects[1]?.metadata.resourceVersion },
    });
    const third = await list(fixture, `limit=2&continue=${second.page.continue}`);
    assert.deepEqual([third.names, third.page.remaining, third.page.continue, third.page.revision], [
      ["e"],
      undefined,
      "",
      first.page.revision,
    ]);
    const rest = await list(fixture, `continue=${first.page.continue}`);
    assert.deepEqual([rest.names, rest.page.continue], [["c", "d", "e"], ""]);
    const beside = await list(fixture, `limit=1&resourceVersion=0&continue=${first.page.continue}`);
    assert.deepEqual([beside.names, beside.page.remaining, beside.page.revision], [["c"], 2, first.page.revision]);
    const next = await list(fixture, `limit=2&resourceVersion=0&continue=${beside.page.continue}`);
    assert.deepEqual([next.names, next.page.continue, next.page.revision], [["d", "e"], "", first.page.revision]);
    assert.deepEqual((await list(fixture, "limit=5")).names, ["a", "b", "bb", "d", "e"]);
    assert.equal((await list(fixture, "limit=5")).page.continue, "");
  });

  promise("list() goes on in the newest state where a token says so", async (fixture) => {
    for (const name of ["a", "b", "c"]) await put(fixture, name);
    const token = continueAfter(collectionOf(prefix, endpointOf("notes"), "ns", ""), -1, `${prefix}/notes/ns/a`, defaultNames);
    await remove(fixture, "b");
    const newest = await put(fixture, "d");
    const rest = await list(fixture, `continue=${token}`);
    assert.deepEqual([rest.names, rest.page.revision], [["c", "d"], newest]);
    const one = await list(fixture, `limit=1&continue=${token}`);
    assert.deepEqual([one.names, one.page.remaining], [["c"], 1]);
    const beside = await list(fixture, `limit=1&resourceVersion=0&continue=${token}`);
    assert.deepEqual([beside.names, beside.page.remaining, beside.page.revision], [["c"], 1, newest]);
  });

  promise("list() goes on where a token of upstream's cache says, and begins anew where a token names all", async (fixture) => {
    for (const name of ["a", "b", "c"]) await put(fixture, name);
    const { revision } = readContinue((await list(fixture, "limit=1")).page.continue, defaultNames);
    await put(fixture, "d");
    const from = async (start: string) => (await list(fixture, `continue=${writeContinue({ revision, start }, defaultNames)}`)).names;
    assert.deepEqual(await from("/a\0"), ["b", "c"]);
    assert.deepEqual(await from("/b"), ["b", "c"]);
    assert.deepEqual(await from(""), ["a", "b", "c"]);
  });

  promise("a token of a compacted version answers 410 with a token to continue with", async (fixture) => {
    for (const name of ["a", "b", "c"]) await put(fixture, name);
    const { page } = await list(fixture, "limit=1");
    const newest = await put(fixture, "d");
    await fixture.store.compact(newest);
    const error = await refusedBy(
      () => list(fixture, `limit=1&continue=${page.continue}`),
      410,
      /^The provided continue parameter is too old to display a consistent list result\./,
    );
    const rest = await list(fixture, `continue=${error.continue}`);
    assert.deepEqual([rest.names, rest.page.revision], [["b", "c", "d"], newest]);
  });

  promise("tokens are rejected together with a version, and when they are malformed", async (fixture) => {
    await put(fixture, "a");
    await put(fixture, "b");
    const { page } = await list(fixture, "limit=1");
    await refusedBy(
      () => list(fixture, `continue=${page.continue}&resourceVersion=${page.revision}`),
      400,
      "specifying resource version is not allowed when using continue",
    );
    await refusedBy(() => list(fixture, "continue=!!!"), 400, /^invalid continue token: /);
  });

  promise("chunked lists are consistent during concurrent writes", async (fixture) => {
    const names = Array.from({ length: 60 }, (_, index) => `n-${String(index).padStart(2, "0")}`);
    for (const name of names) await put(fixture, name, { data: { k: "0" } });
    let enough = false;
    const writing = (async () => {
      for (let round = 0; !enough; round++) {
        const name = names[round * 17 % names.length]!;
        if (round % 4 === 3) await remove(fixture, name).then(() => put(fixture, name, { data: { k: "back" } }));
        else await put(fixture, name, { data: { k: `${round}` } });
      }
    })();
    try {
      for (let walk = 0; walk < 5; walk++) {
        const seen: unknown[] = [];
        let token = "";
        let revision = 0;
        do {
          const { page, objects } = await list(fixture, `limit=7${token === "" ? "" : `&continue=${token}`}`);
          seen.push(...objects);
          revision ||= page.revision;
          assert.equal(page.revision, revision);
          token = page.continue;
        } while (token !== "");
        assert.deepEqual(seen, (await list(fixture, `resourceVersion=${revision}&resourceVersionMatch=Exact`)).objects);
      }
    } finally {
      enough = true;
      await writing;
    }
  });
}
