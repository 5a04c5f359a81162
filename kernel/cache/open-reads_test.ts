import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, systemClock } from "../../core/async.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import type { Store } from "../store/store.ts";
import { openReads } from "./open-reads.ts";
import { catalog, prefix } from "../../test/reads/fixture.ts";

const openWaitMs = 12_345;

/** Opens reads of a store whose lists wait for the test, with a clock whose waits for the fill end when the test says. */
async function scene() {
  const store = await openSqlite(":memory:");
  const held: (() => void)[] = [], due: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, run) {
      if (ms !== openWaitMs) return systemClock.after(ms, run);
      due.push(run);
      return () => {};
    },
  };
  const slow: Store = {
    ...store,
    async list(range, page) {
      await new Promise<void>((resolve) => held.push(resolve));
      return await store.list(range, page);
    },
  };
  let pages = 0;
  const opening = openReads(slow, catalog, prefix, { clock, openWaitMs, checkEveryMs: 0, onPage: () => pages++ });
  const turns = async (isOver: () => boolean) => {
    while (!isOver()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, held, due, opening, turns, pages: () => pages };
}

test("openReads() waits for a fill as long as it reads pages", async () => {
  const { store, held, due, opening, turns, pages } = await scene();
  await turns(() => held.length > 0 && due.length === 1);
  held.shift()!();
  await turns(() => pages() === 1 && held.length > 0);
  due[0]!();
  await turns(() => due.length === 2);
  let isOpen = false;
  const opened = opening.finally(() => isOpen = true);
  await turns(() => {
    held.shift()?.();
    return isOpen;
  });
  assert.equal((await opened).state().tag, "current");
  await (await opened).close();
  await store.close();
});

test("openReads() no longer waits for a fill that reads nothing", async () => {
  const { store, held, due, opening, turns } = await scene();
  await turns(() => held.length > 0 && due.length === 1);
  due[0]!();
  const opened = await opening;
  assert.equal(opened.state().tag, "filling");
  const closing = opened.close();
  for (const release of held) release();
  await closing;
  await store.close();
});
