// Checks that the benchmarks run on this runtime without errors. Their results are not checked.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import process from "node:process";
import { kubeApiserverMissing } from "../../test/access/kube-apiserver.ts";
import { startSkipped } from "../../test/real-server.ts";

const smokeMs = 600_000;

/** The output of a smoke run. */
async function bench(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const program = fileURLToPath(new URL("./main.ts", import.meta.url));
  const runtime = "Deno" in globalThis ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
  const { stdout } = await promisify(execFile)(process.execPath, [...runtime, program, "--smoke", ...args], { timeout: smokeMs, env });
  return stdout;
}

test("npm run bench -- --help prints the usage; a mistake in the flags is an error with it", async () => {
  const help = await bench(["--help"]);
  assert.match(help, /^npm run bench \[-- --only TEXT/);
  for (
    const flag of [
      "--peer",
      "--against main",
      "--memory",
      "--density",
      "--floods",
      "--fan-out",
      "--first",
      "--fairness",
      "--profile FOLDER",
      "--smoke",
    ]
  ) {
    assert.ok(help.includes(flag), flag);
  }
  await assert.rejects(bench(["--pear"]), (error: Error & { readonly code?: number; readonly stderr?: string }) => {
    assert.equal(error.code, 1);
    assert.match(error.stderr ?? "", /^bench: Unknown option '--pear'[^]*npm run bench -- --peer/m);
    return true;
  });
});

const options = { timeout: smokeMs, skip: startSkipped("deno") };
/** Long runs: the suite has short ones. */
const long = { ...options, skip: options.skip || (process.env["THOLE_BENCH"] === "all" ? false : "npm run test:bench runs it") };

test(
  "npm run bench -- --smoke measures every scenario, one of the hostile, without a failed request or a lost event",
  long,
  async () => {
    const stdout = await bench(["--store", "sqlite"]);
    const loads = ["get", "page of 500", "page of 500, gzip", "list of 10,000", "list of 10,000, gzip", "create", "update", "merge patch"];
    const others = [
      "apply, 1 kB",
      "json patch, 100 kB",
      "watch, 500 watchers",
      "watch, 1,000 watchers",
      "16 slow readers",
      "nothing of 300,000",
      "pages of 300,000",
      "storm of 256 lists",
      "authorization, own",
      "definitions: 10th",
      "definitions: start",
    ];
    const http1 = ["get, HTTP/1.1", "update, HTTP/1.1", "watch, 100 watchers, HTTP/1.1"];
    for (const name of [...loads, ...others, ...http1, "hostile: merge patch, many keys"]) {
      assert.match(stdout, new RegExp(`^${name} +[\\d.]`, "m"));
    }
    assert.doesNotMatch(stdout, /!!/);
    assert.match(stdout, /^ready after \d/m);
    assert.match(stdout, /^HTTP\/2 was sent by \w/m);
  },
);

test("npm run bench measures a write over HTTP/2 and HTTP/1.1 without a failed request", options, async () => {
  const stdout = await bench(["--store", "sqlite", "--only", "update"]);
  for (const name of ["update", "update, HTTP/1.1"]) assert.match(stdout, new RegExp(`^${name} +[\\d.]`, "m"));
  assert.doesNotMatch(stdout, /!!/);
  assert.match(stdout, /^ready after \d/m);
  assert.match(stdout, /^HTTP\/2 was sent by \w/m);
});

test("npm run bench sends HTTP/2 by node:http2 on a machine without Go", options, async () => {
  const PATH = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !existsSync(join(folder, "go"))).join(delimiter);
  const stdout = await bench(["--store", "sqlite", "--only", "watch, 100 watchers", "--protocol", "h2"], { ...process.env, PATH });
  assert.match(stdout, /^watch, 100 watchers +[\d.]/m);
  assert.doesNotMatch(stdout, /!!/);
  assert.match(stdout, /^HTTP\/2 was sent by node:http2 \(no go on PATH\)$/m);
});

const cloned = existsSync(fileURLToPath(new URL("../../.git", import.meta.url)));

test("npm run bench -- --against compares this checkout with a commit, and names a commit that is not there", {
  ...options,
  skip: options.skip || (cloned ? false : "the folder has no history of git"),
}, async () => {
  const stdout = await bench(["--against", "HEAD", "--only", "update", "--only", "start"]);
  for (const name of ["start", "idle memory", "update"]) {
    assert.match(stdout, new RegExp(`^${name} +(CPU ms|MiB) [\\d.,]+ / [\\d.,]+: `, "m"));
  }
  assert.match(stdout, /^This checkout \/ HEAD \([0-9a-f]{10}[^)]*\), sqlite on \w+, HTTP\/2 by /m);
  assert.doesNotMatch(stdout, /!!/);
  await assert.rejects(bench(["--against", "no-such-commit"]), /"no-such-commit" is neither a folder nor a commit/);
});

test("npm run bench -- --profile writes a profile of a load", options, async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-profile-"));
  try {
    const stdout = await bench(["--profile", folder, "--only", "list of 1,000"]);
    assert.match(stdout, /^list of 1,000 with sqlite on \w+: [1-9]\d* requests/m);
    assert.match(stdout, /^ +\d+\.\d % +[\d.]+ us {2}kernel\//m);
    const runtime = "Deno" in globalThis ? "deno" : "node";
    assert.deepEqual(await readdir(folder), [`list-of-1-000-sqlite-${runtime}.cpuprofile`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("npm run bench -- --peer compares every scenario with a kube-apiserver", {
  ...long,
  skip: long.skip || kubeApiserverMissing(),
}, async () => {
  const stdout = await bench(["--peer"]);
  const names = [
    "ready, package",
    // On Deno the image has its code from the build, also for a first start.
    ...("Deno" in globalThis ? [] : ["ready, package, later start"]),
    "ready, repository",
    "idle memory, package",
    "idle memory, repository",
    "get",
    "page of 500, gzip",
    "list of 10,000, gzip",
    "create",
    "merge patch",
    "watch, 500 watchers",
  ];
  // So few events can take less CPU than the clock shows: then there is no ratio.
  for (const name of names) assert.match(stdout, new RegExp(`^${name} +(CPU ms|ms|MiB) [\\d.,]+ / [\\d.,]+: ([\\d.,]+|-) times`, "m"));
  assert.doesNotMatch(stdout, /!!/);
});

test("npm run bench -- --memory measures the memory of an idle server for each number of objects", long, async () => {
  const stdout = await bench(["--memory", "--store", "sqlite"]);
  for (const count of ["0", "10", "100", "1,000", "3,000"]) {
    assert.match(stdout, new RegExp(`^${count} objects: [1-9][\\d.]* MiB, ready after \\d`, "m"));
  }
});

test("npm run bench -- --fairness measures an election beside each greedy client, with and without fairness", long, async () => {
  const stdout = await bench(["--fairness", "--store", "sqlite"]);
  for (const beside of ["nothing", "lists", "creates", "both", "elsewhere"]) {
    for (const kind of ["with", "without"]) assert.match(stdout, new RegExp(`^\\| ${beside}, ${kind} \\| [1-9].* \\| 0 \\|$`, "m"));
  }
});

test("npm run bench -- --first measures the first requests of a verb and later ones without a failed request", long, async () => {
  const stdout = await bench(["--first", "--only", "update"]);
  assert.match(stdout, /^\| update \| [1-9][\d,.]* \| [1-9][\d,.]* \| [1-9][\d,.]* \| \d+\.\d\d \|$/m);
});
