/** What the processes of a server have in common: the configuration of the command line, and the log. */
import process from "node:process";
import { systemClock } from "../../core/async.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { BeginProgress } from "../../core/progress.ts";
import { compatFlag, kubeApiserverArguments } from "../config/kube-apiserver-arguments.ts";
import { knownNames } from "../config/known-names.ts";
import { loadModule } from "../config/load-module.ts";
import { type Log, openLog, verbosityOf } from "../../kernel/observe/log.ts";
import { progressTerminal } from "../log/progress.ts";
import { readConfiguration } from "../startup/read-configuration.ts";

export interface Prepared {
  readonly configuration: NonNullable<Awaited<ReturnType<typeof readConfiguration>>>;
  readonly log: Log;
  /** Flags of kube-apiserver that have no effect. */
  readonly ignored: readonly string[];
  readonly isCompatible: boolean;
  /** Writes to the terminal above a line of progress: both outputs of a terminal are the same screen. */
  readonly above: (write: () => void) => void;
  /** Shows progress on a terminal. Absent without one. */
  readonly progress?: BeginProgress;
}

/** `worker`: the number of the worker that this process is. Undefined for --help. Throws a ConfigError with every mistake. */
export async function prepare(args: readonly string[], plugins: readonly Plugin[], worker?: number): Promise<Prepared | undefined> {
  const isCompatible = args.includes(compatFlag);
  const { args: own, ignored } = isCompatible ? kubeApiserverArguments(args, knownNames(plugins)) : { args, ignored: [] };
  const configuration = await readConfiguration(own, plugins, loadModule);
  if (configuration === undefined) return undefined;
  const { config } = configuration;
  const format = config["logging-format"] === "json" ? "json" : "text"; // The only kind of logger.
  const verbosity = verbosityOf(config.v, config.vmodule, []);
  const terminal = worker === undefined && format === "text" && process.stderr.isTTY === true
    ? progressTerminal(process.stderr, systemClock.elapsed)
    : undefined;
  const above = terminal?.above ?? ((write) => write());
  const log = openLog(format, (line) => above(() => console.error(line)), systemClock.now, verbosity, process.pid, worker);
  // A log that is no longer read must not end the server, least of all while it shuts down.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  return { configuration, log, ignored, isCompatible, above, ...(terminal === undefined ? {} : { progress: terminal.begin }) };
}

/** Resolves when all earlier log lines have left the process. */
export function flushLog(): Promise<void> {
  return new Promise((resolve) => void process.stderr.write("", () => resolve()));
}
