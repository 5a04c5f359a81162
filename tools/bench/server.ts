/** The measured server: the real program in a separate process. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { performance } from "node:perf_hooks";
import process from "node:process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { command, pidOf, type Runtime } from "./children.ts";

export interface BenchServer {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process to the first 200 of /readyz, in milliseconds. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** A program that is a server: that of another checkout, or of the installed package. */
export interface ServerProgram {
  /** With a slash at its end. */
  readonly folder: string;
  /** The path of the main module in it. Default: that in the repository. */
  readonly main?: string;
  /** The user's cache folder, with code of earlier starts on Node. Default: none, so that each start is as the first one of its installation. */
  readonly cache?: string;
}

/** Includes reading a gigabyte. */
const readyMsMax = 120_000;
/** Interval of readiness checks, and a fiftieth of the elapsed time if longer, because each check is work for the server. */
const askEveryMs = 20, askShare = 1 / 50;

/** A module that is loaded before the program, and the file to which it writes, named by an environment variable. */
interface Loaded {
  readonly module: string;
  readonly flags: Readonly<Record<Runtime, readonly string[]>>;
  readonly variable: string;
}
const loaded: Readonly<Record<"turns" | "heap" | "allocated" | "sampled" | "plain", Loaded>> = Object.freeze({
  plain: { module: "plain.ts", flags: { deno: [], node: [] }, variable: "THOLE_BENCH_PLAIN" },
  sampled: { module: "sampled.ts", flags: { deno: [], node: [] }, variable: "THOLE_BENCH_SAMPLED" },
  allocated: { module: "allocated.ts", flags: { deno: [], node: [] }, variable: "THOLE_BENCH_ALLOCATED" },
  turns: { module: "turn-meter.ts", flags: { deno: [], node: [] }, variable: "THOLE_BENCH_TURNS" },
  heap: {
    module: "collect-garbage.ts",
    flags: { deno: ["--v8-flags=--expose-gc"], node: ["--expose-gc"] },
    variable: "THOLE_BENCH_HEAP",
  },
});

/**
 * Starts the server and resolves once it is ready. `file`: where `turn-meter.ts` writes the longest turn, or, for `what` of "heap",
 * `collect-garbage.ts` the bytes of the heap, for "allocated" `allocated.ts` the bytes allocated so far, and for "sampled" `sampled.ts` that a profile was
 * begun or ended, for "plain" `plain.ts` the port without TLS. `reported` waits for it.
 * `from`: another program than that of this repository.
 */
export async function startServer(
  runtime: Runtime,
  args: readonly string[],
  file?: string,
  what: keyof typeof loaded = "turns",
  from?: ServerProgram,
): Promise<BenchServer> {
  const port = await freePort();
  const { module, flags: more, variable } = loaded[what];
  const path = fileURLToPath(new URL(module, import.meta.url));
  const flags = file === undefined ? [] : [...more[runtime], runtime === "deno" ? `--preload=${path}` : `--import=${path}`];
  const run = command(runtime, from?.main ?? "server/main.ts", [`--secure-port=${port}`, ...args], flags, from?.folder);
  const start = performance.now();
  const env = { ...environment(from?.cache), ...(file === undefined ? {} : { [variable]: file }) };
  const child = spawn(run.path, run.args, { stdio: ["ignore", "pipe", "pipe"], env });
  const exited = once(child, "exit");
  const kill = () => void child.kill("SIGKILL");
  // Also if a benchmark fails.
  process.once("exit", kill);
  void exited.then(() => process.off("exit", kill));
  const readyMs = await untilReady(child, port) - start;
  return {
    pid: pidOf(child),
    port,
    readyMs,
    async stop() {
      child.kill("SIGTERM");
      const limit = setTimeout(() => child.kill("SIGKILL"), 15_000);
      await exited;
      clearTimeout(limit);
    },
  };
}

/** With code of earlier starts in this cache folder only, or with none. */
function environment(cache: string | undefined): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
  return { ...inherited, ...(cache === undefined ? { NODE_DISABLE_COMPILE_CACHE: "1" } : { XDG_CACHE_HOME: cache }) };
}

/** A server in another process, with its output. */
type Starting = Pick<ChildProcessByStdio<null, Readable, Readable>, "stdout" | "stderr" | "once" | "kill">;

/**
 * Resolves with the time of the first 200 of /readyz on its port. Another program that has the port answers in its place: the server must also say that it
 * serves there. Kills the server and rejects if it ends before, or takes too long.
 */
export async function untilReady(child: Starting, port: number): Promise<number> {
  const start = performance.now(), line = `Thole serves on https://127.0.0.1:${port}\n`;
  let output = "", errors = "", gone = false, readyAt: number | undefined;
  child.stdout.on("data", (text: Buffer) => output = (output + text).slice(-2000));
  child.stderr.on("data", (text: Buffer) => errors = (errors + text).slice(-2000));
  child.once("exit", () => gone = true);
  while (readyAt === undefined || !output.includes(line)) {
    if (gone || performance.now() - start > readyMsMax) {
      child.kill("SIGKILL");
      throw new Error(`The server was not ready: ${errors}`);
    }
    const again = Math.max(askEveryMs, (performance.now() - start) * askShare);
    if (readyAt !== undefined) await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    else if (await isReady(port, again)) readyAt = performance.now();
  }
  return readyAt;
}

/** Milliseconds between two looks at a file, and the maximum wait for it. */
const lookEveryMs = 2, reportMsMax = 60_000;

/** The number that a module loaded into a server writes to its file when the process gets SIGUSR2. */
export async function reported(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const end = performance.now() + reportMsMax; performance.now() < end;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  throw new Error(`The server did not write ${file}`);
}

function isReady(port: number, againMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const notYet = () => void setTimeout(() => resolve(false), againMs);
    // A hostile KMS plugin is never ready; the other servers have no such check, and exclude none.
    const asking = request(
      { host: "127.0.0.1", port, path: "/readyz?exclude=kms-providers", rejectUnauthorized: false, agent: false },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 200) resolve(true);
        else notYet();
      },
    );
    asking.on("error", notYet);
    asking.end();
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  await once(server.close(), "close");
  return typeof at === "object" && at !== null ? at.port : 0;
}
