// Every alert of the chart fires on the metrics of a real server with its cause.
// In Deno's suite only: metrics and alerts do not depend on the runtime.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { WorkMeter } from "../../core/work.ts";
import { defaults } from "../../server/config/settings.ts";
import { issue, withRelay } from "../../server/listen/testing/clients.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import { CombinedMetrics } from "../../server/workers/group-metrics.ts";
import { openMetrics } from "../../server/startup/open-metrics.ts";
import { pagedDisk } from "../store/disk.ts";
import { startProxy } from "../store/proxy.ts";
import { plugins } from "../../plugins/mod.ts";
import { chart, documentsOf } from "../chart/helm.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { holdsItsPlace, inFolder, served } from "../flags/served.ts";
import type { InsteadParts } from "../../server/startup/serve-options.ts";
import { startTestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { programs } from "../programs.ts";
import { until } from "../real-server.ts";
import { assertFires, type Shown } from "./fired.ts";
import { connect } from "node:tls";

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}
// `as`: promtool checks the same file.
const { groups } = documentsOf(readFileSync(join(chart, "files/rules.yaml"), "utf8"))[0] as unknown as {
  groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const hasPromtool = programs("promtool").length > 0;
const fired = new Set<string>();

/** The rules of an alert, after the recording rules that it depends on. */
function rulesOf(alert: string): readonly Rule[] {
  const own = rules.filter((rule) => rule.alert === alert);
  if (own.length === 0) throw new Error(`there is no alert ${alert}`);
  return [...rules.filter(({ record }) => record !== undefined && own.some(({ expr }) => expr.includes(record))), ...own];
}
function metricsOf(used: readonly Rule[]): ReadonlySet<string> {
  return new Set(used.flatMap(({ expr }) => [...expr.matchAll(/\b([a-z_][a-z0-9_]*)\{/g)].map(([, name]) => name!)));
}
async function fires(shown: Shown): Promise<void> {
  const used = rulesOf(shown.alert);
  await assertFires(shown, metricsOf(used), used, hasPromtool);
  fired.add(shown.alert);
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const metrics = async (client: Client) => (await client.ask("/metrics")).text;
const create = (client: Client, bytes = 0) =>
  client.ask(configMaps, { method: "POST", body: { metadata: { generateName: "a-" }, data: { filler: "x".repeat(bytes) } } });

async function withStore(
  engine: NonNullable<InsteadParts["sqlite"]>["engine"],
  use: (client: Client, close: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-alerts-"));
  const server = await startTestServer({
    args: [`--data-dir=${folder}`],
    ownsProcess: true,
    instead: { sqlite: engine === undefined ? {} : { engine } },
  });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  let closing: Promise<void> | undefined;
  const close = () => closing ??= server.close();
  try {
    await use(client, close);
  } finally {
    client.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

test("a full disk: TholeStoreFull, TholeStoreErrors, TholeErrorRateHigh, TholeErrorBudgetBurn; TholeStoreFilling and TholeDown", () =>
  withStore(pagedDisk(700).engine, async (client, close) => {
    assert.equal((await create(client)).status, 201);
    const before = await metrics(client);
    await until(async () => assert.equal((await create(client, 20_000)).status, 507));
    for (let more = 0; more < 40; more++) assert.equal((await create(client)).status, 507);
    const after = await metrics(client);
    for (const alert of ["TholeStoreFull", "TholeStoreErrors", "TholeErrorRateHigh", "TholeErrorBudgetBurn"]) {
      await fires({ alert, before, after });
    }
    // The test does not write seven gigabytes: the reported size is scaled.
    await fires({ alert: "TholeStoreFilling", before, after, scale: 5000 });
    client.close();
    await close();
    const { code } = await client.ask("/metrics").then(() => ({ code: "answered" }), (error: NodeJS.ErrnoException) => error);
    assert.equal(code, "ECONNREFUSED");
    // Prometheus itself creates this sample for a failed scrape.
    await fires({ alert: "TholeDown", before: "# TYPE up gauge\nup 1\n", after: "# TYPE up gauge\nup 0\n" });
  }));

test("a store that fails, and one that is slow: TholeStoreUnreachable, TholeStoreSlow, TholeLatencyHigh, TholeEventLoopBlocked", async () => {
  let mode: "well" | "fails" | "slow" = "well";
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const pagesMax = () => {
    if (mode === "fails") throw new Error("disk I/O error");
    // Blocks the server's thread as well, like long work.
    if (mode === "slow") Atomics.wait(cell, 0, 0, 1300);
    return 1_000_000;
  };
  await withStore({ pagesMax }, async (client) => {
    assert.equal((await create(client)).status, 201);
    let before = await metrics(client);
    mode = "fails";
    assert.equal((await create(client)).status, 500);
    await fires({ alert: "TholeStoreUnreachable", before, after: await metrics(client) });
    mode = "well";
    await until(async () => assert.equal((await create(client)).status, 201));
    before = await metrics(client);
    mode = "slow";
    for (let count = 0; count < 3; count++) assert.equal((await create(client)).status, 201);
    mode = "well";
    const shown = await metrics(client);
    for (const alert of ["TholeStoreSlow", "TholeLatencyHigh"]) await fires({ alert, before, after: shown });
    await until(async () => await fires({ alert: "TholeEventLoopBlocked", before, after: await metrics(client) }), 10_000);
  });
});

test("an unavailable member of etcd: TholeStoreMemberUnreachable", { skip: etcdMissing() }, async () => {
  const etcd = await startEtcd();
  const gone = await startProxy(etcd.endpoint), there = await startProxy(etcd.endpoint);
  try {
    await served([`--etcd-servers=${gone.endpoint},${there.endpoint}`], async ({ client }) => {
      const before = await metrics(client);
      await gone.refuse();
      await until(async () => assert.match(await metrics(client), /^thole_store_trouble\{cause="member"\} 1$/m));
      await fires({ alert: "TholeStoreMemberUnreachable", before, after: await metrics(client) });
    });
  } finally {
    await gone.close();
    await there.close();
    await etcd.stop();
  }
});

test("requests and configuration: TholeRequestsRejected, TholeDeprecatedVersionUsed, both of certificates, TholeConfigReloadFailed", () =>
  inFolder(async (folder) => {
    const day = 86_400_000;
    const proxies = issue({ usage: "ca", commonName: "proxies", notAfter: Date.now() + 3 * day });
    const clients = issue({ usage: "ca", commonName: "clients", notAfter: Date.now() + 100 * day });
    const brief = issue({ usage: "client", commonName: "brief", notAfter: Date.now() + day }, clients);
    const file = (name: string) => join(folder, name);
    await writeFile(file("proxies.crt"), proxies.cert);
    await writeFile(file("clients.crt"), clients.cert);
    await writeFile(file("thole.yaml"), "plugins: []\n");
    const args = [
      `--config=${file("thole.yaml")}`,
      `--requestheader-client-ca-file=${file("proxies.crt")}`,
      "--requestheader-username-headers=X-Remote-User",
      `--client-ca-file=${file("clients.crt")}`,
      "--runtime-config=storage.k8s.io/v1beta1=true",
      "--max-mutating-requests-inflight=1",
      "--enable-priority-and-fairness=false",
    ];
    await served(args, async (server) => {
      const { client, running } = server;
      await fires({ alert: "TholeCertificateExpiring", before: "", after: await metrics(client) });
      const before = await metrics(client);
      const held = server.unfinished("POST", configMaps);
      await holdsItsPlace(server);
      assert.equal((await create(client)).status, 429);
      held.abort();
      assert.equal((await client.ask("/apis/storage.k8s.io/v1beta1/volumeattributesclasses")).status, 200);
      const shown = httpsClient({ port: server.port, ca: server.ca, identity: brief });
      await shown.ask("/version");
      shown.close();
      await writeFile(file("thole.yaml"), "no-such-setting: 1\n");
      await running.reload();
      const after = await metrics(client);
      for (
        const alert of ["TholeRequestsRejected", "TholeDeprecatedVersionUsed", "TholeClientCertificateExpiring", "TholeConfigReloadFailed"]
      ) {
        await fires({ alert, before, after });
      }
    });
  }));

test("a controller with a long queue: TholeControllerBehind", async () => {
  let meter: WorkMeter | undefined;
  const busy = {
    name: "busy",
    summary: "Has more to do than it does.",
    controllers: [{
      name: "busy",
      run: (world: { readonly work: WorkMeter }, signal: AbortSignal) => {
        meter = world.work;
        return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      },
    }],
  };
  await served([], async ({ client }) => {
    await until(() => assert.notEqual(meter, undefined));
    const before = await metrics(client);
    for (let item = 0; item < 1500; item++) meter?.added(`item-${item}`);
    await fires({ alert: "TholeControllerBehind", before, after: await metrics(client) });
  }, [...plugins, busy as unknown as typeof plugins[number]]); // `as`: it uses only this part of the context.
});

/** Objects of a megabyte. */
const large = 8;

test("clients that stop reading: TholeWatchersTerminated", { timeout: 600_000 }, () =>
  served([], async (server) => {
    const { client } = server;
    const objectOf = (at: number) => ({ metadata: { name: `large-${at % large}` }, data: { text: String(at).padStart(900_000, "x") } });
    for (let at = 0; at < large; at++) assert.equal((await client.ask(configMaps, { method: "POST", body: objectOf(at) })).status, 201);
    const before = await metrics(client);
    await withRelay(server, 64 * 1024, async (relay) => {
      const ask = async (port: number, path: string) => {
        const socket = connect({ host: "127.0.0.1", port, ca: server.ca, ALPNProtocols: ["http/1.1"] });
        socket.on("error", () => {});
        await new Promise<void>((resolve) => socket.once("secureConnect", resolve));
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\n\r\n`);
        await new Promise<void>((resolve) => socket.once("readable", resolve));
        return socket;
      };
      const stuck = await ask(relay.port, `${configMaps}?watch=1`);
      const has = (name: string, text: string) => new RegExp(`^${name}\\{.*\\} [1-9]`, "m").test(text);
      for (let at = large; !has("apiserver_terminated_watchers_total", await metrics(client)); at++) {
        assert.ok(at < 1000, "the watch never ends");
        assert.equal((await client.ask(`${configMaps}/large-${at % large}`, { method: "PUT", body: objectOf(at) })).status, 200);
      }
      stuck.destroy();
    });
    const after = await metrics(client);
    await fires({ alert: "TholeWatchersTerminated", before, after, timesMinute: 2 });
  }));

test("causes of other suites, on parts of a server: TholeCacheStale, TholeRequestsCutShort, TholeWorkerRestarted", async () => {
  // The causes are in kernel/cache/watch-cache_test.ts, kernel/observe/observe_test.ts and test/workers; here are their metrics only, without a server.
  const registry = openMetrics(defaults, silentLog);
  const labels = { group: "", resource: "configmaps" };
  registry.record.checks.with({ ...labels, status: "success" }).add();
  const before = await registry.text();
  registry.record.checks.with({ ...labels, status: "failure" }).add();
  registry.record.aborts.with({ ...labels, scope: "namespace", subresource: "", verb: "LIST", version: "v1" }).add();
  const after = await registry.text();
  await fires({ alert: "TholeCacheStale", before, after });
  await fires({ alert: "TholeRequestsCutShort", before, after, timesMinute: 10 });
  const group = new CombinedMetrics([]), textOf = () => group.text(undefined, [], () => Promise.reject(new Error("there is no worker")));
  const steady = await textOf();
  group.ended(1);
  await fires({ alert: "TholeWorkerRestarted", before: steady, after: await textOf() });
});

after(() => {
  const missing = rules.flatMap(({ alert }) => alert === undefined || fired.has(alert) ? [] : [alert]);
  assert.deepEqual(
    missing.filter((alert) => alert !== "TholeStoreMemberUnreachable" || etcdMissing() === false),
    [],
    "alerts whose cause no test makes",
  );
});
