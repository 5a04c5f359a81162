/** `thole serve`: runs the server until a signal ends it. */
import { defaultNames, spell } from "../../core/names.ts";
import { withoutUser } from "../../core/without-user.ts";
import { resolve } from "node:path";
import process from "node:process";
import { finished, type Readable } from "node:stream";
import { pause } from "../../core/async.ts";
import type { Plugin } from "../../core/plugin.ts";
import { kernelGates } from "../catalog/gates.ts";
import { compatFlag, type KnownNames, kubeApiserverArguments } from "../config/kube-apiserver-arguments.ts";
import { loadModule } from "../config/load-module.ts";
import { startHeavyThread } from "../heavy/thread.ts";
import { describe, type Fields, openLog, verbosityOf } from "../observe/log.ts";
import { progressTerminal } from "../observe/progress.ts";
import { readConfiguration } from "../startup/read-configuration.ts";
import { serve } from "../startup/serve.ts";
import { versionText } from "../startup/version.ts";

/** Resolves when all earlier log lines have left the process. */
function flushLog(): Promise<void> {
  return new Promise((resolve) => void process.stderr.write("", () => resolve()));
}

/** Calls `closed` once, at the end of the stream or when it fails. What is read is dropped. */
function onClose(stream: Readable, closed: () => void): void {
  // The first of them counts: the end of a pipe, a terminal that has gone.
  finished(stream.resume(), { writable: false }, closed);
}

/** The gates, versions and admission steps of these plugins. */
function knownNames(plugins: readonly Plugin[]): KnownNames {
  return {
    gates: ["AllAlpha", "AllBeta", ...[kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)].flatMap(Object.keys)],
    groupVersions: plugins.flatMap(({ resources = [] }) => resources).flatMap(({ served }) => Object.keys(served))
      .map((written) => spell(defaultNames, written)),
    steps: plugins.flatMap(({ admission = [] }) => admission).map(({ name }) => name),
  };
}

/** Milliseconds for a start to finish after the standard input has closed. */
const startMsMax = 10_000;

/** Resolves when the server is ready; the process then goes on. `abandoned` runs last when the standard input has closed, if that ends the server. */
export async function run(args: readonly string[], plugins: readonly Plugin[], abandoned?: () => Promise<void>): Promise<undefined> {
  const isCompatible = args.includes(compatFlag);
  const { args: own, ignored } = isCompatible ? kubeApiserverArguments(args, knownNames(plugins)) : { args, ignored: [] };
  const configuration = await readConfiguration(own, plugins, loadModule);
  if (configuration === undefined) return;
  const { config } = configuration;
  const verbosity = verbosityOf(config.v, config.vmodule, []);
  const format = config["logging-format"] === "json" ? "json" : "text"; // The only kind of logger.
  const terminal = format === "text" && process.stderr.isTTY === true
    ? progressTerminal(process.stderr, () => performance.now())
    : undefined;
  // Both outputs of a terminal are the same screen.
  const above = terminal?.above ?? ((write) => write());
  const log = openLog(format, (line) => above(() => console.error(line)), Date.now, verbosity, process.pid);
  log.info("starting", {
    version: versionText(),
    // Without user and password, which must not be logged.
    store: config["etcd-servers"].length > 0 ? config["etcd-servers"].map(withoutUser) : config["data-dir"],
    plugins: configuration.plugins.map(({ name }) => name),
    gates: Object.fromEntries(config["feature-gates"]),
  });
  if (ignored.length > 0) log.info("flags of kube-apiserver that have no effect", { flags: ignored });
  const starting = serve({
    ...configuration,
    log,
    ...(terminal === undefined ? {} : { progress: terminal.begin }),
    processMetrics: true,
    temporaryKubeconfig: !isCompatible,
    flushLog,
    startHeavy: startHeavyThread,
  });
  // Installed first: a SIGHUP must not end a server that is not ready yet.
  process.on("SIGHUP", () => void starting.then((server) => server.reload(), () => {}));
  // A log that is no longer read must not end the server, least of all while it shuts down.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const end = (fields: Fields, close: () => Promise<unknown>) => {
    log.info("shutting down", fields);
    close().then(() => {
      log.info("ended");
      process.exit(0);
    }, (error) => {
      log.error("the shutdown failed", describe(error));
      process.exit(1);
    });
  };
  if (config["exit-on-stdin-close"]) {
    const close = async () => {
      const started = await Promise.race([starting, pause(startMsMax, new AbortController().signal)]);
      await started?.close();
      await abandoned?.();
    };
    onClose(process.stdin, () => end({ reason: "the standard input has closed" }, close));
  }
  const running = await starting;
  const stop = (signal: string) => end({ signal }, running.close);
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  // Printed last: a reader may end the program at once, and it ends gracefully.
  above(() => console.log(`Thole serves on ${running.url}`));
  const { kubeconfig } = running;
  if (kubeconfig !== undefined) above(() => console.log(`export KUBECONFIG=${resolve(kubeconfig)}`));
}
