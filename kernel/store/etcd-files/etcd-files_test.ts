import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { limits } from "../../../core/limits.ts";
import { openBolt } from "./bolt.ts";
import { crc32c } from "./crc32c.ts";
import { openDatabase } from "./etcd-database.ts";
import { openDataFolder, openSnapshot } from "./etcd-files.ts";
import { EtcdFileError, inMemory } from "./random-access.ts";
import {
  boltFile,
  bytesOf,
  databaseFile,
  type KeyChange,
  metaPage,
  type Pair,
  putRequest,
  snapshotFile,
  walFile,
} from "./test-etcd-file.ts";
import { readRaftRequest } from "./raft-request.ts";
import { entriesAfter, type WalFile, walName } from "./wal.ts";

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
      assert.deepEqual([entries.length, count, revision, database.consistentIndex], [300, 300, 307, 306]);
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
    const chain = limits.boltDepthMax, whole = new Uint8Array(deep.length + chain * 1024);
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
    const good = databaseFile(changes.slice(0, 30), { pageSize: 1024, itemsPerPage: 7 });
    for (let at = 0; at < good.length; at++) {
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
    assert.match(String(await reason(database)), /name its data folder with --from-data-dir, or add --skip-hash-check/);
    assert.equal(await reason(database, true), 300);
    assert.match(String(await reason(database.subarray(0, 8192), true)), /it is truncated/);
    assert.match(String(await reason(new Uint8Array())), /no checksum/);
    await assert.rejects(openSnapshot(join(folder, "none"), { prefix: "" }), /^EtcdFileError: Cannot open ".*none"/);
    await assert.rejects(
      openSnapshot(folder, { prefix: "" }),
      /Cannot open ".*": it is a folder: the data folder of an etcd is read with --from-data-dir/,
    );
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await assert.rejects(openSnapshot(pipe, { prefix: "" }), /Cannot open ".*pipe": it is a pipe: write its content to a file first/);
    await assert.rejects(openDataFolder(path, { prefix: "" }), /has no file member\/snap\/db; a snapshot is read with --from-snapshot/);
  }));

test("openDataFolder() applies the changes of the log that are not in the database, and says why where it cannot", () =>
  inFolder(async (folder) => {
    const snap = join(folder, "member/snap"), wal = join(folder, "member/wal");
    await assert.rejects(openDataFolder(folder, { prefix: "" }), /is no data folder of etcd/);
    await mkdir(snap, { recursive: true });
    const writeDatabase = (options: { readonly members?: number; readonly alarm?: boolean } = {}) =>
      writeFile(join(snap, "db"), databaseFile(changes, { consistentIndex: 10, ...options }));
    await writeDatabase();
    /** The revision, and the value of a key; or why it cannot be opened. */
    const read = () =>
      openDataFolder(folder, { prefix: "/registry/" }).then((file) => {
        const { entries: [entry], revision } = file.list({ prefix: "/registry/late" });
        file.close();
        return entry === undefined ? `${revision}` : `${revision} ${text.decode(entry.value)} ${entry.revision}`;
      }, (error: Error) => error.message);
    assert.match(await read(), /its write-ahead log is not there/);
    await mkdir(wal);
    const put = (index: number) => ({ index, data: putRequest("/registry/late", `from ${index}`) });
    const write = (entries: Parameters<typeof walFile>[0], committed?: number) =>
      writeFile(join(wal, "0000000000000000-0000000000000000.wal"), walFile(entries, 0, committed));
    await write([put(9), put(10)]);
    assert.equal(await read(), "307");
    const late = [put(9), put(10), put(11), put(12)];
    await write(late);
    assert.equal(await read(), "309 from 12 309");
    // Of several members the others may not have them.
    await writeDatabase({ members: 3 });
    assert.match(
      await read(),
      /db": 2 changes are in its .* \(consistent index 10\), and cannot be applied here, because 2 of them may not be agreed on.*snapshot save/,
    );
    await write(late, 11);
    assert.match(await read(), /because 1 of them may not be agreed on/);
    await write(late, 12);
    assert.equal(await read(), "309 from 12 309");
    // Others could reject them.
    await writeDatabase({ alarm: true });
    assert.match(await read(), /because it has an alarm: start that etcd/);
    await writeDatabase();
    const alarm = { index: 11, data: Uint8Array.of(8, 1, 82, 2, 8, 1) };
    await write([put(10), alarm, put(12)]);
    assert.match(await read(), /because its log has a request of the kind 10/);
    await write([put(10), { index: 11, data: Uint8Array.of(34, 9, 10) }]);
    assert.match(await read(), /a message InternalRaftRequest is damaged: .*: start that etcd/);
    // Changes of the cluster, elections, alarms alone and compactions change no keys.
    await write([put(10), { index: 11, data: new Uint8Array() }, { index: 12, data: bytesOf("x"), type: 1 }, {
      index: 13,
      data: Uint8Array.of(8, 1, 58, 0),
    }, { ...alarm, index: 14 }]);
    assert.equal(await read(), "307");
    await writeFile(join(snap, "000000000000000b.snap.db"), "");
    assert.match(await read(), /newer database "000000000000000b.snap.db"/);
  }));

test("entriesAfter() follows the files of a log, their checksums and replaced entries", () => {
  const put = (index: number) => ({ index, data: putRequest("a", "b") });
  const fileOf = (sequence: number, firstIndex: number, bytes: Uint8Array) => ({
    name: `${sequence}`,
    sequence,
    firstIndex,
    open: () => inMemory(bytes),
  });
  const changesAfter = (files: readonly WalFile[], index: number) =>
    entriesAfter(files, index).entries.filter(({ data }) => data.length > 0 && readRaftRequest(data).tag !== "nothing").length;
  const first = walFile([put(1), put(2), put(3)]), second = walFile([put(4), put(5)]);
  assert.equal(changesAfter([fileOf(1, 4, second), fileOf(0, 0, first)], 0), 5);
  assert.equal(changesAfter([fileOf(1, 4, second), fileOf(0, 0, first)], 3), 2);
  assert.equal(changesAfter([fileOf(1, 4, second)], 4), 1);
  assert.equal(changesAfter([fileOf(0, 0, walFile([put(1), put(2), put(3), { index: 2, data: new Uint8Array() }]))], 0), 1);
  assert.throws(() => changesAfter([fileOf(1, 4, second)], 1), /has no file with the entries after 1/);
  assert.throws(() => changesAfter([fileOf(0, 0, first), fileOf(2, 4, second)], 0), /no file before "2"/);
  assert.throws(() => changesAfter([fileOf(0, 0, walFile([put(1), put(3)]))], 0), /no entry before 3/);
  const flipped = first.slice();
  flipped[60]! ^= 1;
  assert.throws(() => changesAfter([fileOf(0, 0, flipped)], 0), /a checksum is wrong|damaged/);
  // The last record of a log may be cut off: etcd ignores it, too.
  const end = first.findLastIndex((byte) => byte !== 0);
  assert.equal(changesAfter([fileOf(0, 0, first.subarray(0, end - 2))], 0), 2);
  assert.deepEqual(walName("0000000000000001-0000000000001f40.wal"), { sequence: 1, firstIndex: 8000 });
  assert.equal(walName("0.tmp"), undefined);
  assert.equal(crc32c(0, bytesOf("123456789")), 0xe3069283);
  assert.equal(crc32c(crc32c(0, bytesOf("1234")), bytesOf("56789")), 0xe3069283);
});
