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
  const reads = {
    get: failing,
    live: (renews: boolean) => after(16, { item: "live", renew: renews ? after(128, "renewed") : undefined })(),
    list: after(32, "page"),
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
  await assert.rejects(timed.reads.get(), /unreachable/);
  assert.equal((await timed.reads.live(false)).item, "live");
  assert.equal(await timed.reads.list(), "page");
  await timed.callWebhook({ step: "MutatingAdmissionWebhook" });
  await timed.callWebhook({ step: "ValidatingAdmissionWebhook" });
  assert.deepEqual(noted, [
    ...[1, 2, 4, 8, 16, 32].map((ms): [string, number] => ["etcd", ms]),
    ["mutating-webhook", 64],
    ["validating-webhook", 64],
  ]);
  noted.length = 0;
  const { renew } = await timed.reads.live(true);
  await timed.callWebhook({ step: "ImagePolicyWebhook" });
  assert.deepEqual(noted, [], "an object from memory, and the call of another step");
  assert.equal(await renew(), "renewed");
  assert.deepEqual(noted, [["etcd", 128]]);
});
