import assert from "node:assert/strict";
import { test } from "node:test";
import { leasePool } from "./leases.ts";
import { manualClock } from "../../../test/store/clock.ts";

function pool() {
  const clock = manualClock();
  const granted: number[] = [];
  const leases = leasePool((seconds) => Promise.resolve(`lease-${granted.push(seconds)}`), clock);
  return { clock, granted, leases };
}

test("leasePool() shares a lease for a minute per hour of its life, and never one that ends too early", async () => {
  const { clock, granted, leases } = pool();
  assert.equal(await leases.leaseFor(3600), "lease-1");
  clock.advance(60_000);
  assert.equal(await leases.leaseFor(3600), "lease-1");
  clock.advance(1);
  assert.equal(await leases.leaseFor(3600), "lease-2");
  assert.deepEqual(granted, [3660, 3660]);
});

test("leasePool() limits the slack to 5 percent of short times to live", async () => {
  const { clock, granted, leases } = pool();
  await leases.leaseFor(100);
  clock.advance(5000);
  assert.equal(await leases.leaseFor(100), "lease-1");
  clock.advance(1);
  assert.equal(await leases.leaseFor(100), "lease-2");
  assert.equal(await leases.leaseFor(1), "lease-3");
  assert.deepEqual(granted, [105, 105, 1]);
});

test("leasePool() grants another lease for a shorter time to live", async () => {
  const { leases } = pool();
  assert.equal(await leases.leaseFor(3600), "lease-1");
  assert.equal(await leases.leaseFor(1800), "lease-2");
});

test("leasePool() puts at most a thousand keys on a lease", async () => {
  const { leases } = pool();
  const ids = await Promise.all(Array.from({ length: 1001 }, () => leases.leaseFor(3600)));
  assert.equal(ids.filter((id) => id === "lease-1").length, 1000);
  assert.equal(ids[1000], "lease-2");
});

test("leasePool() does not share leases that were not granted or that the server has dropped", async () => {
  const answers = [Promise.reject(new Error("no")), Promise.resolve("a"), Promise.resolve("b")];
  const leases = leasePool(() => answers.shift() ?? Promise.reject(new Error("none left")), manualClock());
  await assert.rejects(leases.leaseFor(3600), /no/);
  assert.equal(await leases.leaseFor(3600), "a");
  leases.forget("another");
  assert.equal(await leases.leaseFor(3600), "a");
  leases.forget("a");
  assert.equal(await leases.leaseFor(3600), "b");
});
