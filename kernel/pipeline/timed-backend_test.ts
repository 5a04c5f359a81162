import assert from "node:assert/strict";
import { test } from "node:test";
import type { Backend } from "../request-context.ts";
import { timedBackend } from "./timed-backend.ts";

test("timedBackend() notes the time of reads, writes and webhooks, also of those that fail", async () => {
  let now = 0;
  const after = <T>(ms: number, result: T) => () => {
    now += ms;
    return Promise.resolve(result);
  };
  const store = { get: after(1, "got"), list: after(2, "listed"), commit: after(4, "committed"), newest: () => 7 };
  const failing = () => {
    now += 8;
    return Promise.reject(new Error("unreachable"));
  };
  type Timed = (read: () => Promise<unknown>) => Promise<unknown>;
  // Memory answers at once or after a wait, and else the store.
  const reads = {
    get: async (_kind: unknown, key: string, _revision: string, _waiter: unknown, timed: Timed) =>
      key === "memory" ? await after(256, key)() : await timed(failing),
    live: (_kind: unknown, _key: string, _waiter: unknown, timed: Timed) => timed(after(16, "live")),
    list: (_collection: unknown, _options: unknown, _names: unknown, _signal: unknown, timed: Timed) => timed(after(32, "page")),
    inMemory: () => "memory",
  };
  // `as`: the parts that are used here.
  const backend = { store, reads, meter: { now: () => now }, prefix: "/registry", callWebhook: after(64, "called") } as unknown as Backend;
  const noted: [string, number][] = [];
  const timed = timedBackend(backend, { took: (layer, ms) => void noted.push([layer, ms]) }) as any;
  assert.equal(timed.prefix, "/registry");
  assert.equal(timed.store.newest(), 7);
  assert.equal(timed.reads.inMemory({}), "memory");
  assert.equal(await timed.store.get("a"), "got");
  assert.equal(await timed.store.list({}), "listed");
  assert.equal(await timed.store.commit({}), "committed");
  await assert.rejects(timed.reads.get({}, "a", "", {}), /unreachable/);
  assert.equal(await timed.reads.get({}, "memory", "", {}), "memory");
  assert.equal(await timed.reads.live({}, "a", {}), "live");
  assert.equal(await timed.reads.list(), "page");
  await timed.callWebhook({ step: "MutatingAdmissionWebhook" });
  await timed.callWebhook({ step: "ValidatingAdmissionWebhook" });
  assert.deepEqual(noted, [
    ...[1, 2, 4, 8, 16, 32].map((ms): [string, number] => ["etcd", ms]),
    ["mutating-webhook", 64],
    ["validating-webhook", 64],
  ]);
  noted.length = 0;
  await timed.callWebhook({ step: "ImagePolicyWebhook" });
  assert.deepEqual(noted, [], "the call of another step");
});
