/** What the tests of workers share. */
import assert from "node:assert/strict";
import process from "node:process";
import { samplesOf, sumOf } from "../../server/metrics/samples.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { inFolder } from "../flags/served.ts";
import { type Client, httpsClient } from "../https.ts";
import { ownRuntime, type RealServer, startRealServer, startSkipped, until } from "../real-server.ts";

export const skip = etcdMissing() || startSkipped(ownRuntime);
export const path = "/api/v1/namespaces/default/configmaps";

/** The value of a series, or of the sum of the series that have these labels. */
export async function metric(client: Client, name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const { text } = await client.ask("/metrics");
  return sumOf(samplesOf(text, [name]).get(name)!, (found) => Object.entries(labels).every(([key, value]) => found.get(key) === value));
}

/** A server with two workers on an etcd, in a folder. `client` opens a connection for each request, so that both workers get some. `prepare` writes files before the start. */
export function withServer(
  args: (folder: string) => readonly string[],
  use: (server: RealServer, client: Client, folder: string) => Promise<void>,
  prepare: (folder: string) => Promise<void> = () => Promise.resolve(),
) {
  return inFolder(async (folder) => {
    await prepare(folder);
    const etcd = await startEtcd();
    let server: RealServer | undefined;
    try {
      const all = [`--etcd-servers=${etcd.endpoint}`, "--workers=2", ...args(folder)];
      server = await startRealServer({ runtime: ownRuntime, folder, args: all });
      const client = httpsClient({ ...server, single: true });
      try {
        await use(server, client, folder);
      } finally {
        client.close();
      }
    } finally {
      await server?.close();
      await etcd.stop();
    }
  });
}

/** Requests until both workers have answered some. */
export async function reachBoth(client: Client): Promise<void> {
  await until(async () => {
    assert.equal((await client.ask(path)).status, 200);
    for (const worker of ["1", "2"]) assert.ok(await metric(client, "thole_worker_requests_total", { worker }) > 2, `worker ${worker}`);
  });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
