// An informer that begins with a streaming list, across restarts of the server.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { etcdMissing, type EtcdServer, startEtcd } from "../etcd.ts";
import { type Client, httpsClient } from "../https.ts";
import { type RealServer, type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";
import { type Reflector, startReflector } from "./reflector.ts";

const path = "/api/v1/namespaces/default/configmaps";

interface ControllerContext {
  readonly reflector: Reflector;
  /** Restarts the server; the reflector receives nothing meanwhile. */
  restart(meanwhile?: (client: Client) => Promise<void>): Promise<void>;
  readonly client: () => Client;
}

/** A server that can be restarted, and a reflector that follows it. */
async function world(runtime: Runtime, etcd: EtcdServer | undefined, use: (world: ControllerContext) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-reflector-"));
  const args = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
  const stopping = new AbortController();
  let server: RealServer | undefined, client: Client | undefined, away = false;
  const start = async (): Promise<void> => {
    server?.signal("SIGKILL");
    await server?.exited;
    client?.close();
    server = await startRealServer({ runtime, folder, args });
    client = httpsClient(server);
  };
  const current = (): Client => client!;
  try {
    await start();
    const reflector = startReflector({
      path,
      signal: stopping.signal,
      client: () => {
        if (away) throw new Error("no server");
        return current();
      },
    });
    const restart: ControllerContext["restart"] = async (meanwhile) => {
      away = true;
      await start();
      if (meanwhile !== undefined) {
        await meanwhile(current());
        await start();
      }
      away = false;
    };
    await use({ reflector, restart, client: current });
    stopping.abort();
    await reflector.done;
  } finally {
    stopping.abort();
    client?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function put(client: Client, name: string): Promise<void> {
  const made = await client.ask(path, { method: "POST", body: { metadata: { name } } });
  assert.equal(made.status, 201, made.text);
}
/** Waits until the reflector's cache equals a list. */
async function agrees({ reflector, client }: ControllerContext): Promise<void> {
  await until(async () => {
    const { items } = (await client().ask(path)).json();
    const expected = items.map(({ metadata: { name, resourceVersion } }: any) => [name, resourceVersion]);
    assert.deepEqual([...reflector.known].toSorted(), expected.toSorted());
  });
}

for (const runtime of ["deno", "node"] as const) {
  test(`an informer that begins with a streaming list resumes when the server restarts, on ${runtime}, and lists only once`, {
    skip: startSkipped(runtime),
  }, () =>
    world(runtime, undefined, async (world) => {
      const { reflector, client, restart } = world;
      await put(client(), "a");
      await put(client(), "b");
      await agrees(world);
      for (const round of [1, 2]) {
        await restart(async (client) => {
          await put(client, `while-away-${round}`);
          assert.equal((await client.ask(`${path}/${round === 1 ? "a" : "b"}`, { method: "DELETE" })).status, 200);
        });
        await put(client(), `after-${round}`);
        await agrees(world);
      }
      assert.equal(reflector.counts.lists, 1);
      assert.equal(reflector.counts.expired, 0);
      assert.ok(reflector.counts.resumes >= 2);
    }));
}

test("an informer that begins with a streaming list lists again when its history was compacted", {
  skip: etcdMissing() || startSkipped("deno"),
}, async () => {
  const etcd = await startEtcd();
  try {
    await world("deno", etcd, async (world) => {
      const { reflector, client, restart } = world;
      await put(client(), "a");
      await agrees(world);
      await restart(async (client) => {
        for (const name of ["b", "c", "d"]) await put(client, name);
        assert.equal((await client.ask(`${path}/a`, { method: "DELETE" })).status, 200);
        await put(client, "e");
        const store = await openEtcd({ endpoints: [etcd.endpoint] });
        await store.compact((await store.get("/registry")).revision);
        await store.close();
      });
      await agrees(world);
      assert.deepEqual([reflector.counts.lists, reflector.counts.expired], [2, 1]);
    });
  } finally {
    await etcd.stop();
  }
});
