/** Watches during random concurrent writes. */
import assert from "node:assert/strict";
import { get, noteOf, put, remove, revisionOfEvent, type SeenEvent, startWatch, summaries } from "./fixture.ts";
import type { Case } from "./case.ts";

export function races(promise: Case): void {
  promise("watches among random writers are ordered, unique, complete and correct", async (fixture) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = randomOf(seed);
    const from = await put(fixture, "start");
    const queries = ["", "labelSelector=l=1", "labelSelector=l!=1", "fieldSelector=mood=sad", "fieldSelector=metadata.name=n-3"];
    const watching = await Promise.all(queries.map((query) => startWatch(fixture, `resourceVersion=${from}&${query}`)));
    const early = new Map(watching.map((watch, index) => [queries[index]!, watch]));
    await Promise.all(Array.from({ length: 6 }, async (_, writer) => {
      for (let round = 0; round < 40; round++) {
        // Each writer has its own names, so no writer deletes another's objects.
        const name = `n-${writer + 6 * Math.floor(random() * 3)}`;
        const there = (await get(fixture, name)) !== undefined;
        if (there && random() < 0.3) await remove(fixture, name);
        else {await put(fixture, name, {
            labels: { l: `${Math.floor(random() * 3)}` },
            mood: random() < 0.5 ? "sad" : "plain",
            data: { round: `${round}` },
          });}
      }
    }));
    // An event that all watches get.
    await put(fixture, "n-3", { labels: { l: "1" }, mood: "sad" });
    await put(fixture, "n-3", { labels: { l: "2" }, mood: "sad" });
    const last = await remove(fixture, "n-3");
    const all = early.get("") ?? assert.fail();
    await all.reached(last);
    const history = (await all.stop()).filter((event) => revisionOfEvent(event) <= last);
    assertHistory(history, seed);
    for (const [query, watch] of early) {
      if (query === "") continue;
      const expected = selectedOf(history, query);
      await watch.reached(revisionOfEvent(expected.at(-1)!));
      assert.deepEqual(await watch.stop(), expected, `seed ${seed}, ${query}`);
    }
  });
}

/** The history as a selector shows it. */
function selectedOf(history: readonly SeenEvent[], query: string): SeenEvent[] {
  const holds = (object: SeenEvent["object"] | undefined): boolean => {
    if (object === undefined) return false;
    const { mood } = object as { mood?: string };
    if (query === "labelSelector=l=1") return object.metadata.labels?.l === "1";
    if (query === "labelSelector=l!=1") return object.metadata.labels?.l !== "1";
    return query === "fieldSelector=mood=sad" ? mood === "sad" : object.metadata.name === "n-3";
  };
  const there = new Map<string, SeenEvent["object"]>([["start", noteOf("start")]]);
  return history.flatMap((event): SeenEvent[] => {
    const name = event.object.metadata.name ?? "";
    const prior = there.get(name);
    const next = event.type === "DELETED" ? undefined : event.object;
    if (next === undefined) there.delete(name);
    else there.set(name, next);
    const saw = holds(prior), sees = holds(next);
    if (sees) return [{ type: saw ? "MODIFIED" : "ADDED", object: event.object }];
    if (!saw || prior === undefined) return [];
    return [{ type: "DELETED", object: { ...prior, metadata: { ...prior.metadata, resourceVersion: `${revisionOfEvent(event)}` } } }];
  });
}

/** Asserts that revisions rise, and that each event fits the state after the earlier ones. */
function assertHistory(events: readonly SeenEvent[], seed: number): void {
  const there = new Map<string, SeenEvent["object"]>([["start", noteOf("start")]]);
  let last = 0;
  for (const event of events) {
    const name = event.object.metadata.name ?? "";
    assert.ok(revisionOfEvent(event) > last, `seed ${seed}: ${summaries([event])} after ${last}`);
    last = revisionOfEvent(event);
    assert.equal(event.type === "ADDED", !there.has(name), `seed ${seed}: ${summaries([event])}`);
    if (event.type !== "DELETED") there.set(name, event.object);
    else {
      const { resourceVersion: _, ...metadata } = event.object.metadata;
      const { resourceVersion: _own, ...before } = there.get(name)!.metadata;
      assert.deepEqual({ ...event.object, metadata }, { ...there.get(name), metadata: before }, `seed ${seed}`);
      there.delete(name);
    }
  }
}

/** Pseudo-random numbers in [0, 1), determined by the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
