/** A server with several workers: this process starts them, and serves no requests itself. */
import { constants } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../core/async.ts";
import { siblingModule } from "../../core/sibling-module.ts";
import type { Config } from "../config/settings.ts";
import { keepErrors } from "../log/recent-errors.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { openAuditFile } from "../startup/open-audit.ts";
import { withPort, workerPermissions } from "../workers/deno-permissions.ts";
import { checkFree } from "../workers/free-port.ts";
import { CombinedMetrics } from "../workers/group-metrics.ts";
import { startProcess } from "../workers/start-process.ts";
import { supervise, type Supervisor, WorkerFailed, type WorkerProcess } from "../workers/supervisor.ts";

/**
 * Resolves when all workers are ready, or with the exit code of the first one if it could not start; it has printed the error. `print` gets each
 * line of the workers, and whether it is one of the log.
 */
export async function superviseWorkers(
  args: readonly string[],
  { config }: { readonly config: Config },
  count: number,
  given: Log,
  print: (line: string, isLog: boolean) => void,
) {
  const { log, recent } = keepErrors(given, systemClock.now);
  if (process.platform !== "linux") {
    throw new Error(`--workers=${count} needs Linux, which spreads the connections of a port over processes`);
  }
  if (config["secure-port"] !== 0) await checkFree(config["bind-address"], config["secure-port"]);
  const runtime = await runtimeWords(args);
  const program = fileURLToPath(siblingModule(import.meta.url, "worker-process"));
  const running = killAtExit();
  let supervisor: Supervisor;
  try {
    supervisor = await supervise({
      count,
      port: config["secure-port"],
      start: (worker, port, output) =>
        running.add(startProcess({
          args: [...withPort(runtime, config["bind-address"], port), program, String(worker), String(count), String(port), ...args],
          output,
          errors: (line) => print(line, true),
        })),
      metrics: new CombinedMetrics(config["disabled-metrics"]),
      log,
      recentErrors: recent,
      auditLog: await openAuditFile(config, log),
      print: (line) => print(line, false),
    });
  } catch (error) {
    if (error instanceof WorkerFailed) return error.code;
    throw error;
  }
  running.isReady();
  const { ready: { url, kubeconfig }, reload, close } = supervisor;
  return { url, kubeconfig, reload, close };
}

/**
 * Kills the workers that still run when this process exits, and until `isReady` when a signal ends it: one that hangs does not see the end of its input.
 */
function killAtExit(): { add(worker: WorkerProcess): WorkerProcess; isReady(): void } {
  const running = new Set<WorkerProcess>();
  const endings = (["SIGTERM", "SIGINT"] as const).map((signal) => ({ signal, end: () => process.exit(128 + constants.signals[signal]) }));
  process.on("exit", () => {
    for (const worker of running) worker.kill();
  });
  for (const { signal, end } of endings) process.on(signal, end);
  return {
    add(worker) {
      running.add(worker);
      worker.exited.then(() => running.delete(worker), () => {});
      return worker;
    },
    isReady() {
      for (const { signal, end } of endings) process.off(signal, end);
    },
  };
}

/** The words before the program: on Deno its command and permissions. */
async function runtimeWords(args: readonly string[]): Promise<readonly string[]> {
  return "Deno" in globalThis ? ["run", ...await workerPermissions(() => computedPermissions(args))] : [];
}

/** The permissions of one process with these settings, as `npm start` computes them: by a program that may read every file. */
async function computedPermissions(args: readonly string[]): Promise<readonly string[]> {
  const program = fileURLToPath(siblingModule(import.meta.url, "worker-permissions"));
  const environment = "--allow-env=KUBERNETES_SERVICE_HOST,KUBERNETES_SERVICE_PORT,TMPDIR,TMP,TEMP";
  let text = "";
  const { exited } = startProcess({
    args: ["run", "--no-prompt", "--cached-only", "--allow-read", environment, program, "serve", ...args, "--workers=1"],
    output: (line) => text += line,
    errors: (line) => console.error(line),
  });
  if ((await exited).code !== 0) throw new Error("cannot compute the permissions of the workers");
  return (JSON.parse(text) as { readonly permissions: readonly string[] }).permissions; // `as`: the output of our own program
}
