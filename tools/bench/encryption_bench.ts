/**
 * What the encryption of Secrets costs in process, without sockets: creates, and GET and list from the cache, for each provider beside `identity`, in
 * rounds that alternate. Run: `deno run -A --no-check tools/bench/encryption_bench.ts` or `node tools/bench/encryption_bench.ts`, with the
 * number of requests of a round.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openTestServer, type TestServer } from "../../testing.ts";
import { testKmsPlugin } from "../../server/encryption/kms/test-plugin.ts";

const requests = Number(process.argv[2] ?? 2_000), rounds = 7;
const path = "/api/v1/namespaces/default/secrets";
const data = { password: btoa("x".repeat(750)) };
const folder = await mkdtemp(join(tmpdir(), "thole-encryption-bench-"));
const plugin = await testKmsPlugin(join(folder, "kms.sock"));
const keys = { keys: [{ name: "a", secret: btoa("k".repeat(32)) }] };
const providers = {
  identity: { identity: {} },
  secretbox: { secretbox: keys },
  aesgcm: { aesgcm: keys },
  kms: { kms: { apiVersion: "v2", name: "one", endpoint: plugin.endpoint } },
};
type Name = keyof typeof providers;
type Work = (server: TestServer, index: number) => Promise<Response>;

const base = "http://localhost", headers = { "content-type": "application/json" };
let made = 0;
const works: Readonly<Record<string, Work>> = {
  create: (server) =>
    server.handle(
      new Request(base + path, { method: "POST", headers, body: JSON.stringify({ metadata: { name: `s-${made++}` }, data }) }),
    ),
  get: (server) => server.handle(new Request(`${base}${path}/first`)),
  list: (server) => server.handle(new Request(`${base}${path}?limit=50`)),
};

async function opened(name: Name): Promise<TestServer> {
  const file = join(folder, `${name}.yaml`);
  const resources = [{ resources: ["secrets"], providers: [providers[name], { aescbc: keys }] }];
  await writeFile(file, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources }));
  const server = await openTestServer({ settings: { "encryption-provider-config": file } });
  const body = JSON.stringify({ metadata: { name: "first" }, data });
  await server.handle(new Request(base + path, { method: "POST", headers, body }));
  return server;
}

/** CPU of one request in microseconds, other threads included. */
async function cost(server: TestServer, work: Work): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < requests; index++) {
    const answer = await work(server, index);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`the request failed with ${answer.status}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

const names = Object.keys(providers) as Name[], servers = new Map<Name, TestServer>();
try {
  for (const name of names) servers.set(name, await opened(name));
  for (const [what, work] of Object.entries(works)) {
    const costs = new Map<Name, number[]>(names.map((name) => [name, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const name of names) {
        const each = await cost(servers.get(name)!, work);
        if (round > 0) costs.get(name)!.push(each); // the first warms up
      }
    }
    const median = (name: Name) => costs.get(name)!.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!;
    for (const name of names) {
      console.log(
        `${what.padEnd(7)} ${name.padEnd(10)} ${median(name).toFixed(0)} µs of CPU, ${
          (median(name) / median("identity")).toFixed(2)
        } of identity`,
      );
    }
  }
} finally {
  for (const server of servers.values()) await server.close();
  await plugin.close();
  await rm(folder, { recursive: true, force: true });
}
