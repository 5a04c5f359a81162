import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openSqlite } from "./sqlite.ts";
import { storeConformance } from "../../../test/store/store-conformance.ts";
import { bytes, done, eventsUntil, put, refused, startWatch, text } from "../../../test/store/helpers.ts";
import type { Store } from "../store.ts";

storeConformance("sqlite in memory", () => openSqlite(":memory:"));
storeConformance("sqlite in a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-store-"));
  const store = await openSqlite(join(folder, "store.db"));
  return { ...store, close: () => store.close().finally(() => rm(folder, { recursive: true, force: true })) };
});

async function inFolder(prove: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-store-"));
  try {
    await prove(join(folder, "store.db"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function opened<T>(path: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqlite(path);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

test("openSqlite() restores keys, history, newest revision and compaction revision", () =>
  inFolder(async (path) => {
    const [a1, a2, gone] = await opened(path, async (store) => {
      const a1 = await put(store, "a", "1");
      const b1 = await put(store, "b", "1");
      const a2 = await put(store, "a", "2", a1);
      const gone = await done(store, { key: "b", expect: b1, value: undefined });
      await store.compact(a2);
      return [a1, a2, gone] as const;
    });
    await opened(path, async (store) => {
      const { entry, revision } = await store.get("a");
      assert.deepEqual([text(entry?.value), entry?.revision, revision], ["2", a2, gone]);
      await refused("compacted", () => store.list({ prefix: "" }, { at: a1 }), { oldest: a2 });
      await refused("compacted", () => eventsUntil(store, { prefix: "" }, a1, gone), { oldest: a2 });
      assert.equal((await store.list({ prefix: "" }, { at: a2 })).count, 2);
      assert.deepEqual((await eventsUntil(store, { prefix: "" }, a2, gone)).map(({ key, revision }) => [key, revision]), [["b", gone]]);
      await store.compact(gone);
      assert.equal(await put(store, "b", "2"), gone + 1);
    });
    await opened(path, async (store) => assert.equal((await store.get("b")).revision, gone + 1));
  }));

test("openSqlite() continues after a newest revision that was a deletion with compacted history", () =>
  inFolder(async (path) => {
    // Sweeps run at once.
    const clock = { now: () => 0, after: (_: number, run: () => void) => (queueMicrotask(run), () => {}) };
    const store = await openSqlite(path, { clock });
    const a = await put(store, "a", "1");
    const gone = await done(store, { key: "a", expect: a, value: undefined });
    await store.compact(gone);
    await store.close();
    const database = new DatabaseSync(path);
    const rows = (): number => Number(database.prepare("SELECT count(*) AS rows FROM history").get()?.rows);
    try {
      assert.equal(rows(), 0);
    } finally {
      database.close();
    }
    await opened(path, async (store) => {
      assert.equal((await store.get("a")).revision, gone);
      assert.equal(await put(store, "b", "1"), gone + 1);
    });
    await opened(path, async (store) => assert.equal((await store.get("b")).revision, gone + 1));
  }));

test("openSqlite() opens a file of format 1, and marks it so that format 1 must not open it again", () =>
  inFolder(async (path) => {
    const raw = <T>(use: (database: DatabaseSync) => T): T => {
      const database = new DatabaseSync(path);
      try {
        return use(database);
      } finally {
        database.close();
      }
    };
    const format = (): unknown => raw((database) => database.prepare("SELECT value FROM facts WHERE name = 'format'").get()?.value);
    raw((database) =>
      database.exec(`
        PRAGMA journal_mode=WAL;
        CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE history (revision INTEGER PRIMARY KEY, key BLOB NOT NULL, value BLOB, previous INTEGER);
        CREATE INDEX history_by_key ON history (key, revision);
        CREATE TABLE live (key BLOB PRIMARY KEY, revision INTEGER NOT NULL, expires INTEGER) WITHOUT ROWID;
        CREATE INDEX live_by_expiry ON live (expires) WHERE expires IS NOT NULL;
        INSERT INTO facts VALUES ('format', 1), ('revision', 9), ('compacted', 9), ('swept', 9);
        INSERT INTO history VALUES (7, X'61', X'31', 5);
        INSERT INTO live VALUES (X'61', 7, NULL);`)
    );
    await opened(path, async (store) => {
      const { entry, revision } = await store.get("a");
      assert.deepEqual([text(entry?.value), entry?.revision, revision], ["1", 7, 9]);
      assert.equal(await put(store, "a", "2", 7), 10);
    });
    assert.equal(format(), 2);
    await opened(path, async (store) => assert.equal((await store.get("a")).revision, 10));
    raw((database) => database.exec("UPDATE facts SET value = 3 WHERE name = 'format'"));
    await refused("unavailable", () => openSqlite(path), {
      message: `Cannot open the store file "${path}": Cannot read a store of format 3: this program knows format 2; ` +
        "start the release that wrote it, or put a backup in its place: docs/operators-guide.md#restore-the-embedded-store",
    });
  }));

test("openSqlite() removes keys that expired while the store was closed", () =>
  inFolder(async (path) => {
    const clock = { now: () => 1_000_000, after: () => () => {} };
    const early = await openSqlite(path, { clock });
    const revision = await put(early, "brief", "1", "absent", 60);
    await early.close();
    await opened(path, async (store) => {
      const [event] = await eventsUntil(store, { prefix: "" }, revision, revision + 1);
      assert.deepEqual([event?.key, event?.value, text(event?.previous?.value)], ["brief", undefined, "1"]);
    });
  }));

test("openSqlite() rejects a file that another store has open, and opens it once that is closed", () =>
  inFolder(async (path) => {
    await opened(path, async (store) => {
      await put(store, "a", "1");
      await refused("unavailable", () => openSqlite(path), {
        message: `Cannot open the store file "${path}": another process has it open, process ${process.pid}: ` +
          "stop that one, or give this one another --data-dir (docs/operators-guide.md#the-store-file-cannot-be-used)",
      });
      await put(store, "b", "1");
    });
    await opened(path, async (store) => assert.equal((await store.list({ prefix: "" })).count, 2));
  }));

test("openSqlite() stores and returns values of every size in a file, alone and together, also to watches", () =>
  inFolder((path) =>
    opened(path, async (store) => {
      // Small and large messages take different ways to the thread and back, and an answer may be larger than its request.
      const sizes = [0, 1, 1400, 700_000, 1_400_000];
      const from = (await store.get("none")).revision;
      const watch = startWatch(store, { prefix: "" }, from);
      const value = (size: number, fill: number): Uint8Array => new Uint8Array(size).fill(fill);
      for (const size of sizes) {
        const alone = await done(store, { key: `alone-${size}`, expect: "absent", value: value(size, 1) });
        const lost = await store.commit({ key: `alone-${size}`, expect: "absent", value: value(0, 2) });
        assert.deepEqual(lost, { done: false, current: { key: `alone-${size}`, value: value(size, 1), revision: alone } });
        assert.equal(await done(store, { key: `alone-${size}`, expect: alone, value: undefined }), alone + 1);
      }
      await Promise.all(sizes.map((size) => done(store, { key: `together-${size}`, expect: "absent", value: value(size, 3) })));
      const { entries, revision } = await store.list({ prefix: "together-" });
      assert.deepEqual(
        new Map(entries.map((entry) => [entry.key, entry.value])),
        new Map(sizes.map((size) => [`together-${size}`, value(size, 3)])),
      );
      await watch.reached(revision);
      const events = await watch.stop();
      assert.deepEqual(events.map((event) => event.revision), Array.from({ length: revision - from }, (_, index) => from + index + 1));
      assert.deepEqual(
        events.slice(0, sizes.length * 2).map((event) => (event.value ?? event.previous?.value)?.byteLength),
        sizes.flatMap((size) => [size, size]),
      );
    })
  ));

test("openSqlite() rejects a file that is not a store", () =>
  inFolder(async (path) => {
    await refused("unavailable", () => openSqlite(join(path, "no", "folder.db")));
  }));

test("openSqlite() of memory answers in the next turn, so that all calls of one turn share a run", async () => {
  const store = await openSqlite(":memory:");
  try {
    let answered = 0;
    const first = store.get("a").then(() => answered++);
    for (let step = 0; step < 1000; step++) await Promise.resolve();
    assert.equal(answered, 0);
    await first;
  } finally {
    await store.close();
  }
});

test("openSqlite() expires keys when they are due on its clock, and no earlier", async () => {
  let now = 5_000;
  const timers = new Set<{ at: number; run: () => void }>();
  const clock = {
    now: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const advance = (ms: number): void => {
    now += ms;
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.run();
  };
  const store = await openSqlite(":memory:", { clock });
  try {
    const first = await put(store, "a", "1", "absent", 10);
    await put(store, "b", "1", "absent", 20);
    const last = await put(store, "c", "1", "absent", 10);
    const watch = startWatch(store, { prefix: "" }, last);
    advance(9_999);
    assert.equal((await store.list({ prefix: "" })).count, 3);
    advance(1);
    await watch.reached(last + 2);
    assert.deepEqual(watch.events.map(({ key, revision, previous }) => [key, revision, previous?.revision]), [
      ["a", last + 1, first],
      ["c", last + 2, last],
    ]);
    advance(10_000);
    await watch.reached(last + 3);
    assert.equal((await store.list({ prefix: "" })).count, 0);
    assert.equal(timers.size, 0);
    await watch.stop();
  } finally {
    await store.close();
  }
});

test("openSqlite() sweeps compacted history from the file piece by piece and stays correct meanwhile", async () => {
  const store = await openSqlite(":memory:");
  try {
    const rounds = 9_000;
    for (let round = 0; round < rounds; round++) {
      const key = `key-${round % 7}`;
      const { entry } = await store.get(key);
      if (entry !== undefined && round % 5 === 0) await done(store, { key, expect: entry.revision, value: undefined });
      else await put(store, key, `${round}`, entry?.revision ?? "absent");
    }
    const { revision } = await store.get("key-0");
    const at = revision - 3_000;
    const before = await store.list({ prefix: "" }, { at });
    const after = await eventsUntil(store, { prefix: "" }, at, revision);
    await store.compact(at);
    for (let round = 0; round < 20; round++) {
      assert.deepEqual(await store.list({ prefix: "" }, { at }), before);
      await new Promise((resolve) => setTimeout(resolve, 0)); // sweeps are timers of zero milliseconds
    }
    assert.deepEqual(await eventsUntil(store, { prefix: "" }, at, revision), after);
  } finally {
    await store.close();
  }
});

test("openSqlite() reads history that is no longer in memory from the file for slow watches", async () => {
  const store = await openSqlite(":memory:");
  try {
    const value = bytes("x".repeat(200_000));
    const { revision } = await store.get("a");
    const watch = store.watch({ prefix: "" }, revision, new AbortController().signal)[Symbol.asyncIterator]();
    const rounds = 300;
    for (let round = 0; round < rounds; round++) await done(store, { key: `key-${round}`, expect: "absent", value });
    for (let seen = revision; seen < revision + rounds;) {
      const { value: batch } = await watch.next();
      for (const event of batch.events) assert.equal(event.revision, ++seen);
      assert.equal(batch.revision, seen);
    }
  } finally {
    await store.close();
  }
});

test("openSqlite() keeps every acknowledged write when its process is killed", () =>
  inFolder(async (path) => {
    const fixture = fileURLToPath(new URL("../../../test/store/sqlite-writer.ts", import.meta.url));
    const how = "Deno" in globalThis ? ["run", "-A", "--no-check", fixture] : ["--no-warnings", fixture];
    const child = spawn(process.execPath, [...how, path], { stdio: ["ignore", "pipe", "inherit"], timeout: 600_000 });
    const acknowledged: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      if (acknowledged.length === 500) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    assert.equal(child.signalCode, "SIGKILL");
    await opened(path, async (store) => {
      const { entries, revision } = await store.list({ prefix: "" });
      const there = new Set(entries.map((entry) => `${entry.key} ${entry.revision}`));
      assert.ok(acknowledged.length >= 500);
      assert.deepEqual(acknowledged.filter((line) => !there.has(line)), []);
      assert.equal(await put(store, "next", "1"), revision + 1);
      assert.equal(entries.length, revision - 1);
    });
  }));

test("Store.get() of an absent key returns the revision of every acknowledged write, and the entry once it is written", () =>
  inFolder((path) =>
    opened(path, async (store) => {
      const before = (await store.get("a/")).revision;
      const a = await put(store, "a", "1");
      assert.deepEqual([a, await store.get("a/")], [before + 1, { entry: undefined, revision: a }]);
      const [written, read] = await Promise.all([put(store, "a/", "2"), put(store, "b", "1").then(() => store.get("a/"))]);
      assert.deepEqual([text(read.entry?.value), read.entry?.revision], ["2", written]);
      const gone = await done(store, { key: "a/", expect: written, value: undefined });
      assert.deepEqual(await store.get("a/"), { entry: undefined, revision: gone });
      assert.deepEqual(await store.get("a/"), { entry: undefined, revision: gone });
      await store.close();
      await refused("closed", () => store.get("a/"));
    })
  ));
