/** `thole serve`: runs the server until a signal ends it. */
import { withoutUser } from "../../protocols/without-user.ts";
import { resolve } from "node:path";
import process from "node:process";
import { pause } from "../../core/async.ts";
import type { Plugin } from "../../core/plugin.ts";
import { etcdServers } from "../config/server-overrides.ts";
import { workerCount } from "../config/workers.ts";
import { startHeavyThread } from "../heavy/thread.ts";
import { describe, type LogFields } from "../../kernel/observe/log.ts";
import { serve } from "../startup/serve.ts";
import { kubeconfigFile } from "../startup/write-kubeconfig.ts";
import { versionText } from "../startup/version.ts";
import { onClose } from "./on-close.ts";
import type { UnderTest } from "./under-test.ts";
import { flushLog, prepare, type Prepared } from "./prepare.ts";

/** The server as a whole: one process, or a supervisor with its workers. */
interface Serving {
  readonly url: string;
  /** The secret of test control, if it is served. */
  readonly token?: string;
  readonly kubeconfig: string | undefined;
  reload(): Promise<void>;
  /** Resolves with the exit code. */
  close(): Promise<number>;
}

/** Milliseconds for a shutdown to finish, beside the configured times. */
const endMsMax = 60_000;

/** Until the returned function is called, a process that ends because it waits for nothing any more has failed. */
function untilReady(): () => void {
  const failed = () => console.error("thole: the start did not finish, and there is nothing left to wait for");
  process.exitCode = 1;
  process.once("beforeExit", failed);
  return () => {
    process.exitCode = 0;
    process.removeListener("beforeExit", failed);
  };
}

/** Milliseconds for a start to finish after the standard input has closed. */
const startMsMax = 10_000;

/**
 * Resolves when the server is ready; the process then goes on. Resolves with an exit code if the first worker could not start. `abandoned` runs last when
 * the standard input has closed, if that ends the server. `underTest` loads what opens a server under test.
 */
export async function run(
  args: readonly string[],
  plugins: readonly Plugin[],
  { abandoned, underTest }: { readonly abandoned?: () => Promise<void>; readonly underTest?: () => Promise<UnderTest> } = {},
): Promise<number | undefined> {
  const ready = untilReady();
  const prepared = await prepare(args, plugins);
  if (prepared === undefined) {
    ready();
    return undefined;
  }
  const { configuration, log, above } = prepared, { config } = configuration, count = workerCount(config);
  logStart(prepared, count);
  const starting = config["test-control"] && underTest !== undefined
    ? serveTest(prepared, underTest)
    : count === 1
    ? serveAlone(prepared)
    : serveByWorkers(args, prepared, count);
  // Installed first: a SIGHUP must not end a server that is not ready yet.
  process.on("SIGHUP", () => void starting.then((serving) => typeof serving === "number" ? undefined : serving.reload(), () => {}));
  const end = (fields: LogFields, close: () => Promise<number>) => {
    log.info("shutting down", fields);
    const { config: { "shutdown-delay-duration": delayMs, "shutdown-watch-termination-grace-period": watchesMs } } = configuration;
    setTimeout(() => {
      log.error("the shutdown did not end in time");
      process.exit(1);
    }, delayMs + watchesMs + endMsMax).unref();
    close().then((code) => {
      log.info("ended");
      process.exit(code);
    }, (error) => {
      log.error("the shutdown failed", describe(error));
      process.exit(1);
    });
  };
  if (config["exit-on-stdin-close"]) {
    const close = async () => {
      const started = await Promise.race([starting, pause(startMsMax, new AbortController().signal)]);
      const code = typeof started === "object" ? await started.close() : started ?? 0;
      await abandoned?.();
      return code;
    };
    onClose(process.stdin, () => end({ reason: "the standard input has closed" }, close));
  }
  const serving = await starting;
  ready();
  if (typeof serving === "number") return serving;
  const stop = (signal: string) => end({ signal }, serving.close);
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  // Printed last: a reader may end the program at once, and it ends gracefully.
  above(() => console.log(`Thole serves on ${serving.url}`));
  const { kubeconfig, token } = serving;
  if (token !== undefined) above(() => console.log(`export THOLE_TEST_URL=${serving.url}/test\nexport THOLE_TEST_TOKEN=${token}`));
  if (kubeconfig !== undefined) above(() => console.log(`export KUBECONFIG=${resolve(kubeconfig)}`));
  return undefined;
}

function logStart({ configuration: { config, plugins }, log, ignored }: Prepared, count: number): void {
  log.info("starting", {
    version: versionText(),
    // Without user and password, which must not be logged.
    store: config["etcd-servers"].length > 0 ? etcdServers(config).map(withoutUser) : config["data-dir"],
    plugins: plugins.map(({ name }) => name),
    gates: Object.fromEntries(config["feature-gates"]),
    ...(count === 1 ? {} : { workers: count }),
  });
  if (ignored.length > 0) log.info("flags of kube-apiserver that have no effect", { flags: ignored });
}

/** The server in this process. */
async function serveAlone({ configuration, log, isCompatible, progress }: Prepared): Promise<Serving> {
  const { url, kubeconfig, reload, close } = await serve({
    ...configuration,
    log,
    ...(progress === undefined ? {} : { progress }),
    process: { flushLog, temporaryKubeconfig: !isCompatible },
    startHeavy: startHeavyThread,
  });
  return { url, kubeconfig, reload, close: () => close().then(() => 0) };
}

/** A server under test in this process. */
async function serveTest({ configuration, log }: Prepared, underTest: () => Promise<UnderTest>): Promise<Serving> {
  const open = await underTest(), file = await kubeconfigFile(configuration.config, true);
  try {
    const { url, token, kubeconfigText, close } = await open(configuration, log);
    await file?.write(kubeconfigText);
    const end = async () => {
      await Promise.all([close(), file?.remove()]);
      return 0;
    };
    return {
      url,
      token,
      kubeconfig: file?.path,
      reload: () => Promise.resolve(log.info("a server under test is not reloaded")),
      close: end,
    };
  } catch (error) {
    await file?.remove();
    throw error;
  }
}

/** The server in processes that this one starts, or the exit code of the first one. */
async function serveByWorkers(args: readonly string[], { configuration, log, above }: Prepared, count: number): Promise<Serving | number> {
  const { superviseWorkers } = await import("./supervise.ts");
  return await superviseWorkers(
    args,
    configuration,
    count,
    log,
    (line, isLog) => above(() => isLog ? console.error(line) : console.log(line)),
  );
}
