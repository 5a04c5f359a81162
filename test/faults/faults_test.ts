// Acknowledged writes survive a kill of the process, and SIGTERM shuts it down gracefully.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { type Client, documents, httpsClient } from "../https.ts";
import { type RealServer, type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const writes = 1000, writers = 16;

interface ControllerContext {
  /** A server on the same store and folder as the previous one. */
  start(...more: readonly string[]): Promise<RealServer>;
}

/** A folder, and an etcd if that is the store, for several servers in sequence. */
async function world(store: "sqlite" | "etcd", runtime: Runtime, use: (world: ControllerContext) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-faults-"));
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const args = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
  let running: RealServer | undefined;
  try {
    await use({ start: async (...more) => running = await startRealServer({ folder, runtime, args: [...args, ...more] }) });
  } finally {
    running?.signal("SIGKILL");
    await running?.exited;
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes until the server ends. Calls `acknowledged` with the name of each acknowledged write. */
async function writeAll(client: Client, acknowledged: (name: string) => void): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: writers }, async () => {
    while (next < writes) {
      const name = `w-${next++}`;
      const answer = await client.ask(path, { method: "POST", body: { metadata: { name }, data: { name } } }).catch(() => undefined);
      if (answer === undefined) return;
      assert.equal(answer.status, 201, answer.text);
      acknowledged(name);
    }
  }));
}

/** A POST whose body is incomplete until `finish`. */
function heldBack(server: RealServer, name: string): { readonly answer: Promise<number>; finish(): void } {
  const body = JSON.stringify({ metadata: { name } });
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json", "content-length": String(body.length) };
  const sent = request({ host: "127.0.0.1", port: server.port, ca: server.ca, method: "POST", path, headers, agent: false });
  const answer = new Promise<number>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  sent.write(body.slice(0, 5));
  return { answer, finish: () => void sent.end(body.slice(5)) };
}

const setups: readonly { readonly runtime: Runtime; readonly store: "sqlite" | "etcd" }[] = [
  { runtime: "deno", store: "sqlite" },
  { runtime: "deno", store: "etcd" },
  { runtime: "node", store: "sqlite" },
];

for (const { runtime, store } of setups) {
  const skip = startSkipped(runtime) || (store === "etcd" && etcdMissing());
  describe(`the program on ${runtime} with ${store}`, { skip }, () => {
    test(`a kill during ${writes} writes loses no acknowledged write`, () =>
      world(store, runtime, async ({ start }) => {
        const server = await start();
        console.log(`ready ${Math.round(server.readyMs)} ms after the start (${runtime}, ${store})`);
        const client = httpsClient(server);
        const kept: string[] = [];
        await writeAll(client, (name) => {
          kept.push(name);
          if (kept.length === writes / 2) server.signal("SIGKILL");
        });
        client.close();
        assert.equal(await server.exited, 128 + 9);
        assert.ok(kept.length < writes, "it was killed in their middle");

        const again = await start();
        const reader = httpsClient(again);
        const list = (await reader.ask(path)).json();
        const found = new Map<string, { metadata: { resourceVersion: string }; data: Record<string, string> }>(
          list.items.map((item: { metadata: { name: string } }) => [item.metadata.name, item]),
        );
        assert.deepEqual(kept.filter((name) => found.get(name)?.data["name"] !== name), []);
        const more = (await reader.ask(path, { method: "POST", body: { metadata: { name: "more" } } })).json();
        const newest = Math.max(...[...found.values()].map(({ metadata }) => Number(metadata.resourceVersion)));
        assert.ok(Number(more.metadata.resourceVersion) > newest, "no revision is given twice");
        reader.close();
        again.signal("SIGTERM");
        assert.equal(await again.exited, 0);
      }));

    test("SIGTERM: not ready first, then requests in flight finish, watches end, and it exits with 0; a restart finds all objects", () =>
      world(store, runtime, async ({ start }) => {
        const server = await start("--shutdown-delay-duration=5s");
        const kubeconfig = await readFile(server.kubeconfig, "utf8");
        const client = httpsClient(server);
        await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
        const watch = await client.stream(`${path}?watch=1&resourceVersion=0`);
        const seen: string[] = [];
        const watched = (async () => {
          for await (const { type, object } of documents(watch.chunks)) seen.push(`${type} ${object.metadata.name}`);
        })();
        const held = heldBack(server, "held");
        await until(async () => {
          const { text } = await client.ask("/metrics");
          assert.match(text, /^apiserver_current_inflight_requests\{request_kind="mutating"\} 1$/m);
        });

        server.signal("SIGTERM");
        await until(async () => assert.match((await client.ask("/readyz?verbose")).text, /\[-\]shutdown failed/));
        assert.equal((await client.ask("/livez")).status, 200);
        assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "late" } } })).status, 201, "it still answers");
        await until(() => assert.ok(seen.includes("ADDED late"), "and still sends events to its watches"));
        await watched;
        held.finish();
        assert.equal(await held.answer, 201);
        client.close();
        assert.equal(await server.exited, 0, server.errors());
        assert.doesNotMatch(server.errors(), /"level":"error"/);

        const again = await start();
        const reader = httpsClient(again);
        for (const name of ["held", "late"]) assert.equal((await reader.ask(`${path}/${name}`)).status, 200, name);
        const withoutServer = (text: string) => text.replace(/server: .*/, "");
        assert.equal(
          withoutServer(await readFile(again.kubeconfig, "utf8")),
          withoutServer(kubeconfig),
          "the kubeconfig is the same but for the port",
        );
        reader.close();
        again.signal("SIGINT");
        assert.equal(await again.exited, 0);
      }));
  });
}
