import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../core/status-error.ts";
import { collectionOf, continueAfter, type Reads } from "../reads.ts";
import { defaultNames } from "../../core/names.ts";
import {
  endpointOf,
  eventsOf,
  get,
  jsonFraming,
  list,
  noteOf,
  openWatch,
  prefix,
  put,
  putBytes,
  remove,
  revisionOfEvent,
  type Room,
  type SeenEvent,
  startWatch,
  told,
  type Watcher,
} from "./test-room.ts";

type Case = (what: string, prove: (room: Room) => Promise<void>) => void;

/** Registers the suite that every Reads passes. `open` gives a room without objects; the suite closes it. */
export function readsConformance(name: string, open: () => Promise<Room>): void {
  const promise: Case = (what, prove) => {
    test(`${name}: ${what}`, async () => {
      const room = await open();
      try {
        await prove(room);
      } finally {
        await room.close();
      }
    });
  };
  for (const cases of [gets, lists, exactLists, chunks, selectors, uncached, watches, beginnings, watchSelectors, bytes, races]) {
    cases(promise);
  }
}

const future = 999_999_999_999;

async function refusedBy(act: () => Promise<unknown>, code: number, message: string | RegExp): Promise<StatusError> {
  const error = await act().then(() => assert.fail(`not refused with ${code}`), (error: unknown) => error);
  assert.ok(error instanceof StatusError, `${error}`);
  assert.equal(error.code, code);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
  return error;
}

function gets(promise: Case): void {
  promise("get() shows every write that was answered before it", async (room) => {
    assert.equal(await get(room, "a"), undefined);
    for (let round = 0; round < 20; round++) {
      const revision = await put(room, "a", { data: { round: `${round}` } });
      const item = await get(room, "a");
      assert.equal(item?.revision, revision);
      assert.deepEqual(item?.object, {
        ...noteOf("a", { data: { round: `${round}` } }),
        metadata: { ...noteOf("a").metadata, resourceVersion: `${revision}` },
      });
    }
    await remove(room, "a");
    assert.equal(await get(room, "a"), undefined);
  });

  promise("get() at a version shows that one or a later one", async (room) => {
    const old = await put(room, "a");
    const young = await put(room, "a");
    assert.equal((await get(room, "a", `${young}`))?.revision, young);
    assert.equal((await get(room, "a", `${old}`))?.revision, young);
    assert.equal((await get(room, "a", "0"))?.revision, young);
  });

  promise("get() of nonsense is refused in upstream's words", async (room) => {
    const text = 'resourceVersion: Invalid value: "soon": strconv.ParseUint: parsing "soon": invalid syntax';
    await refusedBy(() => get(room, "a", "soon"), 500, text);
    await refusedBy(() => get(room, "a", "soon", { plural: "scraps" }), 400, `invalid resource version: ${text}`);
  });

  promise("reads of a version that does not come end with 504 and a cause", async (room) => {
    await put(room, "a");
    const tries = [
      () => get(room, "a", `${future}`),
      () => list(room, `resourceVersion=${future}`),
      () => list(room, `resourceVersion=${future}&resourceVersionMatch=Exact`),
    ];
    const errors = await Promise.all(
      tries.map((act) => refusedBy(act, 504, /^Timeout: Too large resource version: 999999999999, current: \d+$/)),
    );
    for (const { details } of errors) {
      assert.deepEqual(details, {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      });
    }
  });

  promise("reads of a version that comes while they wait are served", async (room) => {
    const revision = await put(room, "a");
    const waiting = [get(room, "a", `${revision + 1}`), list(room, `resourceVersion=${revision + 1}`)] as const;
    const next = await put(room, "a");
    assert.equal(next, revision + 1);
    assert.equal((await waiting[0])?.revision, next);
    assert.ok((await waiting[1]).page.revision >= next);
  });

  promise("reads end with the reason of their signal", async (room) => {
    const reason = new Error("enough");
    const live = new AbortController();
    const waiting = get(room, "a", `${future}`, {}, live.signal);
    live.abort(reason);
    await assert.rejects(waiting, reason);
  });
}

function lists(promise: Case): void {
  promise("list() shows every write that was answered before it", async (room) => {
    for (let round = 0; round < 20; round++) {
      const revision = await put(room, `a-${round % 3}`, { data: { round: `${round}` } });
      const { page, objects } = await list(room);
      assert.equal(page.revision, revision);
      assert.equal(objects.length, Math.min(3, round + 1));
      assert.equal(objects.find(({ metadata }) => metadata.name === `a-${round % 3}`)?.metadata.resourceVersion, `${revision}`);
    }
  });

  promise("list() sorts by the bytes of keys, over all namespaces by namespace slash name", async (room) => {
    for (const name of ["b", "ab", "a0", "a.b", "a-b", "a"]) await put(room, name);
    assert.deepEqual((await list(room)).names, ["a", "a-b", "a.b", "a0", "ab", "b"]);
    for (const namespace of ["x", "x-y"]) await put(room, "z", { namespace });
    const { names } = await list(room, "", { namespace: "" });
    assert.deepEqual(names.filter((name) => name.startsWith("x")), ["x-y/z", "x/z"]);
    assert.deepEqual((await list(room, "", { namespace: "x" })).names, ["z"]);
    assert.deepEqual((await list(room, "", { namespace: "nowhere" })).names, []);
  });

  promise("list() keeps kinds apart", async (room) => {
    await put(room, "a");
    await put(room, "b", { plural: "shelves" });
    assert.deepEqual((await list(room, "", { plural: "shelves" })).names, ["b"]);
    assert.deepEqual((await list(room, "", { namespace: "" })).names, ["ns/a"]);
  });

  promise("list() at 0 is any version and ignores the limit; at a version it is that or a later one", async (room) => {
    const first = await put(room, "a");
    const last = await put(room, "b");
    await list(room);
    const any = await list(room, "resourceVersion=0&limit=1");
    assert.deepEqual([any.names, any.page.continue], [["a", "b"], ""]);
    for (
      const query of [
        `resourceVersion=${first}`,
        `resourceVersion=${first}&resourceVersionMatch=NotOlderThan`,
        `resourceVersion=${first}&limit=0`,
      ]
    ) {
      const shown = await list(room, query);
      assert.deepEqual([shown.names, shown.page.revision], [["a", "b"], last]);
    }
    const limited = await list(room, `resourceVersion=${first}&resourceVersionMatch=NotOlderThan&limit=1`);
    assert.deepEqual([limited.names, limited.page.revision, limited.page.remaining], [["a"], last, 1]);
  });
}

function exactLists(promise: Case): void {
  promise("list() at exactly a version shows what was there then", async (room) => {
    const states: { revision: number; names: string[] }[] = [];
    const there = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const name = `n-${(round * 7) % 11}`;
      const revision = there.has(name) && round % 3 === 0
        ? (there.delete(name), await remove(room, name))
        : (there.add(name), await put(room, name, { data: { round: `${round}` } }));
      states.push({ revision, names: [...there].sort() });
    }
    for (const { revision, names } of states) {
      const shown = await list(room, `resourceVersion=${revision}&resourceVersionMatch=Exact`);
      assert.deepEqual([shown.names, shown.page.revision], [names, revision]);
      for (const { metadata } of shown.objects) assert.ok(Number(metadata.resourceVersion) <= revision);
      const legacy = await list(room, `resourceVersion=${revision}&limit=100`);
      assert.deepEqual([legacy.names, legacy.page.revision], [names, revision]);
      assert.deepEqual(legacy.objects, shown.objects);
    }
  });

  promise("list() with a limit and one name is not older than a version, with Exact it is exact", async (room) => {
    const old = await put(room, "a", { data: { k: "old" } });
    const young = await put(room, "a", { data: { k: "new" } });
    const at = async (query: string) =>
      (await list(room, `resourceVersion=${old}&fieldSelector=metadata.name=a&${query}`)).objects[0]?.metadata.resourceVersion;
    // A cache may stand at the old version until somebody asks for the newest.
    assert.equal((await list(room)).page.revision, young);
    assert.equal(await at("limit=10"), `${young}`);
    assert.equal(await at("resourceVersionMatch=Exact"), `${old}`);
  });

  promise("list() at a version that is compacted away answers 410", async (room) => {
    const old = await put(room, "a");
    const young = await put(room, "a");
    const newest = await put(room, "b");
    await room.store.compact(young);
    await refusedBy(
      () => list(room, `resourceVersion=${old}&resourceVersionMatch=Exact`),
      410,
      "The resourceVersion for the provided list is too old.",
    );
    await refusedBy(() => list(room, `resourceVersion=${old}&limit=1`), 410, "The resourceVersion for the provided list is too old.");
    assert.deepEqual((await list(room, `resourceVersion=${young}&resourceVersionMatch=Exact`)).names, ["a"]);
    assert.equal((await list(room, `resourceVersion=${old}`)).page.revision, newest);
  });
}

function chunks(promise: Case): void {
  promise("list() in chunks shows the moment of the first chunk, counts down, and ends without a token", async (room) => {
    for (const name of ["a", "b", "c", "d", "e"]) await put(room, name);
    const first = await list(room, "limit=2");
    assert.deepEqual([first.names, first.page.remaining], [["a", "b"], 3]);
    await put(room, "bb");
    await put(room, "d", { data: { k: "new" } });
    await remove(room, "c");
    const second = await list(room, `limit=2&continue=${first.page.continue}`);
    assert.deepEqual([second.names, second.page.remaining, second.page.revision], [["c", "d"], 1, first.page.revision]);
    assert.deepEqual(second.objects[1], {
      ...noteOf("d"),
      metadata: { ...noteOf("d").metadata, resourceVersion: second.objects[1]?.metadata.resourceVersion },
    });
    const third = await list(room, `limit=2&continue=${second.page.continue}`);
    assert.deepEqual([third.names, third.page.remaining, third.page.continue, third.page.revision], [
      ["e"],
      undefined,
      "",
      first.page.revision,
    ]);
    const rest = await list(room, `continue=${first.page.continue}`);
    assert.deepEqual([rest.names, rest.page.continue], [["c", "d", "e"], ""]);
    const whole = await list(room, `limit=1&resourceVersion=0&continue=${first.page.continue}`);
    assert.deepEqual([whole.names, whole.page.revision], [["c", "d", "e"], first.page.revision]);
    assert.deepEqual((await list(room, "limit=5")).names, ["a", "b", "bb", "d", "e"]);
    assert.equal((await list(room, "limit=5")).page.continue, "");
  });

  promise("list() goes on in the newest state where a token says so", async (room) => {
    for (const name of ["a", "b", "c"]) await put(room, name);
    const token = continueAfter(collectionOf(prefix, endpointOf("notes"), "ns", ""), -1, `${prefix}/notes/ns/a`, defaultNames);
    await remove(room, "b");
    const newest = await put(room, "d");
    const rest = await list(room, `continue=${token}`);
    assert.deepEqual([rest.names, rest.page.revision], [["c", "d"], newest]);
  });

  promise("a token of a compacted version answers 410 with one that leads on", async (room) => {
    for (const name of ["a", "b", "c"]) await put(room, name);
    const { page } = await list(room, "limit=1");
    const newest = await put(room, "d");
    await room.store.compact(newest);
    const error = await refusedBy(
      () => list(room, `limit=1&continue=${page.continue}`),
      410,
      /^The provided continue parameter is too old to display a consistent list result\./,
    );
    const rest = await list(room, `continue=${error.continue}`);
    assert.deepEqual([rest.names, rest.page.revision], [["b", "c", "d"], newest]);
  });

  promise("tokens are refused with a version, and when nobody wrote them", async (room) => {
    await put(room, "a");
    await put(room, "b");
    const { page } = await list(room, "limit=1");
    await refusedBy(
      () => list(room, `continue=${page.continue}&resourceVersion=${page.revision}`),
      400,
      "specifying resource version is not allowed when using continue",
    );
    await refusedBy(() => list(room, "continue=!!!"), 400, /^invalid continue token: /);
  });

  promise("walks in chunks are consistent while others write", async (room) => {
    const names = Array.from({ length: 60 }, (_, index) => `n-${String(index).padStart(2, "0")}`);
    for (const name of names) await put(room, name, { data: { k: "0" } });
    let enough = false;
    const writing = (async () => {
      for (let round = 0; !enough; round++) {
        const name = names[round * 17 % names.length]!;
        if (round % 4 === 3) await remove(room, name).then(() => put(room, name, { data: { k: "back" } }));
        else await put(room, name, { data: { k: `${round}` } });
      }
    })();
    try {
      for (let walk = 0; walk < 5; walk++) {
        const seen: unknown[] = [];
        let token = "";
        let revision = 0;
        do {
          const { page, objects } = await list(room, `limit=7${token === "" ? "" : `&continue=${token}`}`);
          seen.push(...objects);
          revision ||= page.revision;
          assert.equal(page.revision, revision);
          token = page.continue;
        } while (token !== "");
        assert.deepEqual(seen, (await list(room, `resourceVersion=${revision}&resourceVersionMatch=Exact`)).objects);
      }
    } finally {
      enough = true;
      await writing;
    }
  });
}

function selectors(promise: Case): void {
  promise("list() selects by labels, names and declared fields, as of the version that it shows", async (room) => {
    await put(room, "a", { labels: { env: "prod", __proto__x: "1" } });
    await put(room, "b", { labels: { env: "dev" }, mood: "sad" });
    const before = await put(room, "c", { mood: "sad" });
    await put(room, "elsewhere", { namespace: "other", labels: { env: "prod" } });
    const names = async (query: string, namespace = "ns") => (await list(room, query, { namespace })).names;
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
    await put(room, "c", { labels: { env: "prod" } });
    const exact = `resourceVersion=${before}&resourceVersionMatch=Exact`;
    assert.deepEqual(await names(`${exact}&labelSelector=env=prod`), ["a"]);
    assert.deepEqual(await names(`${exact}&fieldSelector=mood=sad`), ["b", "c"]);
    assert.deepEqual(await names("fieldSelector=mood=sad"), ["b"]);
  });

  promise("chunks of a selection are full, count nothing, and the last one can be empty", async (room) => {
    for (const name of ["a", "b", "c", "d"]) await put(room, name, name === "a" || name === "c" ? { labels: { pick: "1" } } : {});
    const first = await list(room, "limit=1&labelSelector=pick");
    assert.deepEqual([first.names, first.page.remaining], [["a"], undefined]);
    const second = await list(room, `limit=1&labelSelector=pick&continue=${first.page.continue}`);
    assert.deepEqual([second.names, second.page.continue === ""], [["c"], false]);
    const third = await list(room, `limit=1&labelSelector=pick&continue=${second.page.continue}`);
    assert.deepEqual([third.names, third.page.continue], [[], ""]);
    assert.equal((await list(room, "limit=2&labelSelector=pick")).page.continue === "", false);
    assert.equal((await list(room, "limit=3&labelSelector=pick")).page.continue, "");
    const other = await list(room, "limit=1&fieldSelector=metadata.name!=a");
    assert.deepEqual([other.names, other.page.continue === "", other.page.remaining], [["b"], false, undefined]);
    assert.equal((await list(room, "limit=1&fieldSelector=metadata.name=b")).page.continue, "");
    const spaced = await list(room, "limit=1&fieldSelector=metadata.namespace=ns", { namespace: "" });
    assert.deepEqual([spaced.names, spaced.page.continue === "", spaced.page.remaining], [["ns/a"], false, undefined]);
  });
}

function uncached(promise: Case): void {
  promise("kinds without a cache keep their limit at version 0 and refuse a version of the future at once", async (room) => {
    const scraps = { plural: "scraps", namespace: "" };
    await put(room, "a", scraps);
    await put(room, "b", scraps);
    const { page } = await list(room, "resourceVersion=0&limit=1", scraps);
    assert.deepEqual([page.items.length, page.remaining], [1, 1]);
    assert.equal((await list(room, `resourceVersion=0&limit=1&continue=${page.continue}`, scraps)).page.continue, "");
    for (const act of [() => list(room, `resourceVersion=${future}`, scraps), () => get(room, "a", `${future}`, scraps)]) {
      const { details } = await refusedBy(act, 504, /^Timeout: Too large resource version/);
      assert.equal(details?.retryAfterSeconds, undefined);
    }
    const watch = await startWatch(room, "resourceVersion=0", scraps);
    await watch.has(2);
    const last = await put(room, "c", scraps);
    await watch.reached(last);
    assert.deepEqual((await watch.stop()).map(({ type, object }) => `${type} ${object.metadata.name}`), ["ADDED a", "ADDED b", "ADDED c"]);
  });
}

function watches(promise: Case): void {
  promise("watch() from a version gives exactly what is later", async (room) => {
    const before = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${before}`);
    const b = await put(room, "b");
    const a = await put(room, "a", { data: { k: "v" } });
    const gone = await remove(room, "b");
    const again = await put(room, "b");
    await watch.reached(again);
    const expected = [`ADDED b ${b}`, `MODIFIED a ${a}`, `DELETED b ${gone}`, `ADDED b ${again}`];
    assert.deepEqual(told(await watch.stop()), expected);
    const later = await startWatch(room, `resourceVersion=${before}`);
    await later.reached(again);
    assert.deepEqual(told(await later.stop()), expected);
    const middle = await startWatch(room, `resourceVersion=${a}`);
    await middle.reached(again);
    assert.deepEqual(told(await middle.stop()), expected.slice(2));
  });

  promise("watch() shows what is deleted in its last state at the version of the deletion", async (room) => {
    const before = await put(room, "a", { data: { k: "last" }, labels: { l: "1" } });
    const watch = await startWatch(room, `resourceVersion=${before}`);
    const gone = await remove(room, "a");
    const [event] = await watch.reached(gone);
    const last = noteOf("a", { data: { k: "last" }, labels: { l: "1" } });
    assert.deepEqual(event, { type: "DELETED", object: { ...last, metadata: { ...last.metadata, resourceVersion: `${gone}` } } });
    await watch.stop();
  });

  promise("watch() of the future waits, and gives only what comes after it", async (room) => {
    const before = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${before + 2}&allowWatchBookmarks=1`);
    let last = before;
    for (let round = 0; round < 4; round++) last = await put(room, "a", { data: { round: `${round}` } });
    await watch.reached(last);
    assert.deepEqual(told(await watch.stop()), [`MODIFIED a ${before + 3}`, `MODIFIED a ${before + 4}`]);
  });

  promise("watch() from a version that is compacted away ends with one ERROR of 410", async (room) => {
    const old = await put(room, "a");
    const young = await put(room, "a");
    const last = await put(room, "b");
    // What reads has to have heard of all this: a watch that is behind a compaction begins anew, and ends those that hang on it.
    const caughtUp = await startWatch(room, `resourceVersion=${old}`);
    await caughtUp.reached(last);
    await caughtUp.stop();
    await room.store.compact(young);
    const watch = await startWatch(room, `resourceVersion=${old}`);
    await watch.ended;
    const [event, ...rest] = watch.events;
    assert.deepEqual(rest, []);
    assert.deepEqual([event?.type, event?.object.code, event?.object.message], [
      "ERROR",
      410,
      `too old resource version: ${old} (${young})`,
    ]);
    const kept = await startWatch(room, `resourceVersion=${young}`);
    await kept.has(1);
    await kept.stop();
  });

  promise("watch() that is read late is told everything in order, each state as it was", async (room) => {
    const from = await put(room, "a");
    const { stream, stopping } = await openWatch(room, `resourceVersion=${from}`);
    const written: string[] = [];
    for (let round = 0; round < 30; round++) written.push(`MODIFIED ${await put(room, "a", { data: { round: `${round}` } })} ${round}`);
    await list(room);
    const seen: string[] = [];
    for await (const event of eventsOf(stream)) {
      seen.push(`${event.type} ${revisionOfEvent(event)} ${(event.object as { data?: { round?: string } }).data?.round}`);
      if (seen.length === written.length) break;
    }
    stopping.abort();
    assert.deepEqual(seen, written);
  });

  promise("bookmarks never go back, and everything up to one has been told before it", async (room) => {
    const from = await put(room, "a");
    const written: number[] = [];
    let enough = false;
    const writing = (async () => {
      for (let round = 0; !enough; round++) {
        written.push(await put(room, "a", { data: { round: `${round}` } }));
        // A store in memory answers without a turn of the event loop, and the time of watches would not pass.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    })();
    const watching = await Promise.all(
      Array.from(
        { length: 8 },
        (_, index) => startWatch(room, `resourceVersion=${from}&allowWatchBookmarks=1`, { ms: 3_000 + 500 * index }),
      ),
    );
    await Promise.all(watching.map(({ ended }) => ended)).finally(() => enough = true);
    await writing;
    for (const { events } of watching) {
      const isMark = ({ type }: SeenEvent) => type === "BOOKMARK";
      for (const [index, mark] of events.entries()) {
        if (!isMark(mark)) continue;
        const upTo = revisionOfEvent(mark);
        const told = events.slice(0, index).filter((event) => !isMark(event)).map(revisionOfEvent);
        assert.deepEqual(told, written.filter((revision) => revision <= upTo));
      }
      const revisions = events.map(revisionOfEvent);
      assert.deepEqual(revisions, revisions.toSorted((a, b) => a - b));
    }
    // One that ends before it is read again has no time for its bookmark.
    assert.ok(watching.some(({ events }) => events.some(({ type }) => type === "BOOKMARK")));
  });

  promise("watch() ends when its time is up, and at once when that is no time at all", async (room) => {
    const before = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${before}`, { ms: 0 });
    await watch.ended;
    assert.deepEqual(watch.events, []);
  });

  promise("watch() keeps to its namespace, its kind and its object", async (room) => {
    const before = await put(room, "a");
    const inNamespace = await startWatch(room, `resourceVersion=${before}`);
    const all = await startWatch(room, `resourceVersion=${before}`, { namespace: "" });
    const one = await startWatch(room, `resourceVersion=${before}`, { name: "b" });
    const shelves = await startWatch(room, `resourceVersion=${before}`, { plural: "shelves", namespace: "" });
    await put(room, "b", { namespace: "other" });
    await put(room, "b");
    await put(room, "bb");
    await put(room, "s", { plural: "shelves" });
    await remove(room, "b");
    const last = await put(room, "a");
    const names = (events: readonly SeenEvent[]) =>
      events.map(({ type, object }) => `${type} ${object.metadata.namespace ?? ""}/${object.metadata.name}`);
    await all.reached(last);
    assert.deepEqual(names(await all.stop()), ["ADDED other/b", "ADDED ns/b", "ADDED ns/bb", "DELETED ns/b", "MODIFIED ns/a"]);
    await inNamespace.reached(last);
    assert.deepEqual(names(await inNamespace.stop()), ["ADDED ns/b", "ADDED ns/bb", "DELETED ns/b", "MODIFIED ns/a"]);
    await one.has(2);
    assert.deepEqual(names(await one.stop()), ["ADDED ns/b", "DELETED ns/b"]);
    await shelves.has(1);
    assert.deepEqual(names(await shelves.stop()), ["ADDED /s"]);
  });
}

function beginnings(promise: Case): void {
  promise("watch() without a version begins with what is there and the bookmark that ends it", async (room) => {
    await put(room, "c");
    const last = await put(room, "a");
    for (
      const query of [
        "",
        "sendInitialEvents=1&resourceVersionMatch=NotOlderThan",
        "resourceVersion=0",
        `resourceVersion=${last}&sendInitialEvents=1&resourceVersionMatch=NotOlderThan`,
      ]
    ) {
      const watch = await startWatch(room, `${query}&allowWatchBookmarks=1`);
      const [a, c, end] = await watch.has(3);
      assert.deepEqual([a?.object.metadata.name, c?.object.metadata.name, end?.type], ["a", "c", "BOOKMARK"]);
      assert.deepEqual(end?.object.metadata.annotations, { end: "true" });
      assert.ok(revisionOfEvent(end!) >= last);
      await watch.stop();
    }
    const silent = await startWatch(room, "");
    await silent.has(2);
    const next = await put(room, "d");
    await silent.reached(next);
    assert.deepEqual((await silent.stop()).map(({ type }) => type), ["ADDED", "ADDED", "ADDED"]);
  });

  promise("watch() without initial events begins at the newest state", async (room) => {
    await put(room, "a");
    const watch = await startWatch(room, "sendInitialEvents=0&resourceVersionMatch=NotOlderThan");
    // The stream has begun once something is asked of it; the marker is behind whatever it began at.
    await list(room);
    let last = 0;
    for (let round = 0; watch.events.length === 0; round++) last = await put(room, "marker", { data: { round: `${round}` } });
    await watch.reached(last);
    assert.deepEqual([...new Set((await watch.stop()).map(({ object }) => object.metadata.name))], ["marker"]);
  });

  promise(
    "a streamed list of an old version shows what is there now; of a version that does not come it ends with ERROR 504",
    async (room) => {
      const old = await put(room, "a", { data: { k: "old" } });
      await put(room, "c");
      await remove(room, "c");
      const young = await put(room, "a", { data: { k: "new" } });
      await list(room);
      const how = "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1";
      const watch = await startWatch(room, `${how}&resourceVersion=${old}`);
      await watch.has(2);
      assert.deepEqual(told(await watch.stop())[0], `ADDED a ${young}`);
      const never = await startWatch(room, `${how}&resourceVersion=${future}`);
      await never.ended;
      assert.deepEqual(never.events.map(({ type, object }) => [type, object.code]), [["ERROR", 504]]);
    },
  );

  promise("watch() begun while others write neither misses nor repeats anything", async (room) => {
    let enough = false;
    const writing = Promise.all(["a", "b", "c"].map(async (name) => {
      for (let round = 0; !enough; round++) await (round % 5 === 4 ? remove(room, name) : put(room, name, { data: { round: `${round}` } }));
    }));
    try {
      for (let round = 0; round < 10; round++) {
        const watch = await startWatch(room, "allowWatchBookmarks=1");
        await watch.has(12);
        const events = await watch.stop();
        const { revision } = (await list(room)).page;
        assertReplays(events, await startAndStop(room, events, revision));
      }
    } finally {
      enough = true;
      await writing;
    }
  });
}

/** All that happened from the beginning of a watch to its last event, by a second watch from there. */
async function startAndStop(room: Room, events: readonly SeenEvent[], revision: number): Promise<readonly SeenEvent[]> {
  const end = events.findIndex(({ type }) => type === "BOOKMARK");
  const from = revisionOfEvent(events[end]!);
  const watch = await startWatch(room, `resourceVersion=${from}`);
  const last = Math.max(...events.slice(end + 1).map(revisionOfEvent), 0);
  assert.ok(revision >= last);
  if (last > from) await watch.reached(last);
  return (await watch.stop()).filter((event) => revisionOfEvent(event) <= last);
}
function assertReplays(events: readonly SeenEvent[], again: readonly SeenEvent[]): void {
  const end = events.findIndex(({ type }) => type === "BOOKMARK");
  assert.deepEqual(events.slice(end + 1).filter(({ type }) => type !== "BOOKMARK"), again);
}

function watchSelectors(promise: Case): void {
  promise("what leaves a selector is deleted in its old state at the new version, what enters it is added", async (room) => {
    const made = await put(room, "a", { labels: { side: "left" }, data: { k: "one" } });
    const right = await put(room, "a", { labels: { side: "right" }, data: { k: "two" } });
    const still = await put(room, "a", { labels: { side: "right" }, data: { k: "three" } });
    const back = await put(room, "a", { labels: { side: "left" }, data: { k: "three" } });
    const gone = await remove(room, "a");
    const last = await put(room, "marker", { labels: { side: "left" } });
    await put(room, "marker", { labels: { side: "right" } });
    const left = await startWatch(room, `resourceVersion=${made}&labelSelector=side=left`);
    await left.has(5);
    const events = await left.stop();
    assert.deepEqual(told(events).slice(0, 4), [`DELETED a ${right}`, `ADDED a ${back}`, `DELETED a ${gone}`, `ADDED marker ${last}`]);
    assert.deepEqual((events[0]?.object as { data?: unknown }).data, { k: "one" });
    const other = await startWatch(room, `resourceVersion=${made}&labelSelector=side=right`);
    await other.has(4);
    assert.deepEqual(told(await other.stop()).slice(0, 3), [`ADDED a ${right}`, `MODIFIED a ${still}`, `DELETED a ${back}`]);
  });

  promise("watch() selects by name and by declared fields", async (room) => {
    const from = await put(room, "x");
    const name = await startWatch(room, `resourceVersion=${from}&fieldSelector=metadata.name=a`);
    const sad = await startWatch(room, `resourceVersion=${from}&fieldSelector=mood=sad`, { namespace: "" });
    const space = await startWatch(room, `resourceVersion=${from}&fieldSelector=metadata.namespace=other`, { namespace: "" });
    await put(room, "a");
    await put(room, "b", { mood: "sad" });
    await put(room, "b", { namespace: "other", mood: "sad" });
    await put(room, "b");
    await remove(room, "a");
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

function bytes(promise: Case): void {
  promise("objects that others wrote are shown in their canonical form, filled", async (room) => {
    const text = '{"metadata": {"namespace":"ns","name":"a","labels":{"b":"2","a":"1"}},\n "unknown": 1, "apiVersion":"v1","kind":"Note"}';
    const revision = await putBytes(room, "a", new TextEncoder().encode(text));
    const item = await get(room, "a");
    const expected =
      `{"kind":"Note","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","resourceVersion":"${revision}","labels":{"a":"1","b":"2"}},"mood":"plain"}`;
    assert.equal(item?.text, expected);
    assert.equal(new TextDecoder().decode(item?.json), expected);
    assert.deepEqual((await list(room, "labelSelector=a=1&fieldSelector=mood=plain")).names, ["a"]);
    const watch = await startWatch(room, "");
    const [event] = await watch.has(1);
    assert.deepEqual(event?.object, JSON.parse(expected));
    await watch.stop();
  });

  promise("what is written is what is read, whatever is in it", async (room) => {
    const data = { __proto__x: "1", constructor: "2", quote: '"\\{}', line: "\u2028\n<&>", emoji: "\u{1f600}", long: "x".repeat(300_000) };
    const revision = await put(room, "a", { data, labels: { resourceVersion: "1" } });
    const expected = noteOf("a", { data, labels: { resourceVersion: "1" } });
    const shown = { ...expected, metadata: { ...expected.metadata, resourceVersion: `${revision}` } };
    assert.deepEqual((await get(room, "a"))?.object, shown);
    assert.deepEqual((await list(room)).objects, [shown]);
    const watch = await startWatch(room, "");
    assert.deepEqual((await watch.has(1))[0]?.object, shown);
    const gone = await remove(room, "a");
    const [, event] = await watch.reached(gone);
    assert.deepEqual(event?.object, { ...expected, metadata: { ...expected.metadata, resourceVersion: `${gone}` } });
    await watch.stop();
  });

  promise("bytes that cannot be read are an error that names the key, until they are overwritten", async (room) => {
    const from = await put(room, "b");
    const watch = await startWatch(room, `resourceVersion=${from}`);
    const other = await startWatch(room, `resourceVersion=${from}`, { namespace: "other" });
    const elsewhere = await startWatch(room, `resourceVersion=${from}`, { plural: "shelves", namespace: "" });
    await putBytes(room, "a", new TextEncoder().encode("{nonsense"));
    await refusedBy(() => get(room, "a").then((item) => item?.object), 500, /"\/registry\/notes\/ns\/a" cannot be read/);
    await refusedBy(() => list(room), 500, /cannot be read/);
    assert.equal((await get(room, "b"))?.revision, from);
    await watch.ended;
    assert.deepEqual(watch.events.map(({ type, object }) => [type, object.code]), [["ERROR", 500]]);
    await put(room, "c", { namespace: "other" });
    await other.has(1);
    await put(room, "a");
    assert.deepEqual((await list(room)).names, ["a", "b"]);
    await other.stop();
    assert.deepEqual(await elsewhere.stop(), []);
  });

  promise("frames are counted one by one with their sizes", async (room) => {
    const from = await put(room, "a");
    const { stream, stopping, framing } = await openWatch(room, `resourceVersion=${from}`);
    const sizes: number[] = [];
    for (let round = 0; round < 5; round++) await put(room, "a", { data: { round: "x".repeat(round) } });
    for await (const event of eventsOf(stream)) {
      sizes.push(new TextEncoder().encode(JSON.stringify(event)).length + 1);
      if (sizes.length === 5) break;
    }
    stopping.abort();
    assert.deepEqual(framing.frames.slice(0, 5), sizes);
  });

  promise("watches that write otherwise have frames of their own, and a first one that opens", async (room) => {
    const from = await put(room, "a");
    const table = () =>
      jsonFraming({
        id: "table",
        plain: false,
        opens: true,
        frame: (type, item, first) =>
          new TextEncoder().encode(
            `{"type":"${type}","object":{"first":${first},"metadata":{"name":"${item.object.metadata.name}","resourceVersion":"${item.revision}"}}}\n`,
          ),
      });
    const early = await startWatch(room, `resourceVersion=${from}`, { framing: table() });
    const plain = await startWatch(room, `resourceVersion=${from}`);
    const b = await put(room, "b");
    await early.reached(b);
    const late = await startWatch(room, "", { framing: table() });
    await late.has(2);
    const c = await put(room, "c");
    const firsts = (events: readonly SeenEvent[]) => events.map(({ object }) => (object as unknown as { first: boolean }).first);
    await Promise.all([early, plain, late].map((watch) => watch.reached(c)));
    assert.deepEqual(firsts(await early.stop()), [true, false]);
    assert.deepEqual(firsts(await late.stop()), [true, false, false]);
    assert.deepEqual(told(await plain.stop()), [`ADDED b ${b}`, `ADDED c ${c}`]);
  });
}

function races(promise: Case): void {
  promise("watches among random writers are ordered, unique, complete and right", async (room) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = randomOf(seed);
    const from = await put(room, "start");
    const queries = ["", "labelSelector=l=1", "labelSelector=l!=1", "fieldSelector=mood=sad", "fieldSelector=metadata.name=n-3"];
    const watching = await Promise.all(queries.map((query) => startWatch(room, `resourceVersion=${from}&${query}`)));
    const early = new Map(watching.map((watch, index) => [queries[index]!, watch]));
    await Promise.all(Array.from({ length: 6 }, async (_, writer) => {
      for (let round = 0; round < 40; round++) {
        // Each writer has names of its own, so that none finds its object gone.
        const name = `n-${writer + 6 * Math.floor(random() * 3)}`;
        const there = (await get(room, name)) !== undefined;
        if (there && random() < 0.3) await remove(room, name);
        else {await put(room, name, {
            labels: { l: `${Math.floor(random() * 3)}` },
            mood: random() < 0.5 ? "sad" : "plain",
            data: { round: `${round}` },
          });}
      }
    }));
    // Seen by all of them.
    await put(room, "n-3", { labels: { l: "1" }, mood: "sad" });
    await put(room, "n-3", { labels: { l: "2" }, mood: "sad" });
    const last = await remove(room, "n-3");
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

/** What a selector makes of a history. */
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

/** Revisions rise, and each event fits the state that those before it have made. */
function assertHistory(events: readonly SeenEvent[], seed: number): void {
  const there = new Map<string, SeenEvent["object"]>([["start", noteOf("start")]]);
  let last = 0;
  for (const event of events) {
    const name = event.object.metadata.name ?? "";
    assert.ok(revisionOfEvent(event) > last, `seed ${seed}: ${told([event])} after ${last}`);
    last = revisionOfEvent(event);
    assert.equal(event.type === "ADDED", !there.has(name), `seed ${seed}: ${told([event])}`);
    if (event.type !== "DELETED") there.set(name, event.object);
    else {
      const { resourceVersion: _, ...metadata } = event.object.metadata;
      const { resourceVersion: _own, ...before } = there.get(name)!.metadata;
      assert.deepEqual({ ...event.object, metadata }, { ...there.get(name), metadata: before }, `seed ${seed}`);
      there.delete(name);
    }
  }
}

/** Numbers in [0, 1) that a seed gives again (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type { Reads, Watcher };
