// `npm start`, ended in each way that can happen to it: no server stays behind.
// In Deno's suite only: npm runs scripts/start.mjs on the Node that it is run with, and the server runs on Deno.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Program, runtimeMissing, signal, startCommand, until } from "../real-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const missing = process.platform !== "linux" || spawnSync("npm", ["--version"]).status !== 0
  ? "no npm, or no /proc"
  : runtimeMissing("deno");

/** Name, state and parent of a process; undefined if it has ended. */
function processOf(pid: number): { readonly name: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8"), [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : { name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")), parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** The processes from the server up to npm, the server first. */
function chainOf(server: number, npm: number): readonly number[] {
  const chain = [server];
  while (chain.at(-1) !== npm) {
    const above = processOf(chain.at(-1)!)?.parent ?? 1;
    assert.ok(above > 1, "the server is started by npm");
    chain.push(above);
  }
  return chain;
}

/** Calls `use` with the processes of a server in `command`, and kills those that are left. */
async function withServer(command: string, use: (chain: readonly number[], npm: Program) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-npm-")), data = join(folder, "data");
  const { INIT_CWD: _, ...env } = process.env;
  const flags = [`--data-dir=${data}`, "--secure-port=0"], isNpx = command === "npx";
  const words = isNpx ? ["npx", "thole", ...flags] : ["npm", "--silent", "run", command, "--prefix", root, "--", ...flags];
  const npm = await startCommand(words, { cwd: isNpx ? root : folder, env: { ...env, npm_config_cache: join(folder, "cache") } });
  let chain: readonly number[] = [];
  try {
    await until(() => assert.match(npm.output(), /^export KUBECONFIG=/m, npm.errors()));
    chain = chainOf(Number.parseInt(await readFile(join(data, "store.pid"), "utf8")), npm.pid);
    await use(chain, npm);
    await until(() => assert.deepEqual(chain.filter((pid) => processOf(pid) !== undefined), []));
  } finally {
    npm.signal("SIGKILL");
    for (const pid of chain) signal(pid, "SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

describe("npm", { skip: missing }, () => {
  const endings = [
    ["start", "npm", "SIGTERM", -1],
    ["start", "npm", "SIGKILL", -1],
    ["start", "the process below npm", "SIGKILL", -2],
    ["start", "scripts/start.mjs", "SIGKILL", 1],
    ["dev", "npm", "SIGKILL", -1],
    ["npx", "npm", "SIGTERM", -1],
    ["npx", "npm", "SIGKILL", -1],
  ] as const;
  for (const [command, whom, name, at] of endings) {
    it(`${command} leaves no process behind after ${name} to ${whom}`, () =>
      withServer(command, async (chain) => signal(chain.at(at)!, name)));
  }

  it("start ends its server by the line that the guide shows, with exit code 0", () =>
    withServer("start", async (chain, npm) => {
      signal(chain[0]!, "SIGTERM");
      assert.equal(await npm.exited, 0, npm.errors());
    }));
});
