#!/usr/bin/env node
// Runs the server on Deno with the permissions that its settings need: `node scripts/start.mjs [FLAG...]`, or `npx thole` in a clone. Needs Node 20 or newer.
import { spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { onNpmGone } from "./npm-gone.mjs";
import { denoMissing, denoPath, root } from "./runtimes.mjs";

/** The caller's folder: npm runs scripts in that of the package. Relative paths of settings are below it. */
const folder = process.env.INIT_CWD ?? process.cwd();
const deno = denoPath();
if (deno === undefined) {
  console.error(denoMissing);
  process.exit(1);
}

// Computes the permissions. It may read all files, because the configuration file can be anywhere, but load no remote modules.
const computed = spawnSync(deno, [
  "run",
  "--no-prompt",
  "--cached-only",
  "--allow-read",
  "--allow-env=KUBERNETES_SERVICE_HOST,KUBERNETES_SERVICE_PORT,TMPDIR,TMP,TEMP",
  join(root, "server/startup/permissions.ts"),
  ...process.argv.slice(2),
], {
  cwd: folder,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
});
if (computed.status !== 0) {
  console.error("Cannot compute the permissions of the server");
  process.exit(1);
}
const { permissions, args, isServer, followsInput } = JSON.parse(computed.stdout);
// A server ends when its standard input closes: however this process ends, the pipe closes.
const words = ["run", ...permissions, join(root, "server/main.ts"), ...args, ...(isServer ? ["--exit-on-stdin-close"] : [])];

/** The Deno binary. The file in node_modules/.bin may be a link or a script, and signals must reach Deno itself. */
const program = realpathSync(deno);
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

const child = spawn(program, words, { cwd: folder, stdio: [isServer ? "pipe" : "inherit", "inherit", "inherit"] });
if (isServer) {
  child.stdin.on("error", () => {}); // It has ended, which `exit` reports.
  if (followsInput) process.stdin.pipe(child.stdin);
  onNpmGone(() => child.stdin.end());
}
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`Cannot run ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
