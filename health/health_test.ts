import assert from "node:assert/strict";
import { test } from "node:test";
import { type Checks, ping, report, reportOne, sharedCheck, switchCheck } from "./mod.ts";

function fixture() {
  const store = switchCheck("etcd", "connection refused", true);
  const shutdown = switchCheck("shutdown", "process is shutting down", true);
  const checks: Checks = { livez: [ping, store.check], readyz: [ping, store.check, shutdown.check], healthz: [ping, store.check] };
  return { checks, store, shutdown };
}
const plain = { verbose: false, exclude: [] };

test("report() returns ok, and lists every check if it is verbose", async () => {
  const { checks } = fixture();
  assert.deepEqual(await report("livez", checks, plain, 1000), { status: 200, text: "ok", failures: [] });
  assert.equal(
    (await report("readyz", checks, { verbose: true, exclude: [] }, 1000)).text,
    "[+]ping ok\n[+]etcd ok\n[+]shutdown ok\nreadyz check passed\n",
  );
});

test("report() lists failed checks without their reasons, and returns the reasons for the log", async () => {
  const { checks, store } = fixture();
  store.fail();
  assert.deepEqual(await report("livez", checks, plain, 1000), {
    status: 500,
    text: "[+]ping ok\n[-]etcd failed: reason withheld\nlivez check failed\n",
    failures: [{ name: "etcd", reason: "connection refused" }],
  });
});

test("report() marks excluded checks and warns of names that match no check", async () => {
  const { checks, store } = fixture();
  store.fail();
  const result = await report("livez", checks, { verbose: true, exclude: ["zone", "etcd", "a\n[+]b ok", "etcd"] }, 1000);
  assert.equal(result.status, 200);
  assert.equal(
    result.text,
    '[+]ping ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a\\n[+]b ok","zone"\nlivez check passed\n',
  );
});

test("report() leaves out a check that is omitted, which then cannot be excluded; its own path shows its result", async () => {
  const { store, checks: { livez } } = fixture();
  store.fail();
  let omitted = true;
  const checks: Checks = { livez: [livez[0]!, { ...store.check, omitted: () => omitted }], readyz: [], healthz: [] };
  assert.equal((await report("livez", checks, { verbose: true, exclude: [] }, 1000)).text, "[+]ping ok\nlivez check passed\n");
  assert.match(
    (await report("livez", checks, { verbose: true, exclude: ["etcd"] }, 1000)).text,
    /cannot be excluded: no matches for "etcd"/,
  );
  assert.equal((await reportOne("livez", checks, "etcd", 1000))!.status, 500);
  omitted = false;
  assert.equal((await report("livez", checks, plain, 1000)).status, 500);
});

test("reportOne() returns one check with its reason, and undefined for an unknown name", async () => {
  const { checks, shutdown } = fixture();
  shutdown.fail();
  assert.equal((await reportOne("readyz", checks, "shutdown", 1000))!.text, "internal server error: process is shutting down\n");
  assert.equal(await reportOne("livez", checks, "shutdown", 1000), undefined);
  assert.equal(await reportOne("livez", checks, "constructor", 1000), undefined);
});

test("report() does not wait for a check beyond the timeout", async () => {
  const stuck = { name: "stuck", check: () => new Promise<void>(() => {}) };
  const result = await report("livez", { livez: [stuck], readyz: [], healthz: [] }, plain, 1);
  assert.equal(result.status, 500);
});

test("report() aborts a slow check with a TimeoutError, and clears the timer of a finished one", async () => {
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

test("sharedCheck() probes once for concurrent callers, and again after keepMs", async () => {
  let probes = 0, time = 0;
  const check = sharedCheck("etcd", 100, () => time, () => {
    probes++;
    return Promise.resolve();
  });
  const signal = new AbortController().signal;
  await Promise.all([check.check(signal), check.check(signal)]);
  time = 99;
  await check.check(signal);
  assert.equal(probes, 1);
  time = 100;
  await check.check(signal);
  assert.equal(probes, 2);
});

test("report() calls observe with the result of each check that ran", async () => {
  const { checks, store } = fixture();
  store.fail();
  const observed: [string, boolean][] = [];
  await report("readyz", checks, { verbose: false, exclude: ["shutdown"], observe: (...each) => observed.push(each) }, 1000);
  assert.deepEqual(observed, [["ping", true], ["etcd", false]]);
});

test("sharedCheck() shares a running probe, whatever its age, until its signal aborts", async () => {
  let probes = 0, time = 0;
  const check = sharedCheck("etcd", 100, () => time, () => {
    probes++;
    return new Promise(() => {});
  });
  const first = new AbortController();
  check.check(first.signal);
  time = 1000;
  check.check(new AbortController().signal);
  assert.equal(probes, 1);
  first.abort();
  check.check(new AbortController().signal);
  assert.equal(probes, 2);
});

test("sharedCheck() shares a failure like a success, also one thrown synchronously", async () => {
  let probes = 0, time = 0;
  const check = sharedCheck("etcd", 100, () => time, () => {
    probes++;
    throw new Error("refused");
  });
  const signal = new AbortController().signal;
  await assert.rejects(check.check(signal), /refused/);
  await assert.rejects(check.check(signal), /refused/);
  assert.equal(probes, 1);
  time = 100;
  await assert.rejects(check.check(signal), /refused/);
  assert.equal(probes, 2);
});
