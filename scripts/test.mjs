// Runs the tests: `node scripts/test.mjs deno|node [PART OF A PATH...]`. The last line has the totals of the runner's report.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { denoMissing, denoPath, nodeMissing, nodePath, root } from "./runtimes.mjs";

const folders = ["core", "kernel", "plugins", "metrics", "health", "test"];
/** One more than the cores: many files wait for other processes. */
const filesAtOnce = Math.min(4, availableParallelism() + 1);
/** Files that share a process: enough to hide its start, and few enough to spread over the cores. */
const filesInProcess = 10;
const wholeRunMinutes = 25;

/** The comment in a file whose result does not depend on the runtime: Deno's suite has it, Node's only if it is named. */
const denoOnly = /^\/\/ In Deno's suite only: /m;
/** The comment in a file that measures its process or thread. */
const ownProcess = /^\/\/ In a process of its own: /m;
/** Such hooks would run for all files of a process. */
const hooksOfFile = /^(before|after)(Each)?\(/m;

/** The files that take more than twenty seconds on one of the runtimes, the longest first. */
const longest = [
  "test/bench/bench_test.ts",
  "test/package/installed_test.ts",
  "test/transcripts/recorded_test.ts",
  "test/flags/flags_test.ts",
  "test/guarantees/releases_test.ts",
  "test/transcripts/stores_test.ts",
  "test/etcd-store_test.ts",
  "test/clients/every-kind_test.ts",
  "test/reload/under-load_test.ts",
  "test/etcd-reads_test.ts",
  "test/workers/workers_test.ts",
  "test/guarantees/guarantees_test.ts",
  "test/clients/policy-library_test.ts",
  "test/package/types_test.ts",
  "test/monitoring/alerts_test.ts",
  "test/operations/disk-full_test.ts",
  "test/operations/backup_test.ts",
];

const textOf = (file) => readFileSync(join(root, file), "utf8");

/** The files of a runtime's suite; with parts of paths, all files that contain one of them. */
function testFiles(name, parts) {
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith("_test.ts"))
    .sort();
  if (parts.length > 0) return files.filter((file) => parts.some((part) => file.includes(part)));
  return name === "deno" || process.env.THOLE_RUNTIMES === "all" ? files : files.filter((file) => !denoOnly.test(textOf(file)));
}

/**
 * The files in the order of their processes, each process with its files in order. Several files share a process, because each process (on Deno
 * each worker) that loads the server spends a second of CPU on that before its first test. The longest files have their own and start first, so
 * that the run does not end with one of them alone.
 */
function processesOf(files) {
  const own = (file) => ownProcess.test(textOf(file)) || hooksOfFile.test(textOf(file));
  const first = longest.filter((file) => files.includes(file)).map((file) => [file]);
  // The folder test has the longer files.
  const rest = ["test", "plugins", "kernel", "core", "health", "metrics"].flatMap((folder) => {
    const inFolder = files.filter((file) => file.startsWith(`${folder}/`) && !longest.includes(file));
    const shared = inFolder.filter((file) => !own(file));
    return [
      ...inFolder.filter(own).map((file) => [file]),
      ...Array.from(
        { length: Math.ceil(shared.length / filesInProcess) },
        (_, at) => shared.slice(at * filesInProcess, (at + 1) * filesInProcess),
      ),
    ];
  });
  return [...first, ...rest];
}

/** The path of a module that imports these files. Node runs modules in the order of their names. */
function moduleOf(files, at, folder) {
  const [file] = files, more = files.length === 1 ? "" : "-and-more";
  const name = `${String(at).padStart(3, "0")}-${file.slice(0, -"_test.ts".length).replaceAll("/", "-")}${more}_test.ts`;
  const path = join(folder, name);
  writeFileSync(path, files.map((each) => `import ${JSON.stringify(pathToFileURL(join(root, each)).href)};\n`).join(""));
  return path;
}

/** Counts the leaves of Deno's JUnit report. A test with steps counts by its steps, unless it failed outside of them. */
function junitCounts(report) {
  const cases = [...report.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g)].map((
    [, name, , body],
  ) => ({
    name,
    failed: /<(failure|error)\b/.test(body),
    byStep: /<failure message="\d+ test steps? failed"/.test(body),
    skipped: body.includes("<skipped"),
  }));
  const parents = new Set();
  for (const { name } of cases) {
    for (let at = name.indexOf(" &gt; "); at >= 0; at = name.indexOf(" &gt; ", at + 1)) parents.add(name.slice(0, at));
  }
  const leaves = cases.filter(({ name, failed, byStep }) => !parents.has(name) || (failed && !byStep));
  const failed = leaves.filter((leaf) => leaf.failed).length;
  const skipped = leaves.filter((leaf) => leaf.skipped && !leaf.failed).length;
  return { passed: leaves.length - failed - skipped, failed, skipped };
}

/** Reads the totals at the end of Node's TAP report. The last match counts, because a test may print such a line too. */
function tapCounts(report) {
  const last = (word) => Number([...report.matchAll(new RegExp(`^# ${word} (\\d+)$`, "gm"))].at(-1)?.[1] ?? 0);
  return { passed: last("pass"), failed: last("fail") + last("cancelled"), skipped: last("skipped") + last("todo") };
}

const runners = {
  deno: {
    path: denoPath,
    missing: denoMissing,
    flags: (report) => ["test", "-A", "--no-check", "--parallel", `--junit-path=${report}`],
    counts: junitCounts,
  },
  node: {
    path: nodePath,
    missing: nodeMissing,
    flags: (report) => [
      "--disable-warning=ExperimentalWarning",
      "--test",
      `--test-concurrency=${filesAtOnce}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      "--test-reporter=tap",
      `--test-reporter-destination=${report}`,
    ],
    counts: tapCounts,
  },
};

/** Resolves with the exit code. A run over the time limit is killed and has failed. */
function run(path, args, env) {
  return new Promise((resolve) => {
    const child = spawn(path, args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
    const limit = setTimeout(() => {
      console.error(`The suite did not end within ${wholeRunMinutes} minutes and was stopped`);
      child.kill("SIGKILL");
    }, wholeRunMinutes * 60_000);
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
    child.on("error", (problem) => console.error(`Cannot run ${path}: ${problem.message}`));
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve(code ?? 1);
    });
  });
}

function end({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

async function main() {
  const [name, ...parts] = process.argv.slice(2);
  const runner = runners[name];
  if (runner === undefined) {
    console.error(`Cannot run the suite on ${JSON.stringify(name)}: the runtime must be one of ${Object.keys(runners).join(", ")}`);
    process.exitCode = 2;
    return;
  }
  const path = runner.path();
  const files = testFiles(name, parts);
  if (path === undefined || files.length === 0) {
    console.error(
      path === undefined ? runner.missing : `Cannot find a test${parts.length === 0 ? "" : ` whose path holds ${parts.join(" or ")}`}`,
    );
    return end({ passed: 0, failed: 1, skipped: 0 });
  }
  spawnSync("sh", [join(root, "scripts/ensure-etcd.sh")], { stdio: ["ignore", "inherit", "inherit"] });
  const folder = mkdtempSync(join(tmpdir(), "thole-test-"));
  const report = join(folder, "report");
  const env = { DENO_JOBS: String(filesAtOnce), NODE_COMPILE_CACHE: join(folder, "compiled"), NO_COLOR: "1" };
  const modules = files.length === 1 ? files : processesOf(files).map((each, at) => moduleOf(each, at, folder));
  const code = await run(path, [...runner.flags(report), ...modules], { ...process.env, ...env });
  const counts = existsSync(report) ? runner.counts(readFileSync(report, "utf8")) : { passed: 0, failed: 0, skipped: 0 };
  rmSync(folder, { recursive: true, force: true });
  // The report lacks files that did not load, and crashes.
  end(code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts);
}

await main();
