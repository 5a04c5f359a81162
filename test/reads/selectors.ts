/** Selectors of lists and of watches. */
import assert from "node:assert/strict";
import { list, put, remove, type SeenEvent, startWatch, summaries } from "./fixture.ts";
import type { Case } from "./case.ts";

export function selectors(promise: Case): void {
  promise("list() selects by labels, names and declared fields, as of the version that it shows", async (fixture) => {
    await put(fixture, "a", { labels: { env: "prod", __proto__x: "1" } });
    await put(fixture, "b", { labels: { env: "dev" }, mood: "sad" });
    const before = await put(fixture, "c", { mood: "sad" });
    await put(fixture, "elsewhere", { namespace: "other", labels: { env: "prod" } });
    const names = async (query: string, namespace = "ns") => (await list(fixture, query, { namespace })).names;
    assert.deepEqual(await names("labelSelector=env"), ["a", "b"]);
    assert.deepEqual(await names("labelSelector=env!=prod"), ["b", "c"]);
    assert.deepEqual(await names("labelSelector=constructor"), []);
    assert.deepEqual(await names("fieldSelector=metadata.name=b"), ["b"]);
    assert.deepEqual(await names("fieldSelector=metadata.name!=b"), ["a", "c"]);
    assert.deepEqual(await names("fieldSelector=metadata.name=b&labelSelector=env=prod"), []);
    assert.deepEqual(await names("fieldSelector=mood=sad"), ["b", "c"]);
    assert.deepEqual(await names("fieldSelector=mood=sad,metadata.name!=c"), ["b"]);
    assert.deepEqual(await names("labelSelector=env=prod", ""), ["ns/a", "other/elsewhere"]);
    assert.deepEqual(await names("fieldSelector=metadata.namespace=other", ""), ["other/elsewhere"]);
    assert.deepEqual(await names("fieldSelector=metadata.namespace=ns,metadata.name=c", ""), ["ns/c"]);
    assert.deepEqual(await names("fieldSelector=metadata.name=c", ""), ["ns/c"]);
    assert.deepEqual(await names("fieldSelector=metadata.namespace=Not_One", ""), []);
    assert.deepEqual(await names("fieldSelector=metadata.namespace=other"), []);
    await put(fixture, "c", { labels: { env: "prod" } });
    const exact = `resourceVersion=${before}&resourceVersionMatch=Exact`;
    assert.deepEqual(await names(`${exact}&labelSelector=env=prod`), ["a"]);
    assert.deepEqual(await names(`${exact}&fieldSelector=mood=sad`), ["b", "c"]);
    assert.deepEqual(await names("fieldSelector=mood=sad"), ["b"]);
  });

  promise("chunks of a selection are full, have no remaining count, and the last one can be empty", async (fixture) => {
    for (const name of ["a", "b", "c", "d"]) await put(fixture, name, name === "a" || name === "c" ? { labels: { pick: "1" } } : {});
    const first = await list(fixture, "limit=1&labelSelector=pick");
    assert.deepEqual([first.names, first.page.remaining], [["a"], undefined]);
    const second = await list(fixture, `limit=1&labelSelector=pick&continue=${first.page.continue}`);
    assert.deepEqual([second.names, second.page.continue === ""], [["c"], false]);
    const third = await list(fixture, `limit=1&labelSelector=pick&continue=${second.page.continue}`);
    assert.deepEqual([third.names, third.page.continue], [[], ""]);
    assert.equal((await list(fixture, "limit=2&labelSelector=pick")).page.continue === "", false);
    assert.equal((await list(fixture, "limit=3&labelSelector=pick")).page.continue, "");
    const other = await list(fixture, "limit=1&fieldSelector=metadata.name!=a");
    assert.deepEqual([other.names, other.page.continue === "", other.page.remaining], [["b"], false, undefined]);
    assert.equal((await list(fixture, "limit=1&fieldSelector=metadata.name=b")).page.continue, "");
    const spaced = await list(fixture, "limit=1&fieldSelector=metadata.namespace=ns", { namespace: "" });
    assert.deepEqual([spaced.names, spaced.page.continue === "", spaced.page.remaining], [["ns/a"], false, undefined]);
  });
}

export function watchSelectors(promise: Case): void {
  promise(
    "an object that leaves a selector is DELETED in its old state at the new version, one that enters it is ADDED",
    async (fixture) => {
      const made = await put(fixture, "a", { labels: { side: "left" }, data: { k: "one" } });
      const right = await put(fixture, "a", { labels: { side: "right" }, data: { k: "two" } });
      const still = await put(fixture, "a", { labels: { side: "right" }, data: { k: "three" } });
      const back = await put(fixture, "a", { labels: { side: "left" }, data: { k: "three" } });
      const gone = await remove(fixture, "a");
      const last = await put(fixture, "marker", { labels: { side: "left" } });
      await put(fixture, "marker", { labels: { side: "right" } });
      const left = await startWatch(fixture, `resourceVersion=${made}&labelSelector=side=left`);
      await left.has(5);
      const events = await left.stop();
      assert.deepEqual(summaries(events).slice(0, 4), [
        `DELETED a ${right}`,
        `ADDED a ${back}`,
        `DELETED a ${gone}`,
        `ADDED marker ${last}`,
      ]);
      assert.deepEqual((events[0]?.object as { data?: unknown }).data, { k: "one" });
      const other = await startWatch(fixture, `resourceVersion=${made}&labelSelector=side=right`);
      await other.has(4);
      assert.deepEqual(summaries(await other.stop()).slice(0, 3), [`ADDED a ${right}`, `MODIFIED a ${still}`, `DELETED a ${back}`]);
    },
  );

  promise("watch() selects by name and by declared fields", async (fixture) => {
    const from = await put(fixture, "x");
    const name = await startWatch(fixture, `resourceVersion=${from}&fieldSelector=metadata.name=a`);
    const sad = await startWatch(fixture, `resourceVersion=${from}&fieldSelector=mood=sad`, { namespace: "" });
    const space = await startWatch(fixture, `resourceVersion=${from}&fieldSelector=metadata.namespace=other`, { namespace: "" });
    await put(fixture, "a");
    await put(fixture, "b", { mood: "sad" });
    await put(fixture, "b", { namespace: "other", mood: "sad" });
    await put(fixture, "b");
    await remove(fixture, "a");
    await name.has(2);
    await sad.has(3);
    await space.has(1);
    const brief = (events: readonly SeenEvent[]) =>
      events.map(({ type, object }) => `${type} ${object.metadata.namespace}/${object.metadata.name}`);
    assert.deepEqual(brief(await name.stop()), ["ADDED ns/a", "DELETED ns/a"]);
    assert.deepEqual(brief(await sad.stop()), ["ADDED ns/b", "ADDED other/b", "DELETED ns/b"]);
    assert.deepEqual(brief(await space.stop()), ["ADDED other/b"]);
  });
}
