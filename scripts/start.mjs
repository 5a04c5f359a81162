// Runs the server by Deno with the permissions that its settings need: `node scripts/start.mjs [FLAG...]`. Runs on Node 20 and newer.
import { spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { denoMissing, denoPath, root } from "./runtimes.mjs";

const args = process.argv.slice(2);
const deno = denoPath();
if (deno === undefined) {
  console.error(denoMissing);
  process.exit(1);
}

// It reads the configuration file, wherever that is, and nothing is loaded from elsewhere.
const asked = spawnSync(
  deno,
  ["run", "--no-prompt", "--cached-only", "--allow-read", join(root, "kernel/startup/permissions.ts"), ...args],
  {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  },
);
if (asked.status !== 0) {
  console.error("Cannot find out which permissions the server needs");
  process.exit(1);
}
const words = ["run", ...JSON.parse(asked.stdout), join(root, "kernel/main.ts"), ...args];

/** The program of Deno itself: what npm puts into node_modules/.bin may be a script that starts it. */
const program = realpathSync(deno);
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

const child = spawn(program, words, { stdio: "inherit" });
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`Cannot run ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
