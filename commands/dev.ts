/** `thole dev`: a server for development. It runs in a process of its own, so that a restart loads all modules anew. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pause } from "../core/async.ts";
import type { Plugin } from "../core/plugin.ts";
import { isModule, isPath } from "../server/config/choose-plugins.ts";
import { parseArguments } from "../server/config/parse.ts";
import { readBounded } from "../server/startup/read-configuration.ts";
import { linesOfStarts, painter, shownLine } from "./dev-lines.ts";
import { folderPrefix, isServer, runServer, serverWords } from "./dev-server.ts";
import { snapshotOf } from "./dev-snapshot.ts";
import { onClose } from "../server/process/on-close.ts";

/** Milliseconds between looks at the files of plugins. */
const lookEveryMs = 300;

/** Resolves with the exit code when a signal has ended the server, or when its first start fails. */
export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number | undefined> {
  if (isServer(args)) return await runServer(args, plugins);
  const parsed = parseArguments(args, readBounded, { leavesOthers: true }); // Its server knows the settings of plugins.
  if (parsed.help) return 0;
  const { config } = parsed;
  const keeps = args.some((word) => /^--(data-dir|etcd-servers)(=|$)/.test(word));
  const folder = keeps ? undefined : await mkdtemp(join(tmpdir(), folderPrefix));
  const own = ["--logging-format=json", "--vmodule=httplog=3", ...(folder === undefined ? [] : [`--data-dir=${join(folder, "data")}`])];
  const modules = config.plugins.filter((word) => isModule(word) && isPath(word)).map((path) => resolve(path));
  const paint = painter(process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined);
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const isNew = linesOfStarts();
  let port: string | undefined, stopped = false, child: ChildProcess | undefined;
  const stop = () => {
    stopped = true;
    child?.kill("SIGTERM");
  };
  // SIGHUP: the terminal is closed.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // A write to a closed terminal, or to a program that has ended, would end this process before it has removed its folder.
  process.stdout.on("error", stop);
  const input = config["exit-on-stdin-close"] ? process.stdin : undefined;
  if (input !== undefined) onClose(input, stop);
  try {
    for (let starts = 0; !stopped; starts++) {
      const seen = snapshotOf(modules.map(dirname)), begun = performance.now();
      let isReady = false;
      const server = startServer(
        serverWords([...args, ...own, ...(port === undefined ? [] : [`--secure-port=${port}`])], folder),
        (line, isLog) => {
          if (line.startsWith("Thole serves on https:")) {
            isReady = true;
            port = line.slice(line.lastIndexOf(":") + 1);
            const files = modules.length === 0 ? "" : "; a change beside a plugin module restarts it";
            say(paint("good", starts === 0 ? `${line}${files}` : `restarted in ${Math.round(performance.now() - begun)} ms`));
          } else if (isLog ? isReady || isNew(line) : starts === 0) say(isLog ? shownLine(line, paint) : line);
        },
      );
      child = server.child;
      const changed = await changeOf(modules.map(dirname), seen, () => stopped || server.ended());
      const code = changed === undefined ? await server.exited : undefined;
      if (stopped) return 0;
      if (code !== undefined && starts === 0) return code;
      if (code !== undefined) say(paint("bad", "the server ended; it starts again after the next change"));
      const file = changed ?? await changeOf(modules.map(dirname), seen, () => stopped);
      if (file === undefined) return code ?? 0;
      say(paint("good", `${file} changed`));
      server.child.kill("SIGTERM");
      await server.exited;
    }
    return 0;
  } finally {
    input?.destroy(); // It would keep this process running.
    child?.kill("SIGKILL");
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves with the path of the first file that differs from `seen`; undefined once `isOver`. */
async function changeOf(folders: readonly string[], seen: ReadonlyMap<string, string>, isOver: () => boolean): Promise<string | undefined> {
  while (!isOver()) {
    const now = snapshotOf(folders);
    const changed = [...new Set([...now.keys(), ...seen.keys()])].find((path) => now.get(path) !== seen.get(path));
    if (changed !== undefined) return changed;
    await pause(lookEveryMs, new AbortController().signal);
  }
  return undefined;
}

/**
 * Starts the program with these words in a process of its own, which ends when its standard input closes. `take` gets each line of its
 * output, and whether it is a line of the log.
 */
function startServer(words: readonly string[], take: (line: string, isLog: boolean) => void) {
  const child = spawn(process.execPath, programWords(words), { stdio: ["pipe", "pipe", "pipe"] });
  createInterface({ input: child.stdout }).on("line", (line) => take(line, false));
  createInterface({ input: child.stderr }).on("line", (line) => take(line, true));
  let hasEnded = false;
  const exited = new Promise<number>((done) => {
    child.on("error", () => done(1));
    // After `close` all output has been read.
    child.on("close", (code) => done(code ?? 1));
  }).finally(() => hasEnded = true);
  return { child, exited, ended: () => hasEnded };
}

/**
 * Returns the arguments of the runtime that runs this program with these words. Deno's server has the rights of its settings only when
 * `npm start` runs it: development needs plugins to be free.
 */
function programWords(words: readonly string[]): readonly string[] {
  const program = process.argv[1] ?? fileURLToPath(new URL("../server/main.ts", import.meta.url));
  return process.versions["deno"] === undefined
    ? [...process.execArgv, program, ...words]
    : ["run", "-A", "--no-prompt", "--cached-only", program, ...words];
}
