// The disk of the embedded store is full: responses, log, health checks, and the operations that still work.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pagedDisk, smallDisk } from "../store/disk.ts";
import { startTestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const mebibyte = 1024 * 1024;

/** Creates ConfigMaps until one is rejected; returns the rejection and the number of objects. */
async function fill(client: Client, bytes: number) {
  const data = { filler: "x".repeat(bytes) };
  for (let count = 0;; count++) {
    const answer = await client.ask(configMaps, { method: "POST", body: { metadata: { name: `filler-${count}` }, data } });
    if (answer.status !== 201) return { refused: answer, count };
  }
}

/** The invariants while the disk is full; the server's log is `lines`. */
async function assertFull(client: Client, lines: () => readonly string[], bytes: number): Promise<void> {
  const { refused, count } = await fill(client, bytes);
  assert.ok(count > 5, `${count}`);
  assert.equal(refused.status, 507);
  assert.equal(refused.headers["retry-after"], "2");
  assert.deepEqual(refused.json(), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "The create operation against configmaps could not be completed: the server's disk is full. " +
      "Nothing was changed. Deletions still work while the reserve lasts. Try again when space is free.",
    reason: "InsufficientStorage",
    details: { name: "create", kind: "configmaps", retryAfterSeconds: 2 },
    code: 507,
  });
  for (let again = 0; again < 20; again++) {
    assert.equal((await client.ask(configMaps, { method: "POST", body: { metadata: { name: `more-${again}` } } })).status, 507);
  }
  assert.equal((await client.ask("/livez")).status, 200, "to start it again would not help");
  const ready = await client.ask("/readyz");
  assert.equal(ready.status, 500);
  assert.match(ready.text, /\[-\]etcd-readiness failed/);
  assert.match(
    (await client.ask("/readyz/etcd-readiness")).text,
    /the disk of the store file ".*store\.sqlite" is full since \d{4}-\d\d-\d\dT.*Z: no space for another write/,
  );
  assert.match((await client.ask("/metrics")).text, /^thole_store_trouble\{cause="full"\} 1$/m);
  const told = lines().filter((line) => line.includes("is full since") && !line.includes("readyz fails"));
  assert.equal(told.length, 1, told.join("\n"));
  assert.match(told[0]!, /store\.sqlite.*docs\/operators-guide\.md#the-disk-is-full/);
  const path = `${configMaps}/filler-0`;
  assert.equal((await client.ask(path)).status, 200);
  const headers = { "content-type": "application/merge-patch+json" };
  const change = { data: { filler: "less" } };
  assert.equal((await client.ask(path, { method: "PATCH", headers, body: change })).status, 507);
  for (let index = 0; index < 3; index++) {
    assert.equal((await client.ask(`${configMaps}/filler-${index}`, { method: "DELETE" })).status, 200);
  }
}

async function assertRoom(client: Client, lines: () => readonly string[]): Promise<void> {
  await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
  assert.equal((await client.ask(configMaps, { method: "POST", body: { metadata: { name: "after" } } })).status, 201);
  assert.match((await client.ask("/metrics")).text, /^thole_store_trouble\{cause="full"\} 0$/m);
  assert.equal(lines().filter((line) => /has space again after \d+ s/.test(line)).length, 1);
}

test("a server whose store is full reports it once, answers 507, is not ready, and deletes; later it accepts writes again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-full-"));
  const disk = pagedDisk(700);
  const server = await startTestServer({ args: [`--data-dir=${folder}`], instead: { sqlite: { engine: disk.engine } } });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  try {
    // A namespace with contents: its deletion consists of updates and a controller's deletions.
    assert.equal((await client.ask("/api/v1/namespaces", { method: "POST", body: { metadata: { name: "team" } } })).status, 201);
    const inIt = { metadata: { name: "held", finalizers: ["example.com/hold"] } };
    const held = "/api/v1/namespaces/default/configmaps/held";
    assert.equal((await client.ask(configMaps, { method: "POST", body: inIt })).status, 201);
    await until(async () => assert.equal((await client.ask("/api/v1/namespaces/team/serviceaccounts/default")).status, 200));
    await assertFull(client, () => server.logged, 20_000);
    assert.equal((await client.ask("/api/v1/namespaces/team", { method: "DELETE" })).status, 200);
    await until(async () => assert.equal((await client.ask("/api/v1/namespaces/team")).status, 404));
    assert.equal((await client.ask(held, { method: "DELETE" })).status, 200);
    const headers = { "content-type": "application/merge-patch+json" };
    assert.equal((await client.ask(held, { method: "PATCH", headers, body: { metadata: { finalizers: null } } })).status, 200);
    assert.equal((await client.ask(held)).status, 404);
    disk.grow(2000);
    await assertRoom(client, () => server.logged);
  } finally {
    client.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

for (const runtime of ["deno", "node"] as const satisfies readonly Runtime[]) {
  test(`${runtime}: a disk that is really full, with the server as a separate program`, { skip: startSkipped(runtime) }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "thole-disk-"));
    const unmount = smallDisk(folder, 48);
    if (unmount === undefined) {
      await rm(folder, { recursive: true, force: true });
      return t.skip("this user may not mount a small file system");
    }
    try {
      await writeFile(join(folder, "other"), new Uint8Array(12 * mebibyte).fill(1));
      const server = await startRealServer({ runtime, folder });
      const client = httpsClient(server);
      try {
        const lines = () => server.errors().split("\n");
        await assertFull(client, lines, 400_000);
        await rm(join(folder, "other"));
        await assertRoom(client, lines);
      } finally {
        client.close();
        await server.close();
      }
    } finally {
      unmount();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
