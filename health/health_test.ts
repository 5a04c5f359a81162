import assert from "node:assert/strict";
import { test } from "node:test";
import { type Checks, ping, report, reportOne, sharedCheck, switchCheck } from "./mod.ts";

function world() {
  const store = switchCheck("etcd", "connection refused", true);
  const shutdown = switchCheck("shutdown", "process is shutting down", true);
  const checks: Checks = { livez: [ping, store.check], readyz: [ping, store.check, shutdown.check], healthz: [ping, store.check] };
  return { checks, store, shutdown };
}
const plain = { verbose: false, exclude: [] };

test("report() says ok in one word, and lists every check when asked", async () => {
  const { checks } = world();
  assert.deepEqual(await report("livez", checks, plain, 1000), { status: 200, text: "ok", failures: [] });
  assert.equal(
    (await report("readyz", checks, { verbose: true, exclude: [] }, 1000)).text,
    "[+]ping ok\n[+]etcd ok\n[+]shutdown ok\nreadyz check passed\n",
  );
});

test("report() lists what failed without saying why, and keeps why for the log", async () => {
  const { checks, store } = world();
  store.fail();
  assert.deepEqual(await report("livez", checks, plain, 1000), {
    status: 500,
    text: "[+]ping ok\n[-]etcd failed: reason withheld\nlivez check failed\n",
    failures: [{ name: "etcd", reason: "connection refused" }],
  });
});

test("report() leaves out what is excluded and tells of names that match nothing", async () => {
  const { checks, store } = world();
  store.fail();
  const told = await report("livez", checks, { verbose: true, exclude: ["zone", "etcd", "a\n[+]b ok", "etcd"] }, 1000);
  assert.equal(told.status, 200);
  assert.equal(
    told.text,
    '[+]ping ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a\\n[+]b ok","zone"\nlivez check passed\n',
  );
});

test("report() leaves out a check that stands aside, and cannot exclude it; its own path tells of it", async () => {
  const { store, checks: { livez } } = world();
  store.fail();
  let aside = true;
  const checks: Checks = { livez: [livez[0]!, { ...store.check, aside: () => aside }], readyz: [], healthz: [] };
  assert.equal((await report("livez", checks, { verbose: true, exclude: [] }, 1000)).text, "[+]ping ok\nlivez check passed\n");
  assert.match(
    (await report("livez", checks, { verbose: true, exclude: ["etcd"] }, 1000)).text,
    /cannot be excluded: no matches for "etcd"/,
  );
  assert.equal((await reportOne("livez", checks, "etcd", 1000))!.status, 500);
  aside = false;
  assert.equal((await report("livez", checks, plain, 1000)).status, 500);
});

test("reportOne() answers one check with its reason, and nothing for a name that is no check there", async () => {
  const { checks, shutdown } = world();
  shutdown.fail();
  assert.equal((await reportOne("readyz", checks, "shutdown", 1000))!.text, "internal server error: process is shutting down\n");
  assert.equal(await reportOne("livez", checks, "shutdown", 1000), undefined);
  assert.equal(await reportOne("livez", checks, "constructor", 1000), undefined);
});

test("report() does not wait for a check longer than it may", async () => {
  const stuck = { name: "stuck", check: () => new Promise<void>(() => {}) };
  const told = await report("livez", { livez: [stuck], readyz: [], healthz: [] }, plain, 1);
  assert.equal(told.status, 500);
});

test("report() ends a check that takes too long with a TimeoutError, and lets go of the time of one that has answered", async () => {
  const signals: AbortSignal[] = [];
  const quick = { name: "quick", check: async (signal: AbortSignal) => void signals.push(signal) };
  const stuck = {
    name: "stuck",
    check: (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<void>(() => {});
    },
  };
  await report("livez", { livez: [quick, stuck], readyz: [], healthz: [] }, plain, 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, true]);
  assert.equal(signals[1]?.reason.name, "TimeoutError");
});

test("sharedCheck() looks once however many ask, until its result is too old", async () => {
  let looked = 0, time = 0;
  const check = sharedCheck("etcd", 100, () => time, () => {
    looked++;
    return Promise.resolve();
  });
  const signal = new AbortController().signal;
  await Promise.all([check.check(signal), check.check(signal)]);
  time = 99;
  await check.check(signal);
  assert.equal(looked, 1);
  time = 100;
  await check.check(signal);
  assert.equal(looked, 2);
});

test("report() tells how each check came out that was run", async () => {
  const { checks, store } = world();
  store.fail();
  const told: [string, boolean][] = [];
  await report("readyz", checks, { verbose: false, exclude: ["shutdown"], observe: (...each) => told.push(each) }, 1000);
  assert.deepEqual(told, [["ping", true], ["etcd", false]]);
});

test("sharedCheck() joins a look that still runs, however old, until its signal aborts", async () => {
  let looked = 0, time = 0;
  const check = sharedCheck("etcd", 100, () => time, () => {
    looked++;
    return new Promise(() => {});
  });
  const first = new AbortController();
  check.check(first.signal);
  time = 1000;
  check.check(new AbortController().signal);
  assert.equal(looked, 1);
  first.abort();
  check.check(new AbortController().signal);
  assert.equal(looked, 2);
});

test("sharedCheck() shares a failure as it shares a success, also one that is thrown at once", async () => {
  let looked = 0, time = 0;
  const check = sharedCheck("etcd", 100, () => time, () => {
    looked++;
    throw new Error("refused");
  });
  const signal = new AbortController().signal;
  await assert.rejects(check.check(signal), /refused/);
  await assert.rejects(check.check(signal), /refused/);
  assert.equal(looked, 1);
  time = 100;
  await assert.rejects(check.check(signal), /refused/);
  assert.equal(looked, 2);
});
