// Runs the tests: `node scripts/test.mjs deno|node [PART OF A PATH...]`. The last line has the totals of the runner's report.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { denoMissing, denoPath, nodeMissing, nodePath, root } from "./runtimes.mjs";

const folders = ["core", "kernel", "plugins", "metrics", "health", "test"];
/** One more than the cores: many files wait for other processes. */
const filesAtOnce = Math.min(4, availableParallelism() + 1);
const wholeRunMinutes = 25;

function testFiles(parts) {
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith("_test.ts"))
    .sort();
  return parts.length === 0 ? files : files.filter((file) => parts.some((part) => file.includes(part)));
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
  const files = testFiles(parts);
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
  const code = await run(path, [...runner.flags(report), ...files], { ...process.env, ...env });
  const counts = existsSync(report) ? runner.counts(readFileSync(report, "utf8")) : { passed: 0, failed: 0, skipped: 0 };
  rmSync(folder, { recursive: true, force: true });
  // The report lacks files that did not load, and crashes.
  end(code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts);
}

await main();
