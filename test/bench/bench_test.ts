// Checks that the benchmarks run on this runtime without errors. Their results are not checked.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import process from "node:process";
import { startSkipped } from "../real-server.ts";

const smokeMs = 600_000;

test("npm run bench -- --smoke measures every scenario without a failed request or a lost event", {
  timeout: smokeMs,
  skip: startSkipped("deno"),
}, async () => {
  const program = fileURLToPath(new URL("./main.ts", import.meta.url));
  const runtime = "Deno" in globalThis ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
  const { stdout } = await promisify(execFile)(process.execPath, [...runtime, program, "--smoke", "--store", "sqlite"], {
    timeout: smokeMs,
  });
  const loads = ["get", "page of 500", "list of 10,000", "create", "update", "merge patch", "apply, 1 kB", "json patch, 100 kB"];
  const others = [
    "watch, 1,000 watchers",
    "16 slow readers",
    "nothing of 300,000",
    "pages of 300,000",
    "storm of 256 lists",
    "authorization, own",
    "definitions: 10th",
    "definitions: start",
  ];
  const hostile = ["YAML, 700,000 lines", "JSON patch, 9,999 inserts at the head", "apply, finalizers"].map((name) => `hostile: ${name}`);
  for (const name of [...loads, ...others, ...hostile]) {
    assert.match(stdout, new RegExp(`^${name} +[\\d.]`, "m"));
  }
  assert.doesNotMatch(stdout, /!!/);
  assert.match(stdout, /^ready after \d/m);
});
