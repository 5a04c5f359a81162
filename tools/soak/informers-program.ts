/** The program in Go with client-go's informers (`informers/`): its build, and a run of it. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { programs } from "../../test/programs.ts";
import { run } from "../../test/real-server.ts";
import type { Report } from "./client.ts";

const folder = fileURLToPath(new URL("informers", import.meta.url));
/** A build downloads modules and compiles them the first time. */
const buildMsMax = 300_000;
const noDownloads = { GOPROXY: "off" };

/** The reason why the program cannot be built, or undefined. Unless it may download, its modules must have been compiled on this machine. */
export async function informersMissing(mayDownload: boolean): Promise<string | undefined> {
  if (programs("go").length === 0) return "no go on PATH";
  if (mayDownload) return undefined;
  const stale = ["list", "-deps", "-f", "{{if and .DepOnly .Stale}}{{.ImportPath}}{{end}}", "."];
  const { code, output } = await run("go", stale, { cwd: folder, env: noDownloads });
  if (code === 0 && output.trim() === "") return undefined;
  return "its Go modules are not compiled on this machine: npm run examples does that";
}

/** Rejects with the output of the compiler. */
export async function buildInformers(path: string, mayDownload: boolean): Promise<void> {
  const { code, errors } = await run("go", ["build", "-buildvcs=false", "-o", path, "."], {
    cwd: folder,
    timeoutMs: buildMsMax,
    env: mayDownload ? {} : noDownloads,
  });
  if (code !== 0) throw new Error(`go build failed: ${errors.slice(-500)}`);
}

/** As in `informers/main.go`. */
export interface InformersConfig {
  readonly url: string;
  readonly caFile: string;
  readonly token: string;
  readonly namespace: string;
  /** Of each writer, between two writes. */
  readonly pauseMs: number;
  readonly encodings: readonly ("json" | "protobuf")[];
}

export interface Informers {
  /** The report so far. */
  progress(): Promise<Report>;
  /** Ends the writers, compares the informers with lists, and returns the last report. */
  finish(): Promise<Report>;
  /** Ends the program. */
  stop(): Promise<void>;
}

export function startInformers(path: string, config: InformersConfig): Informers {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(path, [], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.on("error", () => {}); // It has ended: the next question rejects.
  child.stdin.write(`${JSON.stringify(config)}\n`);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (what: string): Promise<Report> => {
    child.stdin.write(`${what}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the informers have ended with ${(await exited)[0]}`);
    return JSON.parse(value) as Report; // `as`: main.go prints it.
  };
  return {
    progress: () => ask("progress"),
    finish: () => ask("finish"),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
