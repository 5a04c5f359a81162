/** Clients in processes of their own: informers of client-go, and httpx. They read a configuration and print reports as lines of JSON. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { programs } from "../../programs.ts";
import { run } from "../../real-server.ts";
import type { Report, SoakClient, Tally, Target } from "../client.ts";
import { namespace } from "../objects.ts";

const informersFolder = fileURLToPath(new URL("../informers", import.meta.url));
const pythonScript = fileURLToPath(new URL("../client.py", import.meta.url));
/** Pauses between the writes of an informer's writer, and between the rounds of httpx. */
const informerPauseMs = 1_000, pythonPauseMs = 3_000;
/** A build downloads modules and compiles them the first time. */
const buildMsMax = 300_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Builds the program in Go; `downloads`: whether modules may be downloaded. Rejects with the output of the compiler. */
export async function buildInformers(path: string, downloads: boolean): Promise<void> {
  const { code, errors } = await run("go", ["build", "-buildvcs=false", "-o", path, "."], {
    cwd: informersFolder,
    timeoutMs: buildMsMax,
    env: downloads ? {} : { GOPROXY: "off" },
  });
  if (code !== 0) throw new Error(`go build failed: ${errors.slice(-500)}`);
}

/** The reason why the program cannot be built, or undefined. Without `downloads` its modules must have been compiled on this machine. */
export async function informersMissing(downloads: boolean): Promise<string | undefined> {
  if (programs("go").length === 0) return "no go on PATH";
  if (downloads) return undefined;
  const stale = ["list", "-deps", "-f", "{{if and .DepOnly .Stale}}{{.ImportPath}}{{end}}", "."];
  const { code, output } = await run("go", stale, { cwd: informersFolder, env: { GOPROXY: "off" } });
  return code === 0 && output.trim() === "" ? undefined : "its Go modules are not compiled on this machine: npm run soak does that";
}

export const informers: SoakClient = {
  name: "client-go, informers",
  missing: () => informersMissing(true),
  async run(target, tally, signal) {
    const path = join(target.folder, "informers");
    await buildInformers(path, true);
    await follow([path], { ...configOf(target, informerPauseMs), encodings: ["json", "protobuf"] }, tally, signal, "finish\n");
  },
};

const python = process.env["THOLE_SOAK_PYTHON"] ?? "python3";

export const httpx: SoakClient = {
  name: "python, httpx",
  async missing() {
    const { code } = await run(python, ["-c", "import httpx, h2"]).catch(() => ({ code: 1 }));
    return code === 0 ? undefined : `no ${python} with httpx[http2]; THOLE_SOAK_PYTHON names another one`;
  },
  run: (target, tally, signal) => follow([python, pythonScript], configOf(target, pythonPauseMs), tally, signal),
};

export function configOf({ url, caFile, token, pace }: Target, pauseMs: number) {
  return { url, caFile, token, namespace, pauseMs: Math.ceil(pauseMs * pace) };
}

/** Runs a client until the signal aborts, then sends it `last` and the end of its input, and adds its last report. */
async function follow(
  [command = "", ...args]: readonly string[],
  config: object,
  tally: Tally,
  signal: AbortSignal,
  last = "",
): Promise<void> {
  const child: Child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.on("error", () => {}); // It has ended; its exit code is a fault.
  child.stdin.write(`${JSON.stringify(config)}\n`);
  const finish = () => child.stdin.end(last);
  if (signal.aborted) finish();
  else signal.addEventListener("abort", finish, { once: true });
  let output = "";
  for await (const chunk of child.stdout) output += String(chunk);
  const [code] = await exited;
  const report = output.trimEnd().split("\n").at(-1) ?? "";
  if (code === 0 && report !== "") tally.add(JSON.parse(report) as Report); // `as`: the programs of this folder print it.
  else tally.fault(`${command} ended with ${code}, without a report`);
}
