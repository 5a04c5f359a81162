// Runs the tests: `node scripts/test.mjs deno|node|all [PART OF A PATH...]`. The last line has the totals of the runners' reports.
import { spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { denoMissing, denoPath, nodeMissing, nodePath, root } from "./runtimes.mjs";

const folders = [
  "core",
  "cel",
  "protocols",
  "client",
  "kernel",
  "server",
  "commands",
  "testing",
  "plugins",
  "metrics",
  "health",
  "tools",
  "test",
];
/** Two more than the cores: many files wait for other processes. */
const processesAtOnce = Math.min(4, availableParallelism() + 2);
/** Files below `test` that share a process: enough to hide its start, and few enough to spread over the cores. */
const testsInProcess = 20;
/** Files beside the sources that share a process: they take milliseconds each. */
const besideInProcess = 60;
/** Several times what a run takes on two cores: a run that hangs ends. */
const wholeRunMinutes = 40;

/** The comment in a file whose result does not depend on the runtime: Deno's suite has it, Node's only if it is named. */
const denoOnly = /^\/\/ In Deno's suite only: /m;
/** The comment in a file that measures its process or thread. */
const ownProcess = /^\/\/ In a process of its own: /m;
/** Such hooks run for all files of a process. Before and after all of its tests they do no harm, but they open all servers at once: these files share processes of their own. */
const hooksOfFile = /^(before|after)\(/m;
/** Before and after each test of all files, so that a process of its own is needed. */
const hooksOfTests = /^(before|after)Each\(/m;

/** The files that take more than some twelve seconds of CPU on one of the runtimes, the most expensive first. The end of a run names its longest processes. */
const longest = [
  "test/package/installed_test.ts",
  "test/flags/flags_test.ts",
  "test/transcripts/recorded_test.ts",
  "test/workers/workers_test.ts",
  "test/guarantees/releases_test.ts",
  "test/guarantees/guarantees_test.ts",
  "tools/bench/bench_test.ts",
  "test/transcripts/stores_test.ts",
  "test/clients/every-kind_test.ts",
  "test/clients/fabric8_test.ts",
  "test/reload/under-load_test.ts",
  "test/clients/policy-library_test.ts",
  "test/docs/quickstart_test.ts",
  "test/cel/oracle_test.ts",
  "test/upgrade/advise-store_test.ts",
  "test/etcd-reads_test.ts",
  "test/package/types_test.ts",
  "test/cel/through-the-api_test.ts",
  "test/upgrade/advise-command_test.ts",
  "test/operations/renewal_test.ts",
  "test/etcd-store_test.ts",
  "test/operations/disk-full_test.ts",
  "test/monitoring/alerts_test.ts",
  "test/operations/backup_test.ts",
];
/** Processes that the end of a run names. */
const namedMax = 10;

/** The folder of the tests that have one attempt. */
const guarantees = "test/guarantees/";
/** Processes with failures that are run once more. With more of them the cause is not the machine. */
const repeatedMax = 3;

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
  const has = (pattern) => (file) => pattern.test(textOf(file));
  const first = longest.filter((file) => files.includes(file)), rest = files.filter((file) => !first.includes(file));
  const own = rest.filter((file) => has(ownProcess)(file) || has(hooksOfTests)(file)), shared = rest.filter((file) => !own.includes(file));
  const hooked = shared.filter(has(hooksOfFile)), plain = shared.filter((file) => !hooked.includes(file));
  // The folder test has the longer files.
  const inTest = plain.filter((file) => file.startsWith("test/"));
  const beside = folders.toReversed().flatMap((folder) => plain.filter((file) => folder !== "test" && file.startsWith(`${folder}/`)));
  return [
    ...[...first, ...own].map((file) => [file]),
    ...slicesOf(hooked, testsInProcess),
    ...slicesOf(inTest, testsInProcess),
    ...slicesOf(beside, besideInProcess),
  ];
}

/** The files in parts of about the same size, which is at most `max`. */
function slicesOf(files, max) {
  const parts = Math.ceil(files.length / max), size = Math.ceil(files.length / parts);
  return Array.from({ length: parts }, (_, at) => files.slice(at * size, (at + 1) * size));
}

/** The path of a module that imports these files. */
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
  const names = leaves.filter((leaf) => leaf.failed).map(({ name }) => name);
  const skipped = leaves.filter((leaf) => leaf.skipped && !leaf.failed).length;
  return { passed: leaves.length - names.length - skipped, failed: names.length, skipped, names };
}

/** Reads the totals at the end of Node's TAP report. The last match counts, because a test may print such a line too. The names are those of failed tests and of all around them. */
function tapCounts(report) {
  const last = (word) => Number([...report.matchAll(new RegExp(`^# ${word} (\\d+)$`, "gm"))].at(-1)?.[1] ?? 0);
  const names = [...report.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name]) => name);
  return { passed: last("pass"), failed: last("fail") + last("cancelled"), skipped: last("skipped") + last("todo"), names };
}

const runners = {
  deno: {
    path: denoPath,
    missing: denoMissing,
    flags: (report) => ["test", "-A", "--no-check", `--junit-path=${report}`],
    counts: junitCounts,
  },
  node: {
    path: nodePath,
    missing: nodeMissing,
    flags: (report) => [
      // Without --test, which runs the module in a process below another one.
      "--disable-warning=ExperimentalWarning",
      `--import=${pathToFileURL(join(root, "scripts/test-context.mjs")).href}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      "--test-reporter=tap",
      `--test-reporter-destination=${report}`,
    ],
    counts: tapCounts,
  },
};

/** The processes of a runtime's suite, the most expensive first. */
function jobsOf(name, parts, folder) {
  const { path, missing, flags } = runners[name], program = path(), files = testFiles(name, parts);
  if (program === undefined) throw new Error(missing);
  return processesOf(files).map((of, at) => {
    const report = join(folder, `${name}-${at}.report`);
    return { name, at, files: of, report, program, args: [...flags(report), moduleOf(of, at, join(folder, name))] };
  });
}

/** A key for the service account tokens of the servers of this run (`test/real-server.ts`). */
function newSigningKey() {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
}

/** The children that run, for signals and the limit of time. */
const running = new Set();
/** How long each process took, and how much CPU. */
const took = [];

/** The seconds of CPU of the processes that ended below this one. 0 where there is no /proc. */
function cpuOfEnded() {
  if (!existsSync("/proc/self/stat")) return 0;
  // After the name in parentheses: the 14th and 15th fields are the times of ended children in user and system mode, in hundredths of a second.
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
let cpuCounted = 0;

/** The seconds of CPU that ended processes add since the last call: those of the child that just ended and of all below it. */
function cpuOfLastEnded() {
  const all = cpuOfEnded(), more = all - cpuCounted;
  cpuCounted = all;
  return more;
}

/** Runs one process of the suite. Its output is printed when it ends, so that it does not mix with others'. Resolves with the counts of its report. */
function run({ name, files, report, program, args }, env, alone) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", ...(alone ? ["inherit", "inherit"] : ["pipe", "pipe"])] });
    running.add(child);
    const begun = performance.now();
    const output = [];
    let cpu = 0;
    child.on("exit", () => cpu = cpuOfLastEnded());
    child.stdout?.on("data", (bytes) => output.push(bytes));
    child.stderr?.on("data", (bytes) => output.push(bytes));
    child.on("error", (problem) => console.error(`Cannot run ${program}: ${problem.message}`));
    child.on("close", (code, signal) => {
      running.delete(child);
      took.push({ seconds: (performance.now() - begun) / 1000, cpu, name, files });
      process.stdout.write(Buffer.concat(output));
      const counts = existsSync(report)
        ? runners[name].counts(readFileSync(report, "utf8"))
        : { passed: 0, failed: 0, skipped: 0, names: [] };
      // The report lacks files that did not load, and crashes.
      const isLost = code !== 0 && counts.failed === 0;
      resolve(isLost ? { ...counts, failed: 1, names: [`ended with ${signal ?? code}`] } : counts);
    });
  });
}

const isRepeatable = ({ files }) => !files.some((file) => file.startsWith(guarantees));
const describe = ({ name, files: [file, ...more] }) => `${name}: ${file}${more.length === 0 ? "" : ` and ${more.length} more`}`;

/**
 * Runs all, a few at once, in this order. A process with failed tests is run once more at the end, when nothing runs beside it: a time limit that passes
 * on a busy machine only is no failure, but is named. What checks guarantees has one attempt, because a fault that shows once is a fault.
 */
async function runAll(jobs, env) {
  const waiting = jobs.values(), total = { passed: 0, failed: 0, skipped: 0 }, again = [], reported = [];
  let stopped = false;
  const add = (job, counts) => {
    for (const key of Object.keys(total)) total[key] += counts[key];
    if (counts.failed > 0) reported.push(`Failed: ${describe(job)}: ${counts.names.join(", ")}`);
  };
  const stop = (signal) => {
    stopped = true;
    for (const child of running) child.kill(signal);
  };
  const limit = setTimeout(() => {
    console.error(`The suite did not end within ${wholeRunMinutes} minutes and was stopped`);
    total.failed++;
    stop("SIGKILL");
  }, wholeRunMinutes * 60_000);
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop(signal));
  await Promise.all(Array.from({ length: processesAtOnce }, async () => {
    for (const job of waiting) {
      if (stopped) return;
      const counts = await run(job, env, jobs.length === 1);
      if (counts.failed > 0 && jobs.length > namedMax && isRepeatable(job) && again.length < repeatedMax) {
        again.push({ job, names: counts.names });
      } else add(job, counts);
    }
  }));
  for (const { job, names } of again) {
    const counts = stopped ? { passed: 0, failed: names.length, skipped: 0, names } : await run(job, env, false);
    add(job, counts);
    if (counts.failed === 0) reported.push(`Failed beside others and passed alone: ${describe(job)}: ${names.join(", ")}`);
  }
  clearTimeout(limit);
  return { ...total, reported };
}

const sumOf = (entries, key) => entries.reduce((sum, entry) => sum + entry[key], 0);

/** The processes that took longest, and those with the most CPU. A file that is among them alone belongs into `longest`. */
function printMost() {
  const print = (title, key) => {
    console.log(title);
    for (const each of took.toSorted((a, b) => b[key] - a[key]).slice(0, namedMax)) {
      console.log(`${Math.round(each[key])} s on ${describe(each)}`);
    }
  };
  print("The longest processes:", "seconds");
  if (sumOf(took, "cpu") === 0) return;
  print("The processes with the most CPU:", "cpu");
  for (const name of Object.keys(runners)) {
    const of = took.filter((each) => each.name === name);
    if (of.length > 0) console.log(`CPU of ${name}: ${Math.round(sumOf(of, "cpu"))} s in ${of.length} processes`);
  }
}

function end({ passed, failed, skipped, reported = [] }) {
  for (const line of reported) console.log(line);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

async function main() {
  const [name, ...parts] = process.argv.slice(2), names = name === "all" ? Object.keys(runners) : [name];
  if (!names.every((each) => Object.hasOwn(runners, each))) {
    console.error(`Cannot run the suite on ${JSON.stringify(name)}: the runtime must be one of ${Object.keys(runners).join(", ")}, all`);
    process.exitCode = 2;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "thole-test-"));
  try {
    for (const each of names) mkdirSync(join(folder, each));
    // Both suites in one queue, the most expensive files of both first.
    const jobs = names.flatMap((each) => jobsOf(each, parts, folder)).sort((a, b) => a.at - b.at);
    if (jobs.length === 0) throw new Error(`Cannot find a test${parts.length === 0 ? "" : ` whose path holds ${parts.join(" or ")}`}`);
    spawnSync("sh", [join(root, "scripts/ensure-etcd.sh")], { stdio: ["ignore", "inherit", "inherit"] });
    cpuOfLastEnded();
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled"), NO_COLOR: "1", THOLE_SIGNING_KEY: newSigningKey() };
    const total = await runAll(jobs, env);
    if (jobs.length > namedMax) printMost();
    end(total);
  } catch (error) {
    console.error(error.message);
    end({ passed: 0, failed: 1, skipped: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
