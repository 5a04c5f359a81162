// Several watches of ConfigMaps: each receives the selected events, in one order, and resumes where another one ended.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { told, world } from "./world.ts";

const path = "/api/v1/namespaces/default/configmaps";

describe("watches of ConfigMaps", () => {
  const { ask, create, now, patch, put, remove, watch } = world();
  const configMap = (name: string, labels: Readonly<Record<string, string>>, data: Readonly<Record<string, string>> = {}) => ({
    metadata: { name, labels },
    data,
  });

  test("with selectors of a, of b and of both receive their additions, changes and deletions", async () => {
    const from = { resourceVersion: await now(path) };
    const selectors = ["watched=a", "watched=b", "watched in (a,b)"];
    const [a, b, both] = await Promise.all(selectors.map((labelSelector) => watch(path, { ...from, labelSelector })));
    for (const name of ["a", "b"]) {
      await create(path, configMap(name, { watched: name }));
      await patch(`${path}/${name}`, { data: { mutation: "1" } });
      await patch(`${path}/${name}`, { data: { mutation: "2" } });
      await remove(`${path}/${name}`);
    }
    const life = (name: string) => ["ADDED", "MODIFIED", "MODIFIED", "DELETED"].map((type) => `${type} ${name}`);
    const seenByA = await a!.take(4), seenByB = await b!.take(4);
    assert.deepEqual([told(seenByA), told(seenByB)], [life("a"), life("b")]);
    assert.deepEqual(seenByA.map(({ object }) => object.data?.mutation), [undefined, "1", "2", "2"]);
    assert.deepEqual(await both!.take(8), [...seenByA, ...seenByB], "the same events");
  });

  test("that start at the version of a change receive the later ones, and not that change", async () => {
    const labels = { watched: "from-a-version" }, one = `${path}/from-a-version`;
    await create(path, configMap("from-a-version", labels));
    const { metadata: { resourceVersion } } = await patch(one, { data: { mutation: "1" } });
    await patch(one, { data: { mutation: "2" } });
    await remove(one);
    const seen = await (await watch(path, { resourceVersion, labelSelector: "watched=from-a-version" })).take(2);
    assert.deepEqual(seen.map(({ type, object }) => [type, object.data.mutation]), [["MODIFIED", "2"], ["DELETED", "2"]]);
  });

  test("that are closed are resumed by another at the last version: no event is lost or repeated", async () => {
    const labelSelector = "watched=closed", one = `${path}/closed`;
    const first = await watch(path, { resourceVersion: await now(path), labelSelector });
    await create(path, configMap("closed", { watched: "closed" }));
    await patch(one, { data: { mutation: "1" } });
    const seen = await first.take(2);
    first.close();
    await patch(one, { data: { mutation: "2" } });
    await remove(one);
    const { resourceVersion } = seen.at(-1)!.object.metadata;
    const rest = await (await watch(path, { resourceVersion, labelSelector })).take(2);
    assert.deepEqual([...seen, ...rest].map(({ type, object }) => [type, object.data?.mutation]), [
      ["ADDED", undefined],
      ["MODIFIED", "1"],
      ["MODIFIED", "2"],
      ["DELETED", "2"],
    ]);
  });

  test("by label receive a deletion when the label changes, and an addition when it changes back", async () => {
    const labelSelector = "watched=moving", one = `${path}/moving`;
    const seen = await watch(path, { resourceVersion: await now(path), labelSelector });
    const made = await create(path, configMap("moving", { watched: "moving" }));
    const away = await put(one, { ...made, metadata: { ...made.metadata, labels: { watched: "elsewhere" } }, data: { mutation: "1" } });
    await patch(one, { data: { mutation: "2" } });
    await patch(one, { metadata: { labels: { watched: "moving" } } });
    await patch(one, { data: { mutation: "3" } });
    await remove(one);
    const events = await seen.take(5);
    assert.deepEqual(events.map(({ type, object }) => [type, object.data?.mutation]), [
      ["ADDED", undefined],
      ["DELETED", undefined],
      ["ADDED", "2"],
      ["MODIFIED", "3"],
      ["DELETED", "3"],
    ]);
    const left = events[1]!.object.metadata;
    assert.deepEqual([left.labels, left.resourceVersion], [made.metadata.labels, away.metadata.resourceVersion]);
  });

  test("from every version of a busy period receive the later events in one order", async () => {
    const labels = { watched: "busy" }, writers = 4, rounds = 6;
    const from = await now(path);
    await Promise.all(Array.from({ length: writers }, async (_, writer) => {
      const name = `busy-${writer}`;
      await create(path, configMap(name, labels));
      for (let round = 1; round <= rounds; round++) await patch(`${path}/${name}`, { data: { round: `${round}` } });
      await ask(200, `${path}/${name}`, { method: "DELETE" });
    }));
    const total = writers * (rounds + 2), labelSelector = "watched=busy";
    const all = await (await watch(path, { resourceVersion: from, labelSelector })).take(total);
    assert.equal(new Set(all.map(({ object }) => object.metadata.resourceVersion)).size, total);
    for (const [at, { object }] of all.slice(0, -1).entries()) {
      const later = await watch(path, { resourceVersion: object.metadata.resourceVersion, labelSelector });
      assert.deepEqual(await later.take(total - at - 1), all.slice(at + 1));
      later.close();
    }
  });
});
