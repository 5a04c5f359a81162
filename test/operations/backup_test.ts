// Backup and restore by the commands of docs/operators-guide.md, of both stores during writes: no acknowledged write is lost.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { type Client, httpsClient } from "../https.ts";
import { type RealServer, startRealServer, startSkipped, until } from "../real-server.ts";
import { ctl, restore, restoringMissing } from "./etcd-programs.ts";

const path = "/api/v1/namespaces/default/configmaps";
const skip = startSkipped("deno");
const etcdSkip = skip || etcdMissing() || restoringMissing();

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-backup-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes objects in sequence; returns the names of acknowledged ones. */
function writing(client: Client): { readonly acknowledged: readonly string[]; stop(): Promise<void> } {
  const acknowledged: string[] = [];
  let ending = false;
  const done = (async () => {
    for (let count = 0; !ending; count++) {
      const name = `a-${count}`;
      const answer = await client.ask(path, { method: "POST", body: { metadata: { name }, data: { k: "v".repeat(500) } } });
      assert.equal(answer.status, 201);
      acknowledged.push(name);
    }
  })();
  done.catch(() => {}); // Reported by stop(); an earlier error is more useful before that.
  return {
    acknowledged,
    stop() {
      ending = true;
      return done;
    },
  };
}

/** Asserts that a server over the restored store has these objects with their fields, and accepts writes. */
async function assertRestored(
  server: RealServer,
  names: readonly string[],
  last: { readonly metadata: { readonly uid: string } },
): Promise<void> {
  const client = httpsClient(server);
  try {
    const listed = (await client.ask(path)).json();
    const there = new Map(listed.items.map((item: { metadata: { name: string; uid: string } }) => [item.metadata.name, item.metadata.uid]));
    assert.deepEqual(names.filter((name) => !there.has(name)), []);
    assert.ok([...there.values()].includes(last.metadata.uid));
    assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "after" } } })).status, 201);
  } finally {
    client.close();
  }
}

test("the embedded store: a copy of the files of a paused server is complete", { skip }, () =>
  withFolder(async (folder) => {
    const server = await startRealServer();
    const client = httpsClient(server);
    const copy = join(folder, "data");
    let names: readonly string[] = [];
    let last;
    try {
      const load = writing(client);
      await until(() => assert.ok(load.acknowledged.length > 50));
      process.kill(server.pid, "SIGSTOP");
      names = [...load.acknowledged];
      await mkdir(copy, { recursive: true });
      const data = join(server.folder, "data");
      for (const name of (await readdir(data)).filter((each) => each.startsWith("store.sqlite"))) {
        await cp(join(data, name), join(copy, name));
      }
      process.kill(server.pid, "SIGCONT");
      await until(() => assert.ok(load.acknowledged.length > names.length + 10));
      await load.stop();
      last = (await client.ask(`${path}/${names.at(-1)}`)).json();
    } finally {
      client.close();
      await server.close();
    }
    const restored = await startRealServer({ folder });
    try {
      await assertRestored(restored, names, last);
    } finally {
      await restored.close();
    }
  }));

test("etcd: a snapshot is restored into a new member", { skip: etcdSkip }, () =>
  withFolder(async (folder) => {
    const snapshot = join(folder, "snapshot.db"), restoredData = join(folder, "restored");
    let names: readonly string[] = [];
    let last;
    const etcd = await startEtcd();
    try {
      const server = await startRealServer({ args: [`--etcd-servers=${etcd.endpoint}`] });
      const client = httpsClient(server);
      try {
        const load = writing(client);
        await until(() => assert.ok(load.acknowledged.length > 50));
        names = [...load.acknowledged];
        await ctl(etcd.endpoint, "snapshot", "save", snapshot);
        await load.stop();
        last = (await client.ask(`${path}/${names.at(-1)}`)).json();
      } finally {
        client.close();
        await server.close();
      }
    } finally {
      await etcd.stop();
    }
    await restore(snapshot, join(restoredData, "member-0"));
    const again = await startEtcd({ dataDir: restoredData });
    try {
      const restored = await startRealServer({ args: [`--etcd-servers=${again.endpoint}`] });
      try {
        await assertRestored(restored, names, last);
      } finally {
        await restored.close();
      }
    } finally {
      await again.stop();
    }
  }));
