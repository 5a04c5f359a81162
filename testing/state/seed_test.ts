import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../server.ts";

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: c, image: i }] } }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { type: NodePort, selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: batch/v1
kind: Job
metadata: { name: j, namespace: shop }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: i }] } } }
`;
const whole = { keep: ["times", "random", "managedFields"], bootstrap: true } as const;
const open = async (seed: number) => {
  const server = await openTestServer({ seed, clock: "manual", simulate: true });
  await server.clock.advance("1m");
  return server;
};
const named = async ({ api }: TestServer) => {
  const { uid, name, creationTimestamp } = (await api.create("v1", "configmaps", "default", { metadata: { generateName: "c-" } })).metadata;
  return { uid, name, creationTimestamp };
};

test("two servers with the same seed have the same dump with uids, names, addresses and times, and another seed has another one", async () => {
  const dumps: string[] = [];
  for (const seed of [7, 7, 8]) {
    await using server = await open(seed);
    await server.load(shop);
    await server.clock.advance("5m");
    dumps.push(await server.dump(whole));
  }
  assert.equal(dumps[0], dumps[1]);
  assert.notEqual(dumps[0], dumps[2]);
  assert.match(dumps[0]!, /creationTimestamp: "2026-01-01T00:01:0\dZ"/);
});

test("forks of a server with a seed draw the same, whatever the parent and other forks draw; a restore with an end goes back", async () => {
  await using parent = await open(7);
  await named(parent);
  const snapshot = parent.snapshot();
  await using one = await parent.fork(snapshot);
  const first = await named(one);
  await named(parent);
  await using other = await parent.fork(snapshot);
  assert.deepEqual(await named(other), first);
  await one.restore(snapshot, { watches: "end" });
  assert.deepEqual(await named(one), first);
  await one.restore(snapshot);
  const { uid, name } = await named(one);
  assert.ok(uid !== first.uid && name !== first.name, "a server whose watches go on never repeats a uid");
});

test("a fork of a server without a seed draws from its own", async () => {
  await using parent = await openTestServer();
  const draw = async (seed: number) => {
    await using fork = await parent.fork(undefined, { seed });
    const { uid, name } = await named(fork);
    return { uid, name };
  };
  const first = await draw(7);
  assert.deepEqual(await draw(7), first);
  assert.notDeepEqual(await draw(8), first);
});
