// In Deno's suite only: the cache uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StoreError } from "../store/store.ts";
import { withCache } from "../../test/reads/bench.ts";
import {
  catalogOf,
  get,
  list,
  openWatch,
  plugin,
  put,
  remove,
  revisionOfEvent,
  startWatch,
  summaries,
  within,
} from "../../test/reads/fixture.ts";

const all = plugin.resources ?? [];
const without = (...kinds: string[]) => catalogOf(all.filter(({ kind }) => !kinds.includes(kind)));
const shelves = { plural: "shelves" };
const notFound = [["ERROR", 404, "the server could not find the requested resource"]];
const lastEvents = (events: readonly { type: string; object: { code?: number; message?: string } }[]) =>
  events.map(({ type, object }) => [type, object.code, object.message]);

test("adopt() reads only the new kind; the store answers for it until it is filled", () =>
  withCache(async ({ fixture, cache, faulty }) => {
    await put(fixture, "a", { plural: "shelves" });
    await put(fixture, "note");
    await list(fixture);
    const release = Promise.withResolvers<void>();
    faulty.holdList = (_, page) => page?.at === undefined ? Promise.resolve() : release.promise;
    faulty.lists = 0;
    const adopted = cache.adopt(catalogOf(all));
    // Each list is read from the store.
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a"]);
    const b = await put(fixture, "b", { plural: "shelves" });
    assert.deepEqual((await list(fixture, "labelSelector=!x", shelves)).names, ["a", "b"]);
    assert.equal((await get(fixture, "b", "", shelves))?.revision, b);
    const { watches } = faulty;
    const watch = await startWatch(fixture, `resourceVersion=${b - 1}`, shelves);
    await watch.has(1);
    assert.equal(faulty.watches, watches + 1);
    // The others are not read again.
    await list(fixture);
    assert.equal(faulty.lists, 3);
    release.resolve();
    await within(adopted, "the new kind");
    assert.equal(faulty.lists, 3);
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a", "b"]);
    const later = await startWatch(fixture, `resourceVersion=${b}`, shelves);
    const c = await put(fixture, "c", { plural: "shelves" });
    await Promise.all([watch.reached(c), later.reached(c)]);
    assert.deepEqual(summaries(await watch.stop()), [`ADDED b ${b}`, `ADDED c ${c}`]);
    assert.deepEqual(summaries(await later.stop()), [`ADDED c ${c}`]);
    assert.deepEqual([faulty.lists, faulty.watches], [3, watches + 1]);
  }, { catalog: without("Shelf") }));

test("a watch of ownership waits for a new kind, and does not watch the store", () =>
  withCache(async ({ fixture, cache, faulty }) => {
    const a = await put(fixture, "a", { plural: "shelves" });
    const release = Promise.withResolvers<void>();
    faulty.holdList = () => release.promise;
    const { watches } = faulty;
    const adopted = cache.adopt(catalogOf(all));
    const starting = startWatch(fixture, `resourceVersion=${a}`, { ...shelves, watchScope: "ownership" });
    release.resolve();
    await within(adopted, "the new kind");
    const watch = await within(starting, "the watch"), b = await put(fixture, "b", { plural: "shelves" });
    await watch.reached(b);
    assert.deepEqual(summaries(await watch.stop()), [`ADDED b ${b}`]);
    assert.equal(faulty.watches, watches);
  }, { catalog: without("Shelf") }));

test("adopt() applies each event that arrives during the read of a new kind exactly once", () =>
  withCache(async ({ fixture, cache, faulty }) => {
    const a = await put(fixture, "a", { plural: "shelves" });
    await put(fixture, "b", { plural: "shelves" });
    const read = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
    faulty.holdList = () => (read.resolve(), release.promise);
    // The cache gets these events only after the kind was read.
    const heard = Promise.withResolvers<void>();
    faulty.hold = heard.promise;
    const early = await put(fixture, "early", { plural: "shelves" });
    const adopted = cache.adopt(catalogOf(all));
    await read.promise;
    const changed = await put(fixture, "a", { plural: "shelves", labels: { side: "left" } });
    const removed = await remove(fixture, "b", { plural: "shelves" });
    const c = await put(fixture, "c", { plural: "shelves" });
    faulty.holdList = undefined;
    faulty.lists = 0;
    release.resolve();
    // The kind was read at a later revision than the cache's: the store answers until the cache has reached it.
    for (let round = 1; round <= 5; round++) {
      const { page, objects } = await list(fixture, `resourceVersion=0&labelSelector=round!=${round}`, shelves);
      assert.ok(objects.every(({ metadata }) => Number(metadata.resourceVersion) <= page.revision));
      assert.equal(faulty.lists, round);
    }
    faulty.hold = undefined;
    heard.resolve();
    await within(adopted, "the new kind");
    faulty.lists = 0;
    const shown = await list(fixture, "resourceVersion=0", shelves);
    assert.deepEqual(shown.objects.map(({ metadata }) => metadata.resourceVersion), [`${changed}`, `${c}`, `${early}`]);
    const at = await list(fixture, `resourceVersion=${removed}&resourceVersionMatch=Exact`, shelves);
    assert.deepEqual(at.objects.map(({ metadata }) => metadata.resourceVersion), [`${changed}`, `${early}`]);
    const watch = await startWatch(fixture, `resourceVersion=${a}`, shelves);
    await watch.reached(c);
    assert.deepEqual((await watch.stop()).slice(1).map(revisionOfEvent), [early, changed, removed, c]);
  }, { catalog: without("Shelf") }));

test("watches begun before and after a new kind is filled get the same events, without a gap or a repeat", () =>
  withCache(async ({ fixture, cache }) => {
    const from = await put(fixture, "start", { plural: "shelves" });
    let enough = false;
    const writing = (async () => {
      for (let round = 0; !enough; round++) {
        const name = `n-${round % 7}`;
        await put(fixture, name, { plural: "shelves", labels: { round: `${round}` } });
        if (round % 5 === 4) await remove(fixture, name, { plural: "shelves" });
      }
      return await put(fixture, "end", { plural: "shelves" });
    })();
    const adopted = cache.adopt(catalogOf(all));
    const watching = [await startWatch(fixture, `resourceVersion=${from}`, shelves)];
    let filled = false;
    void adopted.then(() => filled = true);
    // Each reads all events from the store, which delays the fill on a busy machine.
    while (!filled && watching.length < 20) {
      watching.push(await startWatch(fixture, `resourceVersion=${from}`, shelves));
      await watching.at(-1)?.has(1);
    }
    await adopted;
    for (let round = 0; round < 3; round++) watching.push(await startWatch(fixture, `resourceVersion=${from}`, shelves));
    enough = true;
    const end = await writing;
    await Promise.all(watching.map((watch) => watch.reached(end)));
    const [first, ...others] = await Promise.all(watching.map((watch) => watch.stop()));
    const revisions = first!.map(revisionOfEvent);
    assert.deepEqual(revisions, [...new Set(revisions)].sort((a, b) => a - b));
    for (const events of others) assert.deepEqual(events, first);
  }, { catalog: without("Shelf") }));

test("adopt() ends watches of removed kinds with the 404 of a new request, after all earlier events", () =>
  withCache(async ({ fixture, cache, faulty }) => {
    const from = await put(fixture, "a", { plural: "shelves" });
    const waits = await startWatch(fixture, `resourceVersion=${from}`, shelves);
    const stays = await startWatch(fixture, `resourceVersion=${from}`);
    const uncached = await startWatch(fixture, `resourceVersion=${from}`, { plural: "scraps" });
    await list(fixture, "", shelves);
    const { stream } = await openWatch(fixture, `resourceVersion=${from}`, shelves);
    const b = await put(fixture, "b", { plural: "shelves" });
    await waits.has(1);
    const scrap = await put(fixture, "scrap", { plural: "scraps" });
    await uncached.has(1);
    await cache.adopt(without("Shelf", "Scrap"));
    await Promise.all([waits.ended, uncached.ended]);
    assert.deepEqual(summaries(waits.events.slice(0, 1)), [`ADDED b ${b}`]);
    assert.deepEqual(lastEvents(waits.events.slice(1)), notFound);
    assert.deepEqual(summaries(uncached.events.slice(0, 1)), [`ADDED scrap ${scrap}`]);
    assert.deepEqual(lastEvents(uncached.events.slice(1)), notFound);
    // A watch that has not been read yet gets the same events.
    let text = "";
    for await (const piece of stream) text += new TextDecoder().decode(piece);
    const events = text.trimEnd().split("\n").map((line) => JSON.parse(line) as { type: string; object: ApiObject & { code?: number } });
    assert.deepEqual(events.map(({ type, object }) => object.code ?? `${type} ${object.metadata.name}`), ["ADDED b", 404]);
    const late = await startWatch(fixture, "", shelves);
    await late.ended;
    assert.deepEqual(lastEvents(late.events), notFound, "a watch that was about to begin does not begin");
    const note = await put(fixture, "note");
    await stays.reached(note);
    assert.deepEqual(summaries(await stays.stop()), [`ADDED note ${note}`]);
    // Removed kinds are read from the store.
    faulty.lists = 0;
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a", "b"]);
    assert.equal(faulty.lists, 1);
    assert.equal(cache.size().watches, 0);
  }));

test("adopt() gives a waiting watch no partial initial state", () =>
  withCache(async ({ fixture, cache, faulty }) => {
    await list(fixture);
    const release = Promise.withResolvers<void>();
    faulty.hold = release.promise;
    await put(fixture, "a", { plural: "shelves" });
    const { gets } = faulty;
    const watch = await startWatch(fixture, "allowWatchBookmarks=1", shelves);
    while (faulty.gets === gets) await put(fixture, "note");
    await cache.adopt(without("Shelf"));
    faulty.hold = undefined;
    release.resolve();
    await watch.ended;
    assert.deepEqual(lastEvents(watch.events), notFound);
  }));

test("adopt() releases the memory of a removed kind", () =>
  withCache(async ({ fixture, cache }) => {
    for (let index = 0; index < 8; index++) await put(fixture, `n-${index}`, { data: { text: "x".repeat(500_000) } });
    await list(fixture);
    const before = cache.size().slabBytes;
    await cache.adopt(without("Note"));
    assert.ok(before - cache.size().slabBytes >= 4_000_000, `${before} bytes became ${cache.size().slabBytes}`);
  }));

test("adopt() of another definition ends watches without an event, and selects by the new definition", () =>
  withCache(async ({ fixture, cache }) => {
    const from = await put(fixture, "a", { mood: "sad" });
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    const shelf = await startWatch(fixture, `resourceVersion=${from}`, shelves);
    const note = all.find(({ kind }) => kind === "Note")!;
    const changed: Resource = { ...note, shortNames: ["nt"] };
    const next = catalogOf(all.map((resource) => resource === note ? changed : resource));
    await within(cache.adopt(next), "the other definition");
    await watch.ended;
    assert.deepEqual(watch.events, []);
    const again = next.endpoint("", "v1", "notes")!;
    assert.notEqual(await fixture.reads.get(again.stored, "/registry/notes/ns/a", "", new AbortController()), undefined);
    const last = await put(fixture, "s", { plural: "shelves" });
    await shelf.reached(last);
    await shelf.stop();
  }));

test("adopt() keeps the kinds of both catalogs: watches continue, nothing is read again", () =>
  withCache(async ({ fixture, cache, faulty }) => {
    const from = await put(fixture, "a");
    await list(fixture);
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    faulty.lists = 0;
    await cache.adopt(catalogOf(all));
    const b = await put(fixture, "b");
    await watch.reached(b);
    assert.deepEqual(summaries(await watch.stop()), [`ADDED b ${b}`]);
    assert.deepEqual((await list(fixture)).names, ["a", "b"]);
    assert.equal(faulty.lists, 0);
  }));

test("a kind whose read fails is read again, together with all others if the watch breaks meanwhile", () =>
  withCache(async ({ fixture, cache, faulty, errors }) => {
    const a = await put(fixture, "a", { plural: "shelves" });
    const broken = new StoreError("unavailable", "no leader");
    let tries = 0;
    faulty.holdList = (_, page) => {
      if (page?.at === undefined || ++tries > 2) return Promise.resolve();
      if (tries === 1) return Promise.reject(broken);
      faulty.breakWatches(new Error("broken"));
      return Promise.resolve();
    };
    await within(cache.adopt(catalogOf(all)), "the new kind");
    assert.equal(errors[0], broken);
    assert.match(`${errors[1]}`, /broken/);
    assert.equal(errors.length, 2);
    faulty.lists = 0;
    assert.equal((await list(fixture, "", shelves)).page.revision, a);
    assert.equal(faulty.lists, 0);
  }, { catalog: without("Shelf") }));

test("a kind with more events during its read than are kept is read again", () =>
  withCache(async ({ fixture, cache, faulty, errors }) => {
    await put(fixture, "a", { plural: "shelves" });
    let tries = 0;
    faulty.holdList = async () => {
      if (++tries > 1) return;
      for (const name of ["b", "c", "d"]) await put(fixture, name, { plural: "shelves" });
      await list(fixture);
    };
    await within(cache.adopt(catalogOf(all)), "the new kind");
    assert.match(`${errors}`, /shelves changed too much while they were read into the cache/);
    assert.equal(tries, 2);
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a", "b", "c", "d"]);
  }, { catalog: without("Shelf"), bounds: { eventsMax: 2 } }));

test("a kind that is removed during its read is dropped, also when the cache closes", () =>
  withCache(async ({ fixture, cache, faulty, errors }) => {
    await put(fixture, "a", { plural: "shelves" });
    const release = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    faulty.holdList = () => (read.resolve(), release.promise);
    const adopted = cache.adopt(catalogOf(all));
    await read.promise;
    const again = cache.adopt(without("Shelf"));
    release.resolve();
    await within(Promise.all([adopted, again]), "both");
    faulty.holdList = undefined;
    faulty.lists = 0;
    await list(fixture, "", shelves);
    assert.equal(faulty.lists, 1);
    faulty.holdList = (_, page) =>
      new Promise((_resolve, reject) => page?.signal?.addEventListener("abort", () => reject(page.signal?.reason)));
    const closing = cache.adopt(catalogOf(all));
    await within(Promise.all([cache.close(), closing]), "the end");
    assert.deepEqual(errors, []);
  }, { catalog: without("Shelf") }));
