// Runs the tests of clients and of etcd with every program of this machine, and writes down which versions passed: docs/compatibility.md.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { denoMissing, denoPath, root } from "./runtimes.mjs";

/** How each kind of program says its version. */
const versions = {
  kubectl: (path) => JSON.parse(run(path, ["version", "--client", "-o", "json"])).clientVersion.gitVersion,
  helm: (path) => run(path, ["version", "--template", "{{.Version}}"]),
  etcd: (path) => /etcd Version: (\S+)/.exec(run(path, ["--version"]))?.[1],
};

function run(path, args) {
  return spawnSync(path, args, { encoding: "utf8", timeout: 30_000 }).stdout.trim();
}

/** Leaves of Deno's JUnit report whose name is the path of a program: the suite says what it was tried with. */
function results(report) {
  const cases = [...report.matchAll(/<testcase name="([^"]*)"[^>]*?(\/>|>([\s\S]*?)<\/testcase>)/g)];
  return cases.flatMap(([, name, , body = ""]) => {
    const parts = name.split(" &gt; ");
    const path = parts.at(-1);
    if (!path.startsWith("/")) return [];
    return [{ suite: parts.slice(0, -1).join(" "), path, passed: !/<(failure|error|skipped)\b/.test(body) }];
  });
}

function rows(found) {
  const byProgram = Map.groupBy(found, ({ path }) => path);
  return [...byProgram].flatMap(([path, all]) => {
    const kind = Object.keys(versions).find((name) => basename(path).startsWith(name));
    if (kind === undefined) return [];
    const cells = [["deno", "sqlite"], ["deno", "etcd"], ["node", "sqlite"], ["node", "etcd"]].map(([runtime, store]) => {
      const here = all.filter(({ suite }) => suite.includes(` on ${runtime} with ${store}`));
      return here.length === 0 ? "" : here.every(({ passed }) => passed) ? "yes" : "no";
    });
    const version = versions[kind](path) ?? "unknown";
    return kind === "etcd" ? [] : [{ kind, version: version.replace(/^v/, ""), cells }];
  }).sort((a, b) => `${a.kind} ${a.version}`.localeCompare(`${b.kind} ${b.version}`, "en", { numeric: true }));
}

function main() {
  const deno = denoPath();
  if (deno === undefined) throw new Error(denoMissing);
  const folder = mkdtempSync(join(tmpdir(), "thole-compatibility-"));
  const report = join(folder, "report.xml");
  const files = ["kubectl_test.ts", "kubectl-writing_test.ts", "helm_test.ts"].map((name) => `test/clients/${name}`);
  const { status } = spawnSync(deno, ["test", "-A", "--no-check", `--junit-path=${report}`, ...files], { cwd: root, stdio: "inherit" });
  const table = rows(results(readFileSync(report, "utf8")));
  rmSync(folder, { recursive: true, force: true });
  const lines = table.map(({ kind, version, cells }) => `| ${kind} | ${version} | ${cells.join(" | ")} |`);
  writeFileSync(
    join(root, "docs/compatibility.md"),
    `# Clients by version

Written by \`npm run compatibility\`, which runs the tests of clients (\`test/clients\`) with every kubectl and Helm that it finds on PATH
(\`kubectl\`, \`kubectl-1.34\`, \`helm3\`, ...), against the program on each runtime and store. "yes": everything that the tests try works;
"no": something does not; empty: the tests do not say.

| client | version | Deno, sqlite | Deno, etcd | Node, sqlite | Node, etcd |
|---|---|---|---|---|---|
${lines.join("\n")}

The stores run their suite against every etcd on PATH from 3.4 on (\`etcd\`, \`etcd-3.5\`, \`etcd-3.6\`). \`@kubernetes/client-node\` is tried in
the version that \`package.json\` names: on Node over HTTP/2, on Deno over HTTP/1.1. Informers of client-go start with a streaming list, which the gate \`WatchList\` serves.

Upstream's own end-to-end specs (release 1.36), by hand. Those of chunking, watchers, streaming lists (WatchList), tables, namespaces,
negotiation and request timeouts pass with sqlite on Deno and with etcd 3.6 on Node, 29 of them; 31 more were run with sqlite on Deno and pass:
OpenAPI, discovery, the lifecycles of ConfigMap, Event, Lease, PodTemplate, ServiceAccount, StorageClass, VolumeAttributesClass, PersistentVolume with its claim,
CSINode, CSIDriver and CSIStorageCapacity, SelfSubjectReview, and what of kubectl needs no pod. What fails of these files asks for kinds that are not
here (nodes, pods, quotas, custom resources, access reviews), or for controllers that belong to kube-controller-manager.
`,
  );
  process.exitCode = status ?? 1;
}

main();
