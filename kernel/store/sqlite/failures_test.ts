import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { defaults } from "../../../server/config/settings.ts";
import { openPlainStore } from "../../../server/startup/open-store.ts";
import { failingFault, openFailure } from "./failures.ts";
import { openSqlite } from "./sqlite.ts";
import { done, put } from "../../../test/store/helpers.ts";
import { type ActiveFault, faultsOf, faultText, noFaults } from "../fault.ts";

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-failures-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
const opening = (folder: string) =>
  openPlainStore({ ...defaults, "data-dir": folder }, { faults: noFaults, catalog: () => ({ stored: [] }) }).then(
    async ({ store }) => {
      await store.close();
      return "opened";
    },
    (error: Error) => error.message,
  );

test("the error of openPlainStore() for a damaged or foreign file says how to restore a backup", () =>
  inFolder(async (folder) => {
    const path = join(folder, "store.sqlite");
    await writeFile(path, "this is no database ".repeat(1000));
    assert.equal(
      await opening(folder),
      `Cannot open the store file "${path}": it is no sqlite database, or its first page is damaged (file is not a database); ` +
        "put a backup in its place: docs/operators-guide.md#restore-the-embedded-store",
    );
  }));

test("the error of openPlainStore() for a missing folder says what to check", () =>
  inFolder(async (folder) => {
    assert.match(
      await opening(join(folder, "none")),
      /^Cannot open the store file ".*none\/store\.sqlite": its folder does not exist \(ENOENT.*\); make the folder, or check --data-dir$/,
    );
  }));

test("the error of openPlainStore() for missing permissions names the required owner", (t) =>
  inFolder(async (folder) => {
    if (process.getuid?.() === 0) return t.skip("root may open every file");
    await writeFile(join(folder, "store.sqlite"), "");
    await chmod(join(folder, "store.sqlite"), 0o000);
    assert.match(await opening(folder), /this user may not open it \(EACCES.*\); give this user its folder and its files/);
  }));

test("openFailure() explains the messages of sqlite and the system", () => {
  const of = (said: string) => openFailure(new Error(said), undefined);
  assert.match(of("EROFS: read-only file system, open 'x'"), /^its file system is read-only \(.*\); mount the file system for writing/);
  assert.match(of("EACCES: permission denied, open 'x'"), /^this user may not open it/);
  assert.match(of("ENOSPC: no space left on device, write"), /no space on its disk .*#the-disk-is-full$/);
  assert.match(of("database disk image is malformed"), /^it is damaged .*#restore-the-embedded-store$/);
  assert.match(of("attempt to write a readonly database"), /read-only/);
  assert.match(of("disk I/O error"), /^the disk failed .*kernel's log/);
  assert.match(of("something new"), /^something new; docs\/operators-guide\.md#the-store-file-cannot-be-used$/);
  assert.match(openFailure(new Error("database is locked"), 4711), /^another process has it open, process 4711: stop that one/);
  assert.match(openFailure(new Error("database is locked"), undefined), /^another process has it open: stop that one/);
  assert.equal(failingFault("/s", new Error("disk I/O error")).unready, true);
});

test("a store whose writes fail while it is open reports that once, retries, and reports the end once", () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, "d"));
    const path = join(folder, "d", "store.sqlite");
    const lines: string[] = [];
    const ended = Promise.withResolvers<void>();
    const faults = faultsOf({ now: () => 0 }, {
      begun: (fault: ActiveFault) => void lines.push(faultText(fault)),
      ended({ over }) {
        lines.push(over);
        ended.resolve();
      },
    });
    let fails = false;
    const pagesMax = () => {
      if (fails) throw new Error("disk I/O error");
      return 100_000;
    };
    const store = await openSqlite(path, { faults, engine: { pagesMax } });
    try {
      const first = await put(store, "/a", "1");
      fails = true;
      for (let again = 0; again < 5; again++) await assert.rejects(put(store, "/b", "1"), /disk I\/O error/);
      assert.equal((await store.get("/a")).entry?.revision, first);
      assert.equal(lines.length, 1);
      assert.match(lines[0]!, /^the store file ".*store\.sqlite" fails since 1970-.*: the disk failed \(disk I\/O error\)$/);
      fails = false;
      await ended.promise;
      assert.equal(lines[1], `the store file "${path}" can be written again`);
      assert.deepEqual([lines.length, faults.current], [2, []]);
      await done(store, { key: "/b", expect: "absent", value: new Uint8Array(1) });
    } finally {
      await store.close();
    }
  }));
