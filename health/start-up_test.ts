import assert from "node:assert/strict";
import { test } from "node:test";
import { flushEveryMs, graceful, logCheck, startUp } from "./mod.ts";

const never = new AbortController().signal;
const reasonOf = (check: { check(signal: AbortSignal): Promise<void> }) =>
  check.check(never).then(() => "ok", (error: Error) => error.message);

test("StartUp.hook() fails until the hook is finished", async () => {
  const start = startUp();
  const hook = start.hook("make-things");
  assert.deepEqual([hook.name, await reasonOf(hook)], ["poststarthook/make-things", "not finished"]);
  start.finished("make-things");
  assert.deepEqual([await reasonOf(hook), await reasonOf(start.hook("others"))], ["ok", "not finished"]);
});

test("StartUp.all() waits for every hook that it names", async () => {
  const start = startUp();
  let over = false;
  const all = start.all(["a", "b"]).then(() => over = true);
  start.finished("a");
  await start.all([]);
  assert.equal(over, false);
  start.finished("b");
  await all;
  await start.all(["b"]);
});

test("StartUp.informers lists unsynced kinds, and is empty after clear()", async () => {
  const start = startUp();
  assert.equal(await reasonOf(start.informers), "ok");
  const synced = start.addInformer("a", "*v1.Namespace");
  start.addInformer("b", "*v1.Secret");
  assert.equal(await reasonOf(start.informers), "2 informers not started yet: [*v1.Namespace *v1.Secret]");
  assert.equal(start.isSynced("a"), false);
  synced();
  assert.equal(start.isSynced("a"), true);
  start.addInformer("a", "*v1.Namespace");
  assert.equal(start.isSynced("a"), true, "a restarted watch stays synced");
  start.clear();
  assert.equal(await reasonOf(start.informers), "ok", "no informers are left");
});

test("StartUp.setStarted() takes effect once all is done; hooks and informers added later are omitted until they are done", async () => {
  const start = startUp();
  const omittedOf = (...checks: readonly { readonly omitted?: () => boolean }[]) => checks.map(({ omitted }) => omitted?.());
  const hook = start.hook("first"), late = start.hook("late");
  const synced = start.addInformer("first", "*v1.Namespace");
  start.setStarted(["first"]);
  start.finished("first");
  start.setStarted(["first"]);
  assert.deepEqual(omittedOf(hook, late, start.informers), [false, false, false], "one informer is not synced");
  synced();
  start.setStarted(["first", "late"]);
  assert.deepEqual(omittedOf(hook, late), [false, false]);
  start.setStarted(["first"]);
  const syncedLate = start.addInformer("late", "*v1.Secret");
  assert.deepEqual(omittedOf(hook, late, start.informers), [false, true, true]);
  assert.equal(await reasonOf(start.informers), "1 informers not started yet: [*v1.Secret]", "its own path still shows the reason");
  syncedLate();
  start.finished("late");
  assert.deepEqual(omittedOf(hook, late, start.informers), [false, false, false]);
});

test("graceful() passes until the grace period is over, and then returns the result of the check", async () => {
  let over = false;
  const hook = graceful(startUp().hook("stuck"), () => over);
  assert.deepEqual([hook.name, await reasonOf(hook)], ["poststarthook/stuck", "ok"]);
  over = true;
  assert.equal(await reasonOf(hook), "not finished");
});

test("logCheck() fails once the log has not been written for two minutes", async () => {
  let time = 0;
  const { check, flushed } = logCheck(() => time);
  time = 2 * flushEveryMs - 1;
  assert.equal(await reasonOf(check), "ok");
  time += 1;
  assert.equal(await reasonOf(check), "logging blocked");
  flushed();
  assert.equal(await reasonOf(check), "ok");
});
