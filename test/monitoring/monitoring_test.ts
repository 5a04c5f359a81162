// The chart's files for Prometheus and Grafana: the rules are valid, their metrics exist, and a real Prometheus scrapes a real server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { kernelMetrics } from "../../server/metrics/metrics.ts";
import { processMetrics } from "../../server/metrics/process-metrics.ts";
import { workerMetrics } from "../../server/metrics/worker-metrics.ts";
import { chart, documentsOf } from "../chart/helm.ts";
import { httpsClient } from "../https.ts";
import { freePort } from "../ports.ts";
import { run, startRealServer, startSkipped, until } from "../real-server.ts";

const rulesFile = join(chart, "files/rules.yaml");
const here = fileURLToPath(new URL(".", import.meta.url));

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly annotations?: { readonly runbook: string };
}
// `as`: promtool checks the same file.
const groups = documentsOf(readFileSync(rulesFile, "utf8"))[0] as unknown as { groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = groups.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(chart, "files/dashboard.json"), "utf8")) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};

function onPath(name: string): string | undefined {
  return (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
const missing = (name: string) => onPath(name) === undefined && `no ${name} on PATH (Debian's package prometheus has it)`;

/** Names of metrics in a query: words before braces. */
function metricsOf(expr: string): readonly string[] {
  return [...expr.matchAll(/\b([a-z_:][a-z0-9_:]*)\{/g)].map(([, name]) => name!);
}
const family = (name: string) => name.replace(/_(bucket|sum|count)$/, "");

const queries = [
  ...rules.map(({ alert, record, expr }) => ({ of: alert ?? record ?? "", expr })),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
];
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));

test("promtool accepts the rules, and their results are correct", { skip: missing("promtool") }, async () => {
  const checked = await run("promtool", ["check", "rules", rulesFile]);
  assert.equal(checked.code, 0, checked.output + checked.errors);
  const tried = await run("promtool", ["test", "rules", join(here, "rules.promtool.yaml")], { cwd: here });
  assert.equal(tried.code, 0, tried.output + tried.errors);
});

test("every query names the job: other API servers have metrics of the same names", () => {
  for (const { of, expr } of queries) {
    const bare = expr.replaceAll(/thole:[a-z0-9_:]+(\{[^}]*\})?/g, "");
    for (const [, labels] of bare.matchAll(/\b[a-z_]+\{([^}]*)\}/g)) assert.match(labels!, /^job="thole"/, of);
  }
});

test("every alert has a section in the operators' guide with the response to it", () => {
  const guide = readFileSync(join(chart, "../../docs/operators-guide.md"), "utf8");
  const sections = new Set([...guide.matchAll(/^#+ (Thole\w+)$/gm)].map(([, name]) => name));
  for (const { alert, annotations } of rules.filter((rule) => rule.alert !== undefined)) {
    assert.equal(annotations?.runbook, `docs/operators-guide.md#${alert!.toLowerCase()}`);
    assert.ok(sections.has(alert), `${alert} has no section`);
  }
  const alerts = new Set(rules.map(({ alert }) => alert));
  assert.deepEqual([...sections].filter((name) => !alerts.has(name)), [], "sections of alerts that are no more");
});

/** Metrics that only faults change; the table of metrics proves that they exist. */
const ofTrouble = [
  "apiserver_config_controller_automatic_reloads_total",
  "apiserver_request_aborts_total",
  "apiserver_requested_deprecated_apis",
  "apiserver_storage_consistency_checks_total",
  "apiserver_terminated_watchers_total",
  "etcd_request_errors_total",
  // Of a server with several workers.
  "thole_worker_restarts_total",
];

test("every metric of the rules and the dashboard is served by a live server", { skip: startSkipped("deno") }, async () => {
  const server = await startRealServer();
  const client = httpsClient(server);
  try {
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const watch = await client.stream(`${configMaps}?watch=1&timeoutSeconds=1`);
    assert.equal((await client.ask(configMaps, { method: "POST", body: { metadata: { name: "a" } } })).status, 201);
    for await (const _ of watch.chunks);
    await client.ask(configMaps);
    await client.ask("/readyz");
    await client.ask("/nothing-of-the-kind");
    const shown = httpsClient({ port: server.port, ca: server.ca, identity: adminOf(readFileSync(server.kubeconfig, "utf8")) });
    await shown.ask(configMaps);
    shown.close();
    const text = (await client.ask("/metrics")).text;
    const live = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const defined = new Set<string>(
      [kernelMetrics, processMetrics, workerMetrics].flatMap((each) => Object.values(each).map(({ name }) => name)),
    );
    for (const { of, expr } of queries) {
      const names = metricsOf(expr).filter((name) => !recorded.has(name) && name !== "up");
      assert.ok(names.length > 0 || /thole:|^up\{/.test(expr), `${of} asks for nothing`);
      for (const name of names) {
        assert.ok(
          ofTrouble.includes(family(name)) ? defined.has(family(name)) : live.has(family(name)),
          `${of}: ${name} is no metric of the server`,
        );
      }
    }
  } finally {
    client.close();
    await server.close();
  }
});

function adminOf(kubeconfig: string): { readonly cert: string; readonly key: string } {
  const part = (name: string) => atob(new RegExp(`${name}: "?([A-Za-z0-9+/=]+)`).exec(kubeconfig)?.[1] ?? "");
  return { cert: part("client-certificate-data"), key: part("client-key-data") };
}

test(
  "a real Prometheus scrapes the server and evaluates every rule",
  { skip: missing("prometheus") || startSkipped("deno") },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-prometheus-"));
    const server = await startRealServer();
    const port = await freePort();
    await writeFile(join(folder, "ca.crt"), server.ca);
    await writeFile(join(folder, "token"), server.token, { mode: 0o600 });
    await writeFile(
      join(folder, "prometheus.yml"),
      `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [${JSON.stringify(rulesFile)}]
scrape_configs:
  - job_name: thole
    scheme: https
    authorization: {type: Bearer, credentials_file: token}
    tls_config: {ca_file: ca.crt}
    static_configs: [{targets: ["127.0.0.1:${server.port}"], labels: {namespace: default}}]
`,
    );
    const prometheus = spawn("prometheus", [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ], { cwd: folder, stdio: ["ignore", "ignore", "inherit"], timeout: 120_000 });
    const ended = once(prometheus, "exit");
    const get = async (path: string) =>
      await (await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5000) })).json();
    try {
      await until(async () => {
        const { data } = await get("/api/v1/query?query=up%7Bjob%3D%22thole%22%7D");
        assert.equal(data.result[0]?.value[1], "1", JSON.stringify(await get("/api/v1/targets")));
      });
      await until(async () => {
        const { data } = await get("/api/v1/rules");
        const evaluated = data.groups.flatMap((group: { rules: unknown[] }) => group.rules);
        assert.equal(evaluated.length, rules.length);
        assert.deepEqual(evaluated.filter((rule: { health: string }) => rule.health !== "ok"), []);
      });
      for (const { title, targets } of dashboard.panels) {
        for (const { expr } of targets) {
          const query = expr.replaceAll("$__rate_interval", "1m").replaceAll("$namespace", ".*");
          assert.equal((await get(`/api/v1/query?query=${encodeURIComponent(query)}`)).status, "success", title);
        }
      }
      const info = await get(`/api/v1/query?query=${encodeURIComponent('kubernetes_build_info{job="thole"}')}`);
      assert.equal(info.data.result.length, 1);
    } finally {
      prometheus.kill("SIGTERM");
      await ended;
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
