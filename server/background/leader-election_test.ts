import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { alreadyExistsError, conflictError, notFoundError, StatusError } from "../../core/status-error.ts";
import { type Election, takeTurns } from "./leader-election.ts";
import { type ManualClock, manualClock } from "../../test/store/clock.ts";

const leases = { group: "coordination.k8s.io", name: "leases" };

/** An API with one lease. */
function leaseApi() {
  let lease: any; // Written by a candidate.
  let down = false;
  const up = () => {
    if (down) throw new StatusError("ServerTimeout", "the store is away");
  };
  const api: Election["api"] = {
    get: (_version, _resource, _namespace, name) => {
      return Promise.resolve().then(() => {
        up();
        if (lease === undefined) throw notFoundError(leases, name);
        return structuredClone(lease);
      });
    },
    create: (_version, _resource, _namespace, object) =>
      Promise.resolve().then(() => {
        up();
        const made = object as ApiObject; // Created by a candidate.
        if (lease !== undefined) throw alreadyExistsError(leases, made.metadata.name ?? "");
        lease = { ...structuredClone(made), metadata: { ...made.metadata, resourceVersion: "1" } };
        return lease;
      }),
    update: (_version, _resource, _namespace, name, object) =>
      Promise.resolve().then(() => {
        up();
        const next = object as ApiObject; // Written by a candidate.
        if (next.metadata.resourceVersion !== lease.metadata.resourceVersion) throw conflictError(leases, name, "it has changed");
        lease = {
          ...structuredClone(next),
          metadata: { ...next.metadata, resourceVersion: String(Number(lease.metadata.resourceVersion) + 1) },
        };
        return lease;
      }),
  };
  return { api, spec: () => lease?.spec, put: (spec: object) => void (lease.spec = spec), away: (is: boolean) => void (down = is) };
}

/** A candidate with the default times, and a record of its work. */
function candidate(clock: ManualClock, api: Election["api"], identity: string) {
  const leading = { now: false, failures: 0 };
  const stop = new AbortController();
  const done = takeTurns({
    api,
    namespace: "kube-system",
    name: "controllers",
    identity,
    leaseMs: 15_000,
    renewDeadlineMs: 10_000,
    retryMs: 2_000,
    clock,
    elapsed: clock.now,
    random: () => 0,
    lead: (signal) => {
      leading.now = true;
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          leading.now = false;
          resolve();
        }, { once: true })
      );
    },
    notify: (news) => {
      if (typeof news === "object") leading.failures++;
    },
  }, stop.signal);
  return {
    leading,
    async close() {
      stop.abort();
      await done;
    },
  };
}

/** Runs everything that is due. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(500);
    await settle();
  }
}

test("takeTurns() creates the lease, renews it, and releases it at its end", async () => {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const { api, spec } = leaseApi();
  const one = candidate(clock, api, "one");
  await settle();
  assert.ok(one.leading.now);
  assert.deepEqual(spec(), {
    holderIdentity: "one",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:00.000000Z",
    renewTime: "2026-01-01T00:00:00.000000Z",
    leaseTransitions: 0,
  });
  await pass(clock, 2_000);
  assert.equal(spec().acquireTime, "2026-01-01T00:00:00.000000Z");
  assert.equal(spec().renewTime, "2026-01-01T00:00:02.000000Z");
  await one.close();
  assert.ok(!one.leading.now);
  assert.deepEqual([spec().holderIdentity, spec().leaseDurationSeconds, spec().leaseTransitions], ["", 1, 0]);
});

test("takeTurns() releases a lease that it takes while it ends", async () => {
  const clock = manualClock();
  const { api, spec } = leaseApi();
  const written = Promise.withResolvers<void>();
  const slow: Election["api"] = {
    ...api,
    create: async (...args) => {
      await written.promise;
      return await api.create(...args);
    },
  };
  const one = candidate(clock, slow, "one");
  await settle();
  const closed = one.close();
  await settle();
  assert.equal(spec(), undefined);
  written.resolve();
  await closed;
  assert.equal(spec().holderIdentity, "");
  const two = candidate(clock, api, "two");
  await settle();
  assert.ok(two.leading.now);
  await two.close();
});

test("takeTurns() ends within the retry interval if the store does not answer an attempt", async () => {
  const clock = manualClock();
  const { api } = leaseApi();
  const one = candidate(clock, { ...api, get: () => new Promise(() => {}) }, "one");
  await settle();
  const closed = one.close();
  await settle();
  await pass(clock, 2_000);
  await closed;
});

test("takeTurns() lets one of two lead, and the other at once when the lease is released", async () => {
  const clock = manualClock();
  const { api, spec } = leaseApi();
  const one = candidate(clock, api, "one"), two = candidate(clock, api, "two");
  await pass(clock, 60_000);
  const leaders = () => [one, two].filter(({ leading }) => leading.now);
  assert.equal(leaders().length, 1);
  const first = leaders()[0]!, second = first === one ? two : one;
  await first.close();
  await pass(clock, 2_500);
  assert.deepEqual(leaders(), [second]);
  assert.equal(spec().leaseTransitions, 1);
  await second.close();
});

test("takeTurns() takes an unrenewed lease when it was observed unchanged for its duration, and not before", async () => {
  const clock = manualClock();
  const { api, put, spec } = leaseApi();
  const gone = candidate(clock, api, "gone");
  await settle();
  await gone.close();
  // The holder's clock is an hour ahead, which has no effect.
  put({ ...spec(), holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: new Date(clock.now() + 3_600_000).toISOString() });
  const heir = candidate(clock, api, "heir");
  await pass(clock, 14_500);
  assert.ok(!heir.leading.now);
  await pass(clock, 2_000);
  assert.ok(heir.leading.now);
  await heir.close();
});

test("takeTurns() stops leading when the lease cannot be renewed within the deadline, and starts again later", async () => {
  const clock = manualClock();
  const { api, away } = leaseApi();
  const one = candidate(clock, api, "one");
  await settle();
  away(true);
  await pass(clock, 9_500);
  assert.ok(one.leading.now);
  await pass(clock, 1_000);
  assert.ok(!one.leading.now);
  assert.ok(one.leading.failures > 0);
  away(false);
  await pass(clock, 3_000);
  assert.ok(one.leading.now);
  await one.close();
});

test("takeTurns() stops leading at the deadline even if the store does not respond", async () => {
  const clock = manualClock();
  const { api } = leaseApi();
  let silent = false;
  const hanging: Election["api"] = { ...api, get: (...args) => silent ? new Promise(() => {}) : api.get(...args) };
  const one = candidate(clock, hanging, "one");
  await settle();
  silent = true;
  await pass(clock, 9_500);
  assert.ok(one.leading.now);
  await pass(clock, 1_000);
  assert.ok(!one.leading.now);
});

test("takeTurns() stops leading at once when another server holds the lease", async () => {
  const clock = manualClock();
  const { api, put, spec } = leaseApi();
  const one = candidate(clock, api, "one");
  await settle();
  put({ ...spec(), holderIdentity: "thief" });
  await pass(clock, 2_500);
  assert.ok(!one.leading.now);
  await one.close();
  assert.equal(spec().holderIdentity, "thief", "a lease of another holder is not released");
});
