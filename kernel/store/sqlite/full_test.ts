import assert from "node:assert/strict";
import { mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { systemClock } from "../../../core/async.ts";
import { openReserve, storeReservePieceBytes } from "./reserve.ts";
import { openSqlite } from "./sqlite.ts";
import { pagedDisk, smallDisk } from "../../../test/store/disk.ts";
import { done, patienceMs, put, refused, remove } from "../../../test/store/helpers.ts";
import { type Store, StoreError } from "../store.ts";
import { type ActiveFault, faultsOf, faultText } from "../fault.ts";
import { storeReserveBytes } from "./bounds.ts";

/** The report lines, and the recorder of faults. */
function reported() {
  const lines: string[] = [];
  const begun = (fault: ActiveFault) => void lines.push(`begun: ${faultText(fault)}; ${fault.advice}`);
  const ended = ({ over }: ActiveFault) => void lines.push(`ended: ${over}`);
  return { lines, faults: faultsOf(systemClock, { begun, ended }) };
}

/** Creates keys until the store is full; returns them with their revisions. */
async function fill(store: Store, bytes: number): Promise<readonly { readonly key: string; readonly revision: number }[]> {
  const made: { key: string; revision: number }[] = [];
  for (let count = 0; count < 100_000; count++) {
    const key = `/fill/${String(count).padStart(6, "0")}`;
    try {
      made.push({ key, revision: await done(store, { key, expect: "absent", value: new Uint8Array(bytes).fill(count) }) });
    } catch (error) {
      assert.ok(error instanceof StoreError && error.code === "full", `${error}`);
      return made;
    }
  }
  return assert.fail("the disk was never full");
}

async function eventually(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = Date.now() + patienceMs; !(await holds());) {
    if (Date.now() > end) assert.fail(what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a full sqlite store rejects creates and updates with one report, deletes, compacts, and reports the end once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-full-"));
  const path = join(folder, "store.sqlite");
  const { lines, faults } = reported();
  const disk = pagedDisk(400);
  const store = await openSqlite(path, { faults, engine: disk.engine });
  try {
    const made = await fill(store, 4000);
    assert.ok(made.length > 100, `${made.length}`);
    for (let again = 0; again < 10; again++) await refused("full", () => put(store, `/again/${again}`, "x"));
    const [first, second, third] = made;
    await refused("full", () => put(store, first!.key, "smaller", first!.revision));
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0]!, /^begun: the disk of the store file ".*store\.sqlite" is full since \d{4}-.*Z: no space/);
    assert.match(lines[0]!, /docs\/operators-guide\.md#the-disk-is-full$/);
    // A deletion in two parts: an update that marks the object, then the deletion itself.
    const marked = await done(store, { key: first!.key, expect: first!.revision, value: new Uint8Array(4000), frees: true });
    await remove(store, first!.key, marked);
    await remove(store, second!.key, second!.revision);
    assert.equal((await store.get(third!.key)).entry?.revision, third!.revision);
    await refused("full", () => put(store, "/still", "x"));
    const newest = (await store.get("/")).revision;
    await store.compact(newest);
    disk.grow(1000);
    await eventually(() => lines.length > 1, "the disk stayed full");
    await put(store, "/again", "x");
    assert.deepEqual([lines.length, lines[1]], [2, `ended: the disk of the store file "${path}" has space again`]);
    assert.deepEqual(faults.current, []);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("openReserve() keeps its bytes, releases them piece by piece, and takes them back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-reserve-"));
  const path = join(folder, "reserve");
  const whole = storeReserveBytes;
  const piece = storeReservePieceBytes;
  const size = async () => (await stat(path)).size;
  try {
    const reserve = openReserve(path);
    assert.equal(reserve.refill(), true);
    assert.equal(await size(), whole);
    assert.equal(reserve.release(), true);
    assert.equal(await size(), whole - piece);
    for (let left = whole / piece - 1; left > 0; left--) assert.equal(reserve.release(), true);
    assert.deepEqual([reserve.release(), await size()], [false, 0]);
    await truncate(path, 5);
    assert.equal(reserve.refill(), true);
    assert.equal(await size(), whole);
    reserve.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("on a full disk deletions and compaction work, and all writes once it has space again", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "thole-disk-"));
  const unmount = smallDisk(folder, 40);
  if (unmount === undefined) {
    await rm(folder, { recursive: true, force: true });
    return t.skip(`this user (${process.getuid?.()}) may not mount a small file system`);
  }
  const { lines, faults } = reported();
  const path = join(folder, "store.sqlite");
  try {
    let store = await openSqlite(path, { faults });
    // Another file fills most of the disk, and the store the rest.
    await writeFile(join(folder, "other"), new Uint8Array(12 * 1024 * 1024).fill(1));
    let made = await fill(store, 20_000);
    assert.equal(lines.length, 1, lines.join("\n"));
    for (const { key, revision } of made.slice(0, 50)) await remove(store, key, revision);
    await store.compact((await store.get("/")).revision);
    assert.equal((await store.list({ prefix: "/fill/" })).count, made.length - 50);
    // A store that is opened on a full disk reports it, and deletes.
    await store.close();
    lines.length = 0;
    store = await openSqlite(path, { faults });
    made = made.slice(50);
    await refused("full", () => put(store, "/more", "x".repeat(1000)));
    await remove(store, made[0]!.key, made[0]!.revision);
    await rm(join(folder, "other"));
    await eventually(() => faults.current.length === 0, "the disk stayed full");
    await put(store, "/more", "x");
    await store.close();
    assert.equal((await stat(join(folder, "store.reserve"))).size, storeReserveBytes);
  } finally {
    unmount();
    await rm(folder, { recursive: true, force: true });
  }
});
