// Runs the client and etcd tests with every kubectl, helm and etcd on PATH, and writes the results to docs/compatibility.md.
// `npm run compatibility -- clients` and `-- etcd` run one half.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { denoMissing, denoPath, root } from "./runtimes.mjs";

const page = join(root, "docs/compatibility.md");

/** Returns the version of a client program, by its kind. */
const versions = {
  kubectl: (path) => JSON.parse(run(path, ["version", "--client", "-o", "json"])).clientVersion.gitVersion,
  helm: (path) => run(path, ["version", "--template", "{{.Version}}"]),
};

/** The tests that run with each client. */
const clientTests = [
  "kubectl_test.ts",
  "kubectl-writing_test.ts",
  "kubectl-custom-resources_test.ts",
  "helm_test.ts",
  "helm-custom-resources_test.ts",
];

/** The tests that run with each etcd, by the column of the table. */
const etcdSuites = {
  "the store": ["test/etcd-store_test.ts"],
  "resourceVersion": ["test/etcd-reads_test.ts"],
  "backup, restore, rights": ["test/operations/backup_test.ts", "test/operations/set-back_test.ts", "test/operations/rights_test.ts"],
  "faults": ["test/guarantees/guarantees_test.ts"],
};
const upgrades = "test/guarantees/upgrade_test.ts";

function run(path, args) {
  return spawnSync(path, args, { encoding: "utf8", timeout: 30_000 }).stdout.trim();
}

/** Runs the test files and returns the leaves of Deno's JUnit report, each with the parts of its name. */
function leaves(files, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "thole-compatibility-"));
  const report = join(folder, "report.xml");
  spawnSync(denoPath(), ["test", "-A", "--no-check", `--junit-path=${report}`, ...files], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, THOLE_RUNTIMES: "all", ...env },
  });
  const cases = [...readFileSync(report, "utf8").matchAll(/<testcase name="([^"]*)"[^>]*?(\/>|>([\s\S]*?)<\/testcase>)/g)];
  rmSync(folder, { recursive: true, force: true });
  return cases.map(([, name, , body = ""]) => ({
    parts: name.split(" &gt; "),
    failed: /<(failure|error)\b/.test(body),
    skipped: body.includes("<skipped"),
  }));
}

const cellOf = (all) => all.some(({ failed }) => failed) ? "no" : all.some(({ skipped }) => !skipped) ? "yes" : "";
const byVersion = (a, b) => `${a[0]} ${a[1]}`.localeCompare(`${b[0]} ${b[1]}`, "en", { numeric: true });

function clientRows() {
  const all = leaves(clientTests.map((name) => `test/clients/${name}`));
  const tried = all.filter(({ parts }) => parts.at(-1).startsWith("/"));
  const rows = [...Map.groupBy(tried, ({ parts }) => parts.at(-1))].flatMap(([path, each]) => {
    const kind = Object.keys(versions).find((name) => basename(path).startsWith(name));
    if (kind === undefined) return [];
    const cells = [["deno", "sqlite"], ["deno", "etcd"], ["node", "sqlite"], ["node", "etcd"]].map(([runtime, store]) => {
      const here = each.filter(({ parts }) => parts.slice(0, -1).join(" ").includes(` on ${runtime} with ${store}`));
      return here.length === 0 ? "" : here.every(({ failed, skipped }) => !failed && !skipped) ? "yes" : "no";
    });
    return [[kind, (versions[kind](path) ?? "unknown").replace(/^v/, ""), ...cells]];
  });
  return rows.toSorted(byVersion);
}

/** Every etcd on PATH with its folder, which may also hold its etcdctl and etcdutl. */
function etcdsOnPath() {
  const found = new Map();
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    let names = [];
    try {
      names = readdirSync(folder).filter((name) => /^etcd([-_.]?v?\d+(\.\d+)*)?$/.test(name));
    } catch { /* no such folder */ }
    for (const name of names) {
      const path = realpathSync(join(folder, name));
      if (!found.has(path)) found.set(path, { path, folder, version: /etcd Version: (\S+)/.exec(run(path, ["--version"]))?.[1] });
    }
  }
  return [...found.values()];
}

function etcdRows() {
  const upgraded = leaves([upgrades]);
  const rows = etcdsOnPath().map(({ path, folder, version }) => {
    const first = mkdtempSync(join(tmpdir(), "thole-etcd-first-"));
    symlinkSync(path, join(first, "etcd"));
    const env = { PATH: [first, folder, process.env.PATH].join(delimiter) };
    const cells = Object.values(etcdSuites).map((files) => cellOf(leaves(files, env)));
    rmSync(first, { recursive: true, force: true });
    const before = upgraded.flatMap((leaf) => {
      const [, from, to] = /from (\S+) to (\S+)$/.exec(leaf.parts.at(-1)) ?? [];
      return to === version ? [leaf.failed ? `not from ${from}` : `from ${from}`] : [];
    });
    return ["etcd", version, ...cells, before.join(", ")];
  });
  return rows.toSorted(byVersion).map(([, ...cells]) => cells);
}

/** Replaces the rows of the table that starts with `head`. */
function withRows(text, head, rows) {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(head));
  if (at < 0) throw new Error(`${page} has no table "${head}"`);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"));
  return [...lines.slice(0, at + 2), ...rows.map((cells) => `| ${cells.join(" | ")} |`), ...lines.slice(end)].join("\n");
}

function main() {
  if (denoPath() === undefined) throw new Error(denoMissing);
  const [only] = process.argv.slice(2);
  const tables = { clients: ["| client |", clientRows], etcd: ["| etcd |", etcdRows] };
  for (const [name, [head, rowsOf]] of Object.entries(tables)) {
    if (only !== undefined && only !== name) continue;
    const rows = rowsOf();
    writeFileSync(page, withRows(readFileSync(page, "utf8"), head, rows));
    if (rows.some((cells) => cells.some((cell) => cell.startsWith("no")))) process.exitCode = 1;
  }
}

main();
