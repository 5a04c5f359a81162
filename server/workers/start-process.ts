/** Starts a worker as a process of the same runtime, with pipes as its standard streams. */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import process from "node:process";
import { reasonOf } from "../../core/reason-of.ts";
import { lineReader } from "./channel.ts";
import type { Exit, WorkerProcess } from "./supervisor.ts";

export interface ProcessOptions {
  /** The words after the runtime's own name. */
  readonly args: readonly string[];
  /** Each line of its standard output, without its end. */
  readonly output: (line: string) => void;
  /** Each line of its standard error. */
  readonly errors: (line: string) => void;
}

/** What both runtimes have of a process. */
interface Child {
  readonly pid: number;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  send(text: string): void;
  kill(): void;
  readonly exited: Promise<Exit>;
}

/** A process that cannot be started is one that has ended with code 1; the reason is a line of its errors. */
export function startProcess(options: ProcessOptions): WorkerProcess {
  try {
    const child = "Deno" in globalThis ? startDeno(options.args) : startNode(options.args);
    const read = [linesOf(child.stdout, options.output), linesOf(child.stderr, options.errors)];
    return { pid: child.pid, send: child.send, kill: child.kill, exited: Promise.all([child.exited, ...read]).then(([exit]) => exit) };
  } catch (error) {
    options.errors(`thole: cannot start a worker: ${reasonOf(error)}`);
    return { pid: 0, send() {}, kill() {}, exited: Promise.resolve({ code: 1 }) };
  }
}

async function linesOf(chunks: AsyncIterable<Uint8Array>, line: (text: string) => void): Promise<void> {
  const reader = lineReader(line);
  try {
    for await (const chunk of chunks) reader.write(chunk);
  } catch {
    // The pipe of a process that was killed may break; its exit is what counts.
  }
  reader.end();
}

function startNode(args: readonly string[]): Child {
  const child: ChildProcess = spawn(process.execPath, [...process.execArgv, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout, stderr } = child;
  // `pipe` above makes each a stream.
  if (stdin === null || stdout === null || stderr === null) throw new Error("the process has no pipes");
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once(
      "exit",
      (code, signal) => resolve(signal === null ? { code: code ?? 1 } : { code: 128 + constants.signals[signal], signal }),
    );
  });
  stdin.on("error", () => {}); // It has ended, which `exited` reports.
  return { pid: child.pid ?? 0, stdout, stderr, exited, send: (text) => void stdin.write(text), kill: () => void child.kill("SIGKILL") };
}

/** The part of Deno that starts processes. Its form of node:child_process needs the right to read all environment variables. */
interface DenoProcesses {
  readonly Command: new (path: string, options: object) => {
    spawn(): {
      readonly pid: number;
      readonly stdin: WritableStream<Uint8Array>;
      readonly stdout: ReadableStream<Uint8Array>;
      readonly stderr: ReadableStream<Uint8Array>;
      readonly status: Promise<{ readonly code: number; readonly signal: string | null }>;
      /** Throws after it has ended. */
      kill(signal: "SIGKILL"): void;
    };
  };
}

function startDeno(args: readonly string[]): Child {
  const { Command } = (globalThis as unknown as { readonly Deno: DenoProcesses }).Deno; // `as`: the caller has found Deno
  const child = new Command(process.execPath, { args: [...args], stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  const writer = child.stdin.getWriter(), encoder = new TextEncoder();
  let hasEnded = false;
  child.status.then(() => hasEnded = true, () => {});
  return {
    pid: child.pid,
    kill() {
      if (!hasEnded) child.kill("SIGKILL");
    },
    stdout: child.stdout as unknown as AsyncIterable<Uint8Array>, // `as`: the types of Node's web streams differ
    stderr: child.stderr as unknown as AsyncIterable<Uint8Array>,
    exited: child.status.then(({ code, signal }) => signal === null ? { code } : { code, signal }),
    send: (text) => void writer.write(encoder.encode(text)).catch(() => {}), // It has ended, which `exited` reports.
  };
}
