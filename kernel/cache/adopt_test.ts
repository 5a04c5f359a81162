import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StoreError } from "../store/store.ts";
import { withCache } from "./testing/bench.ts";
import { catalogOf, get, list, openWatch, plugin, put, remove, revisionOfEvent, startWatch, told, within } from "./testing/fixture.ts";

const all = plugin.resources ?? [];
const without = (...kinds: string[]) => catalogOf(all.filter(({ kind }) => !kinds.includes(kind)));
const shelves = { plural: "shelves" };
const gone = [["ERROR", 404, "the server could not find the requested resource"]];
const lastWords = (events: readonly { type: string; object: { code?: number; message?: string } }[]) =>
  events.map(({ type, object }) => [type, object.code, object.message]);

test("adopt() reads a new kind alone, while the store answers for it, and answers from memory then", () =>
  withCache(async ({ fixture, cache, brittle }) => {
    await put(fixture, "a", { plural: "shelves" });
    await put(fixture, "note");
    await list(fixture);
    const release = Promise.withResolvers<void>();
    brittle.holdList = (_, page) => page?.at === undefined ? Promise.resolve() : release.promise;
    brittle.lists = 0;
    const adopted = cache.adopt(catalogOf(all));
    // From the store: each list asks it.
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a"]);
    const b = await put(fixture, "b", { plural: "shelves" });
    assert.deepEqual((await list(fixture, "labelSelector=!x", shelves)).names, ["a", "b"]);
    assert.equal((await get(fixture, "b", "", shelves))?.revision, b);
    const { watches } = brittle;
    const watch = await startWatch(fixture, `resourceVersion=${b - 1}`, shelves);
    await watch.has(1);
    assert.equal(brittle.watches, watches + 1);
    // The others are not read again.
    await list(fixture);
    assert.equal(brittle.lists, 3);
    release.resolve();
    await within(adopted, "the new kind");
    assert.equal(brittle.lists, 3);
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a", "b"]);
    const later = await startWatch(fixture, `resourceVersion=${b}`, shelves);
    const c = await put(fixture, "c", { plural: "shelves" });
    await Promise.all([watch.reached(c), later.reached(c)]);
    assert.deepEqual(told(await watch.stop()), [`ADDED b ${b}`, `ADDED c ${c}`]);
    assert.deepEqual(told(await later.stop()), [`ADDED c ${c}`]);
    assert.deepEqual([brittle.lists, brittle.watches], [3, watches + 1]);
  }, { catalog: without("Shelf") }));

test("adopt() loses no change that comes while the kind is read, and takes none twice", () =>
  withCache(async ({ fixture, cache, brittle }) => {
    const a = await put(fixture, "a", { plural: "shelves" });
    await put(fixture, "b", { plural: "shelves" });
    const read = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
    brittle.holdList = () => (read.resolve(), release.promise);
    // Told to the cache only once the kind has been read.
    const heard = Promise.withResolvers<void>();
    brittle.hold = heard.promise;
    const early = await put(fixture, "early", { plural: "shelves" });
    const adopted = cache.adopt(catalogOf(all));
    await read.promise;
    const changed = await put(fixture, "a", { plural: "shelves", labels: { side: "left" } });
    const removed = await remove(fixture, "b", { plural: "shelves" });
    const c = await put(fixture, "c", { plural: "shelves" });
    brittle.holdList = undefined;
    brittle.lists = 0;
    release.resolve();
    // It has been read, and shows more than the cache knows of all others: until that is made up for, the store answers.
    for (let round = 1; round <= 5; round++) {
      const { page, objects } = await list(fixture, `resourceVersion=0&labelSelector=round!=${round}`, shelves);
      assert.ok(objects.every(({ metadata }) => Number(metadata.resourceVersion) <= page.revision));
      assert.equal(brittle.lists, round);
    }
    brittle.hold = undefined;
    heard.resolve();
    await within(adopted, "the new kind");
    brittle.lists = 0;
    const shown = await list(fixture, "resourceVersion=0", shelves);
    assert.deepEqual(shown.objects.map(({ metadata }) => metadata.resourceVersion), [`${changed}`, `${c}`, `${early}`]);
    const at = await list(fixture, `resourceVersion=${removed}&resourceVersionMatch=Exact`, shelves);
    assert.deepEqual(at.objects.map(({ metadata }) => metadata.resourceVersion), [`${changed}`, `${early}`]);
    const watch = await startWatch(fixture, `resourceVersion=${a}`, shelves);
    await watch.reached(c);
    assert.deepEqual((await watch.stop()).slice(1).map(revisionOfEvent), [early, changed, removed, c]);
  }, { catalog: without("Shelf") }));

test("watches begun before and after a new kind is filled all tell the same, without a gap or a repeat", () =>
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
    while (!filled) {
      watching.push(await startWatch(fixture, `resourceVersion=${from}`, shelves));
      await watching.at(-1)?.has(1);
    }
    for (let round = 0; round < 3; round++) watching.push(await startWatch(fixture, `resourceVersion=${from}`, shelves));
    enough = true;
    const end = await writing;
    await Promise.all(watching.map((watch) => watch.reached(end)));
    const [first, ...others] = await Promise.all(watching.map((watch) => watch.stop()));
    const revisions = first!.map(revisionOfEvent);
    assert.deepEqual(revisions, [...new Set(revisions)].sort((a, b) => a - b));
    for (const events of others) assert.deepEqual(events, first);
  }, { catalog: without("Shelf") }));

test("adopt() ends watches of what is gone with the 404 of a new request, after what happened before", () =>
  withCache(async ({ fixture, cache, brittle }) => {
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
    assert.deepEqual(told(waits.events.slice(0, 1)), [`ADDED b ${b}`]);
    assert.deepEqual(lastWords(waits.events.slice(1)), gone);
    assert.deepEqual(told(uncached.events.slice(0, 1)), [`ADDED scrap ${scrap}`]);
    assert.deepEqual(lastWords(uncached.events.slice(1)), gone);
    // One that has not read yet is told the same.
    let text = "";
    for await (const piece of stream) text += new TextDecoder().decode(piece);
    const events = text.trimEnd().split("\n").map((line) => JSON.parse(line) as { type: string; object: ApiObject & { code?: number } });
    assert.deepEqual(events.map(({ type, object }) => object.code ?? `${type} ${object.metadata.name}`), ["ADDED b", 404]);
    const late = await startWatch(fixture, "", shelves);
    await late.ended;
    assert.deepEqual(lastWords(late.events), gone, "a watch that was on its way does not begin");
    const note = await put(fixture, "note");
    await stays.reached(note);
    assert.deepEqual(told(await stays.stop()), [`ADDED note ${note}`]);
    // What is forgotten is what the store is asked for.
    brittle.lists = 0;
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a", "b"]);
    assert.equal(brittle.lists, 1);
    assert.equal(cache.size().watches, 0);
  }));

test("adopt() leaves no half of a beginning to a watch that waits for it", () =>
  withCache(async ({ fixture, cache, brittle }) => {
    await list(fixture);
    const release = Promise.withResolvers<void>();
    brittle.hold = release.promise;
    await put(fixture, "a", { plural: "shelves" });
    const { gets } = brittle;
    const watch = await startWatch(fixture, "allowWatchBookmarks=1", shelves);
    while (brittle.gets === gets) await put(fixture, "note");
    await cache.adopt(without("Shelf"));
    brittle.hold = undefined;
    release.resolve();
    await watch.ended;
    assert.deepEqual(lastWords(watch.events), gone);
  }));

test("adopt() gives back the memory of a kind that is gone", () =>
  withCache(async ({ fixture, cache }) => {
    for (let index = 0; index < 8; index++) await put(fixture, `n-${index}`, { data: { text: "x".repeat(500_000) } });
    await list(fixture);
    const before = cache.size().slabBytes;
    await cache.adopt(without("Note"));
    assert.ok(before - cache.size().slabBytes >= 4_000_000, `${before} bytes became ${cache.size().slabBytes}`);
  }));

test("adopt() of another definition ends watches without a word, and selects by what is defined now", () =>
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

test("adopt() keeps what both catalogs serve: watches go on, nothing is read again", () =>
  withCache(async ({ fixture, cache, brittle }) => {
    const from = await put(fixture, "a");
    await list(fixture);
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    brittle.lists = 0;
    await cache.adopt(catalogOf(all));
    const b = await put(fixture, "b");
    await watch.reached(b);
    assert.deepEqual(told(await watch.stop()), [`ADDED b ${b}`]);
    assert.deepEqual((await list(fixture)).names, ["a", "b"]);
    assert.equal(brittle.lists, 0);
  }));

test("a kind whose reading fails is read again, and with all others when the watch breaks meanwhile", () =>
  withCache(async ({ fixture, cache, brittle, errors }) => {
    const a = await put(fixture, "a", { plural: "shelves" });
    const broken = new StoreError("unavailable", "no leader");
    let tries = 0;
    brittle.holdList = (_, page) => {
      if (page?.at === undefined || ++tries > 2) return Promise.resolve();
      if (tries === 1) return Promise.reject(broken);
      brittle.breakWatches(new Error("broken"));
      return Promise.resolve();
    };
    await within(cache.adopt(catalogOf(all)), "the new kind");
    assert.equal(errors[0], broken);
    assert.match(`${errors[1]}`, /broken/);
    assert.equal(errors.length, 2);
    brittle.lists = 0;
    assert.equal((await list(fixture, "", shelves)).page.revision, a);
    assert.equal(brittle.lists, 0);
  }, { catalog: without("Shelf") }));

test("a kind that changes more than is kept while it is read is read again", () =>
  withCache(async ({ fixture, cache, brittle, errors }) => {
    await put(fixture, "a", { plural: "shelves" });
    let tries = 0;
    brittle.holdList = async () => {
      if (++tries > 1) return;
      for (const name of ["b", "c", "d"]) await put(fixture, name, { plural: "shelves" });
      await list(fixture);
    };
    await within(cache.adopt(catalogOf(all)), "the new kind");
    assert.match(`${errors}`, /shelves changed too much while they were read into the cache/);
    assert.equal(tries, 2);
    assert.deepEqual((await list(fixture, "", shelves)).names, ["a", "b", "c", "d"]);
  }, { catalog: without("Shelf"), bounds: { eventsMax: 2 } }));

test("a kind that goes while it is read is forgotten, and so is one when the cache closes", () =>
  withCache(async ({ fixture, cache, brittle, errors }) => {
    await put(fixture, "a", { plural: "shelves" });
    const release = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    brittle.holdList = () => (read.resolve(), release.promise);
    const adopted = cache.adopt(catalogOf(all));
    await read.promise;
    const again = cache.adopt(without("Shelf"));
    release.resolve();
    await within(Promise.all([adopted, again]), "both");
    brittle.holdList = undefined;
    brittle.lists = 0;
    await list(fixture, "", shelves);
    assert.equal(brittle.lists, 1);
    brittle.holdList = (_, page) =>
      new Promise((_resolve, reject) => page?.signal?.addEventListener("abort", () => reject(page.signal?.reason)));
    const closing = cache.adopt(catalogOf(all));
    await within(Promise.all([cache.close(), closing]), "the end");
    assert.deepEqual(errors, []);
  }, { catalog: without("Shelf") }));
