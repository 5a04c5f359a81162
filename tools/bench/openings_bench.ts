/**
 * The CPU of `openTestServer`, first and next in a process, and of a start of the program until it serves, of one or several trees in turn. Run:
 * `node tools/bench/openings_bench.ts [--rounds N] [FOLDER ...]` or the same with `deno run -A --no-check`. Each folder is a tree with its
 * packages; without one, this tree is measured. Milliseconds of all threads, the least and the median of the rounds.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { cpuMs } from "./process.ts";

/** Servers that each process of a round opens, one after the other. */
const openings = 12;

interface Measured {
  readonly first: number[];
  readonly next: number[];
  readonly start: number[];
}

/** Opens the servers in this process, and prints the CPU of each. */
async function openAll(root: string): Promise<void> {
  const { openTestServer } = await import(pathToFileURL(join(root, "testing.ts")).href) as typeof import("../../testing.ts");
  const spent: number[] = [];
  for (let at = 0; at < openings; at++) {
    const before = process.cpuUsage(), server = await openTestServer(), { user, system } = process.cpuUsage(before);
    spent.push((user + system) / 1000);
    await server.close();
  }
  process.stdout.write(`${JSON.stringify(spent)}\n`);
}

/** Starts a file of the tree on this runtime, and resolves with its process when it has printed a line that the function accepts. */
async function started(root: string, file: string, args: readonly string[], accepts: (line: string) => boolean) {
  const flags = "Deno" in globalThis ? ["run", "-A", "--no-check", "--quiet", "--config", join(root, "deno.json")] : ["--no-warnings"];
  const child = spawn(process.execPath, [...flags, file, ...args], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) if (accepts(line)) return { child, line };
  throw new Error(`${file} of ${root} has ended`);
}

async function measureRound(root: string, { first, next, start }: Measured): Promise<void> {
  const own = fileURLToPath(import.meta.url);
  const opened = await started(root, own, ["--child", root], (line) => line.startsWith("["));
  const [one = NaN, ...others] = JSON.parse(opened.line) as number[];
  opened.child.kill();
  first.push(one);
  next.push(...others);
  const folder = await mkdtemp(join(tmpdir(), "thole-opening-"));
  try {
    const { child } = await started(
      root,
      join(root, "server/main.ts"),
      ["--data-dir", join(folder, "data"), "--secure-port=0"],
      (line) => line.includes("serves on"),
    );
    start.push(cpuMs(child.pid!)); // it runs
    child.kill();
    await once(child, "exit");
  } finally {
    await rm(folder, { recursive: true });
  }
}

function figures(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${sorted[0]!.toFixed(0)} ${sorted[sorted.length >> 1]!.toFixed(0)}`.padStart(12);
}

const { values: { rounds, child }, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, child: { type: "string" } },
  allowPositionals: true,
});
if (child !== undefined) {
  await openAll(child);
  process.exit(); // a server of tests may leave timers
}
const roots = (positionals.length === 0 ? [fileURLToPath(new URL("../..", import.meta.url))] : positionals).map((each) => resolve(each));
const measured = new Map(roots.map((root): [string, Measured] => [root, { first: [], next: [], start: [] }]));
for (let round = 0; round < Number(rounds); round++) for (const [root, into] of measured) await measureRound(root, into);
process.stdout.write(`${"least and median, ms".padEnd(40)}${["first", "next", "program"].map((each) => each.padStart(12)).join("")}\n`);
for (const [root, { first, next, start }] of measured) {
  process.stdout.write(`${root.padEnd(40)}${[first, next, start].map(figures).join("")}\n`);
}
