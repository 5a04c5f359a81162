import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkQueue } from "../core/work-queue.ts";
import { openTestServer } from "../testing.ts";
import { AdvancedClock } from "./clock.ts";

test("AdvancedClock: timers run at their times, in order, and the work that they begin ends before the next one", async () => {
  const clock = new AdvancedClock(1_000), seen: string[] = [], ending = new AbortController();
  const queue = new WorkQueue({
    signal: ending.signal,
    clock,
    async work(key) {
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 0));
      seen.push(`${key} ${clock.now()}`);
      if (key === "second") queue.addAfter("third", 500);
    },
  });
  queue.addAfter("second", 2_000);
  queue.addAfter("first", 1_000);
  queue.addAfter("later", 10_000);
  await clock.advance("2s");
  assert.deepEqual(seen, ["first 2000", "second 3000"]);
  await Promise.all([clock.advance(400), clock.advance(100)]);
  assert.deepEqual(seen.slice(2), ["third 3500"]);
  assert.equal(clock.now(), 3_500);
  ending.abort();
  await queue.ended();
});

test("AdvancedClock: what is due at once runs without an advance; a timer that is canceled does not", async () => {
  const clock = new AdvancedClock(0), seen: string[] = [];
  await new Promise<void>((resolve) => void clock.after(0, resolve));
  clock.after(5, () => seen.push("canceled"))();
  await clock.advance(10);
  assert.deepEqual(seen, []);
  assert.throws(() => clock.advance("soon"), /"soon" is no duration/);
  assert.throws(() => clock.advance(-1), /cannot be advanced/);
});

test("openTestServer({ clock }): times of objects follow a manual clock; that of the machine cannot be advanced", async () => {
  await using server = await openTestServer({ clock: "manual" });
  const create = async (name: string) => {
    const { metadata } = await server.api.create("v1", "configmaps", "default", { metadata: { name } });
    return Date.parse(metadata.creationTimestamp ?? "");
  };
  const first = await create("first");
  await server.clock.advance("10m");
  assert.equal(await create("second") - first, 600_000);
  await using other = await openTestServer();
  await assert.rejects(other.clock.advance(1), /clock of the machine/);
});

test("openTestServer({ clock }): events expire by a manual clock", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await server.api.create("v1", "events", "default", {
    metadata: { name: "a" },
    involvedObject: { kind: "Pod", namespace: "default", name: "a" },
    type: "Normal",
  });
  await server.clock.advance("59m");
  await server.api.get("v1", "events", "default", "a");
  await server.clock.advance("2m");
  await assert.rejects(server.api.get("v1", "events", "default", "a"), /not found/);
});
