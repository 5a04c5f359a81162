import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { boltDepthMax, openBolt } from "./bolt.ts";
import { openDatabase } from "./etcd-database.ts";
import { openSnapshot } from "./etcd-files.ts";
import { EtcdFileError, inMemory } from "./random-access.ts";
import { boltFile, bytesOf, databaseFile, type KeyChange, metaPage, type Pair, snapshotFile } from "./test-etcd-file.ts";

const text = new TextDecoder();
const changes: readonly KeyChange[] = [
  ...Array.from({ length: 300 }, (_, index) => ({ key: `/registry/a/${String(index).padStart(3, "0")}`, value: `value ${index}` })),
  { key: "/registry/a/007", value: "newer" },
  { key: "/registry/a/008" },
  { key: "/registry/a/009" },
  { key: "/registry/a/009", value: "again" },
  { key: "/registry/b/large", value: "x".repeat(10_000) },
  { key: "/other/a", value: "outside" },
];

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-etcd-files-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("openDatabase()", () => {
  for (const pageSize of [1024, 4096, 65536]) {
    it(`lists the newest value of each key that is not deleted, with pages of ${pageSize} bytes`, () => {
      const database = openDatabase(inMemory(databaseFile(changes, { pageSize, itemsPerPage: 7 })), "/registry/");
      const { entries, count, revision } = database.list({ prefix: "/registry/" });
      assert.deepEqual([entries.length, count, revision], [300, 300, 307]);
      const valueOf = (key: string) =>
        entries.filter((entry) => entry.key === key).map(({ value, revision }) => [text.decode(value), revision]);
      assert.deepEqual(valueOf("/registry/a/006"), [["value 6", 8]]);
      assert.deepEqual(valueOf("/registry/a/007"), [["newer", 302]]);
      assert.deepEqual(valueOf("/registry/a/008"), []);
      assert.deepEqual(valueOf("/registry/a/009"), [["again", 305]]);
      assert.equal(valueOf("/registry/b/large")[0]![0]!.toString().length, 10_000);
    });
  }

  it("lists in pages, after a key", () => {
    const database = openDatabase(inMemory(databaseFile(changes)), "/registry/");
    const keys: string[] = [];
    let after: string | undefined;
    for (;;) {
      const { entries, count } = database.list({ prefix: "/registry/a/", ...(after === undefined ? {} : { after }) }, { limit: 100 });
      for (const { key } of entries) keys.push(key);
      after = entries.at(-1)?.key;
      if (entries.length === count) break;
    }
    assert.equal(keys.length, 299);
    assert.deepEqual(keys, keys.toSorted());
  });

  it("reads the older meta page if the newer one is damaged, and rejects a file with none", () => {
    const file = databaseFile(changes);
    file[4096 + 40]! ^= 1;
    assert.equal(openBolt(inMemory(file)).transaction(), 1);
    file[40]! ^= 1;
    assert.throws(() => openBolt(inMemory(file)), /both of its first pages are damaged/);
    assert.throws(() => openBolt(inMemory(new Uint8Array(10_000))), EtcdFileError);
    assert.throws(() => openBolt(inMemory(new Uint8Array())), EtcdFileError);
  });

  it("rejects a truncated file", () => {
    const file = databaseFile(changes);
    assert.throws(() => openDatabase(inMemory(file.subarray(0, file.length - 1)), ""), /it is truncated/);
  });

  it("rejects pages that form a loop, that two pages share, and that do not exist", () => {
    const file = databaseFile(changes, { itemsPerPage: 7 }), view = new DataView(file.buffer);
    const branch = Array.from({ length: file.length / 4096 }, (_, id) => id).find((id) => view.getUint16(id * 4096 + 8, true) === 1)!;
    const child = branch * 4096 + 16 + 8;
    const first = view.getBigUint64(child, true), second = view.getBigUint64(child + 16, true);
    for (
      const [id, reason] of [[BigInt(branch), /used twice/], [second, /used twice/], [first + 10_000n, /it refers to page/], [
        1n,
        /refers to page 1/,
      ], [
        2n ** 63n,
        /it refers to page/,
      ]] as const
    ) {
      view.setBigUint64(child, id, true);
      assert.throws(() => openDatabase(inMemory(file), ""), reason);
    }
  });

  it("rejects elements beyond their page, and elements that share bytes", () => {
    const pairs: readonly Pair[] = [[bytesOf("a"), bytesOf("1")], [bytesOf("b"), bytesOf("2")]];
    const open = (change: (view: DataView, at: number) => void) => {
      const file = boltFile({ key: pairs });
      change(new DataView(file.buffer), 2 * 4096 + 16);
      return [...openBolt(inMemory(file)).bucket("key")!];
    };
    assert.equal(open(() => {}).length, 2);
    assert.throws(() => open((view, at) => view.setUint32(at + 12, 4096, true)), /page 2 is damaged/);
    assert.throws(() => open((view, at) => view.setUint32(at + 12, 2 ** 32 - 1, true)), /page 2 is damaged/);
    assert.throws(() => open((view, at) => view.setUint32(at + 16 + 4, 4, true)), /page 2 is damaged/);
    assert.throws(() => open((view, at) => view.setUint16(at - 6, 65535, true)), /page 2 is damaged/);
    assert.throws(() => open((view, at) => view.setUint16(at - 8, 16, true)), /page 2 is damaged/);
    assert.throws(() => open((view, at) => view.setUint32(at - 4, 7, true)), /page 2 is damaged/);
  });

  it("rejects keys that are not in order", () => {
    assert.throws(
      () => [...openBolt(inMemory(boltFile({ key: [[bytesOf("b"), bytesOf("")], [bytesOf("a"), bytesOf("")]] }))).bucket("key")!],
      /in order/,
    );
  });

  it("bounds the levels and the bytes of a page", () => {
    const deep = boltFile({ key: Array.from({ length: 3 }, (_, index): Pair => [bytesOf(`${index}`), bytesOf("")]) }, { pageSize: 1024 });
    // A chain of branch pages with one child each, before the leaf in page 2.
    const chain = boltDepthMax, whole = new Uint8Array(deep.length + chain * 1024);
    whole.set(deep);
    const view = new DataView(whole.buffer);
    for (let index = 0; index < chain; index++) {
      const id = deep.length / 1024 + index, at = id * 1024;
      view.setBigUint64(at, BigInt(id), true);
      view.setUint16(at + 8, 1, true);
      view.setUint16(at + 10, 1, true);
      view.setUint32(at + 16, 16, true);
      view.setBigUint64(at + 24, BigInt(index === chain - 1 ? 2 : id + 1), true);
    }
    const levels = (from: number) => {
      whole.set(metaPage({ pageSize: 1024, root: 3, pages: whole.length / 1024, transaction: 9 }), 0);
      view.setBigUint64(3 * 1024 + 16 + 16 + 3, BigInt(from), true);
      return [...openBolt(inMemory(whole)).bucket("key")!].length;
    };
    assert.equal(levels(deep.length / 1024 + 1), 3);
    assert.throws(() => levels(deep.length / 1024), /more than 64 levels/);
  });

  it("rejects records that are no changes of etcd", () => {
    const reason = (pair: Pair) => {
      try {
        openDatabase(inMemory(boltFile({ key: [pair] })), "");
        return "";
      } catch (error) {
        assert.ok(error instanceof EtcdFileError);
        return error.message;
      }
    };
    const key = new Uint8Array(17);
    key[7] = 2;
    key[8] = 0x5f;
    assert.match(reason([bytesOf("short"), bytesOf("")]), /no revision/);
    assert.match(reason([new Uint8Array(17), bytesOf("")]), /no revision/);
    assert.match(reason([key, bytesOf("")]), /has no key/);
    assert.match(reason([key, Uint8Array.of(10, 200, 1)]), /KeyValue is damaged: unexpected EOF/);
    assert.throws(() => openDatabase(inMemory(boltFile({ other: [] })), ""), /no keys of etcd/);
  });

  it("survives a flipped bit anywhere", () => {
    const pageSize = 1024, good = databaseFile(changes.slice(0, 10), { pageSize, itemsPerPage: 4 });
    /** After it a page has zeros only. */
    const ends = Array.from(
      { length: good.length / pageSize },
      (_, page) => good.subarray(page * pageSize, (page + 1) * pageSize).findLastIndex((byte) => byte !== 0),
    );
    for (let at = 0; at < good.length; at++) {
      if (at % pageSize > ends[Math.floor(at / pageSize)]!) continue;
      const file = good.slice();
      file[at]! ^= 1 << at % 8;
      try {
        openDatabase(inMemory(file), "").list({ prefix: "" });
      } catch (error) {
        assert.ok(error instanceof EtcdFileError, `byte ${at}: ${error}`);
      }
    }
  });

  it("reports that the file was written after it was opened", () => {
    const file = databaseFile(changes), database = openDatabase(inMemory(file), "");
    assert.equal(database.list({ prefix: "" }, { limit: 1 }).entries.length, 1);
    file.set(metaPage({ pageSize: 4096, root: 3, pages: file.length / 4096, transaction: 3 }), 0);
    assert.throws(() => database.list({ prefix: "" }), /written while it was read/);
  });
});

test("openSnapshot() reads a file with a correct checksum, and says what is wrong with others", () =>
  inFolder(async (folder) => {
    const path = join(folder, "snapshot.db");
    const reason = (bytes: Uint8Array, skipHashCheck = false) =>
      writeFile(path, bytes).then(() => openSnapshot(path, { prefix: "/registry/", skipHashCheck })).then(
        (file) => {
          const { count } = file.list({ prefix: "/registry/" });
          file.close();
          return count;
        },
        (error: Error) => error.message,
      );
    const database = databaseFile(changes), snapshot = snapshotFile(database), flipped = snapshot.slice();
    flipped[9000]! ^= 1;
    assert.equal(await reason(snapshot), 300);
    assert.match(String(await reason(flipped)), /^Cannot read ".*snapshot.db": its checksum is wrong: it is damaged/);
    assert.match(String(await reason(snapshot.subarray(0, snapshot.length - 1))), /it has no checksum at its end: it is truncated/);
    assert.match(
      String(await reason(database)),
      /member\/snap\/db\) is read with --skip-hash-check, and is complete only if that etcd was stopped and not killed/,
    );
    assert.equal(await reason(database, true), 300);
    assert.match(String(await reason(database.subarray(0, 8192), true)), /it is truncated/);
    assert.match(String(await reason(new Uint8Array())), /no checksum/);
    await assert.rejects(openSnapshot(join(folder, "none"), { prefix: "" }), /^EtcdFileError: Cannot open ".*none"/);
    await assert.rejects(
      openSnapshot(folder, { prefix: "" }),
      /Cannot open ".*": it is a folder: start its etcd and take a snapshot .* snapshot save FILE.*, its file member\/snap\/db .*--skip-hash-check/,
    );
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await assert.rejects(openSnapshot(pipe, { prefix: "" }), /Cannot open ".*pipe": it is a pipe: write its content to a file first/);
  }));
