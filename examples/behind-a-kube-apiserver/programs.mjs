// Starts programs and ends them.
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";

const attemptMs = 100;

/** The path of a program, or undefined. Without the folders that npm adds to PATH: there `kube-apiserver` is Thole, for envtest. */
export function pathOf(name) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.endsWith(join("node_modules", ".bin")));
  return folders.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A program in the background. `output` has the end of its standard output and error. */
export function background(command, args, options) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const program = {
    output: "",
    get ended() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async stop(signal = "SIGTERM") {
      if (program.ended) return;
      child.kill(signal);
      await once(child, "exit");
    },
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => program.output = (program.output + text).slice(-100_000));
  }
  child.on("error", (error) => program.output += error.message);
  return program;
}

/** Resolves with the first result of `attempt` that is neither undefined nor false. Rejects when the program has ended, or after two minutes. */
export async function until(program, what, attempt) {
  for (let left = 120_000 / attemptMs; left > 0 && !program.ended; left--) {
    const result = await attempt();
    if (result !== undefined && result !== false) return result;
    await pause(attemptMs);
  }
  throw new Error(`${what}: ${program.output.slice(-4000)}`);
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
