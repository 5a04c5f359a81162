import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openPlainStore } from "../../../server/startup/open-store.ts";
import { defaults } from "../../../server/config/settings.ts";
import { manualClock } from "../../../test/store/clock.ts";
import { put, refused, text } from "../../../test/store/helpers.ts";
import { type Faults, faultsOf, faultText, noFaults } from "../fault.ts";
import type { Store } from "../store.ts";
import { openSqlite, storeTrialMs } from "./sqlite.ts";

/** A data folder in a folder of its own, with an open store and the faults that it reports. */
async function inFolder(
  use: (parts: {
    readonly folder: string;
    readonly path: string;
    readonly store: Store;
    readonly faults: Faults;
    readonly clock: ReturnType<typeof manualClock>;
  }) => Promise<void>,
): Promise<void> {
  const outer = await mkdtemp(join(tmpdir(), "thole-place-"));
  const folder = join(outer, "data"), path = join(folder, "store.sqlite");
  await mkdir(folder);
  const clock = manualClock();
  const faults = faultsOf(clock, { begun() {}, ended() {} });
  const store = await openSqlite(path, { clock, faults });
  try {
    await use({ folder, path, store, faults, clock });
  } finally {
    await store.close();
    await rm(outer, { recursive: true, force: true });
  }
}

/** Resolves when the store has processed all earlier calls. */
const turn = (store: Store) => store.get("none").catch(() => {});
const files = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith("store.sqlite"));

for (const gone of ["store.sqlite", "store.sqlite-wal", "the folder"]) {
  test(`openSqlite() rejects writes while ${gone} is not at its path, and accepts them when it is back`, () =>
    inFolder(async ({ folder, store, path, faults }) => {
      const before = await put(store, "a", "1");
      const from = gone === "the folder" ? folder : join(folder, gone);
      const where = `${gone === "the folder" ? folder : from}.moved`;
      await rename(from, where);
      await refused("unavailable", () => put(store, "b", "1"), {
        message: `The store failed: the open file is not at its path: "${gone.endsWith("-wal") ? from : path}" was removed`,
      });
      assert.deepEqual(faults.current.map(({ kind, unready }) => [kind, unready]), [["failing", true]]);
      assert.match(faultText(faults.current[0]!), /fails since .*its files were removed or replaced while this server has them open/);
      assert.equal(text((await store.get("a")).entry?.value), "1");
      await rename(where, from);
      assert.equal(await put(store, "b", "1"), before + 1);
      assert.deepEqual(faults.current, []);
    }));
}

test("openSqlite() rejects writes when another file lies at the path of its file", () =>
  inFolder(async ({ store, path }) => {
    await put(store, "a", "1");
    await copyFile(path, `${path}.copy`);
    await rename(`${path}.copy`, path);
    await refused("unavailable", () => put(store, "b", "1"), {
      message: `The store failed: the open file is not at its path: "${path}" was replaced`,
    });
  }));

test("openSqlite() reports files that were removed also without writes", () =>
  inFolder(async ({ path, store, clock, faults }) => {
    await rm(path);
    clock.advance(storeTrialMs);
    await turn(store);
    assert.equal(faults.current.length, 1);
  }));

test("openPlainStore() rejects the folder of an open store whose files were removed", () =>
  inFolder(async ({ folder, path, store }) => {
    await put(store, "a", "1");
    for (const name of await files(folder)) await rm(join(folder, name));
    await refused("unavailable", () => openSqlite(path));
    await assert.rejects(
      openPlainStore({ ...defaults, "data-dir": folder }, { faults: noFaults, catalog: () => ({ stored: [] }) }),
      /another process has it open/,
    );
  }));

test("openSqlite() locks its folder again when all files in it were removed", () =>
  inFolder(async ({ folder, path, store, clock }) => {
    for (const name of await readdir(folder)) await rm(join(folder, name));
    clock.advance(storeTrialMs);
    await turn(store);
    assert.ok(existsSync(join(folder, "store.lock")));
    await refused("unavailable", () => openSqlite(path));
  }));
