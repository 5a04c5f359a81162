// Writers, readers and watchers against a test server whose store fails by rules of faults.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import type { StoreError } from "../../kernel/store/store.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { openTestServer, type StoreFault } from "../../testing.ts";
import { randomOf } from "../../core/random.ts";
import { pause } from "./actors.ts";
import { violations } from "./checkers.ts";
import { clientOf } from "./local-client.ts";
import { eventsOf, startLoad, told } from "./load.ts";

const seed = Number(process.env.THOLE_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32));
const faults: readonly StoreFault[] = ["etcd down", "etcd full", "disk full", "file failing", { slow: "20ms" }, "etcd down"];

test("nothing acknowledged is lost and no watch skips, repeats or reorders while the store is down, full, failing and slow", async () => {
  await using server = await openTestServer({ unexpectedErrors: "answer" });
  const load = await startLoad(() => clientOf(server), seed), random = randomOf(seed + 100);
  try {
    for (const store of faults) {
      await pause(200 + random() * 300);
      server.faults.add({ store, lasts: 100 + random() * 250 });
    }
    await pause(400);
    server.faults.clear();
    await load.finish();
  } catch (error) {
    console.log(`seed ${seed}: ${JSON.stringify(server.faults.injected)}`);
    throw error;
  } finally {
    load.abandon();
  }
  console.log(`seed ${seed}: ${told(load)}`);
  const { history } = load, unknown = history.writes.filter(({ outcome }) => outcome === "unknown").length;
  assert.deepEqual(violations(history), [], `seed ${seed}: ${told(load)}`);
  assert.ok(eventsOf(history.chains) > 20 && unknown > 5, `the history is too small for a proof: ${unknown} failed, ${told(load)}`);
});

test(
  "the errors of a store of the rules are those of a real etcd that is full, and that was stopped",
  { skip: etcdMissing() },
  async () => {
    const etcd = await startEtcd({ flags: [`--quota-backend-bytes=${2 * 1024 * 1024}`] });
    const store = await openEtcd({ endpoints: [etcd.endpoint] });
    await using server = await openTestServer();
    const path = "https://test/api/v1/namespaces/default/configmaps", type = { "content-type": "application/json" };
    const answered = async (fault: StoreFault) => {
      using _ = server.faults.add({ store: fault });
      return (await (await server.handle(new Request(path, { method: "POST", headers: type, body: '{"metadata":{"name":"a"}}' }))).json())
        .message;
    };
    const failure = (at: number) =>
      store.commit({ key: `/k${at}`, expect: "absent", value: new Uint8Array(500_000) }).then(
        () => undefined,
        (error: StoreError) => error,
      );
    try {
      let full = await failure(0);
      for (let at = 1; full === undefined && at < 1000; at++) full = await failure(at);
      assert.equal(full?.code, "refused");
      assert.equal(await answered("etcd full"), full.message);
      await etcd.stop();
      const down = await failure(2000);
      assert.equal(down?.code, "unavailable");
      const steady = (text: string) => text.replaceAll(/(127\.0\.0\.1|localhost|etcd\.test):\d+/g, "etcd");
      const message: string = await answered("etcd down");
      assert.ok(steady(message).endsWith(steady(down.message)), `${message}\n${down.message}`);
    } finally {
      await store.close();
      await etcd.stop().catch(() => {});
    }
  },
);
