/** Starts a server from settings and plugins, and stops it. The steps of a request are in `handle.ts`. */
import { channel } from "node:diagnostics_channel";
import { mkdir } from "node:fs/promises";
import process from "node:process";
import { reasonOf } from "../../core/reason-of.ts";
import { type Credentials, openCredentials } from "./credentials.ts";
import { followFiles } from "../config/follow-files.ts";
import { namesOf } from "../config/plugin-settings.ts";
import { ConfigError } from "../config/parse.ts";
import { workerCount } from "../config/workers.ts";
import { handle } from "../../kernel/handle.ts";
import { listen, type Listener } from "../listen/listener.ts";
import { tlsWarnings } from "../config/tls-settings.ts";
import type { ListenerTls } from "../listen/tls-context.ts";
import { kubeconfig, serverUrl } from "../listen/pki.ts";
import { openHeap } from "../heavy/heap.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { every, once, pause, systemClock } from "../../core/async.ts";
import { type Opened, openServer } from "./open-server.ts";
import type { ServeOptions } from "./serve-options.ts";
import { isInMemory } from "../config/in-memory.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { requestLabels } from "../../kernel/observe/request-metrics.ts";
import { type Gate, gate } from "./shutdown.ts";
import { freeStartGarbage } from "./start-garbage.ts";
import { isFirst, sharedFindings } from "../workers/group.ts";
import { type KubeconfigFile, kubeconfigFile } from "./write-kubeconfig.ts";
import { steadyClock } from "./steady-clock.ts";
import { validityWatch } from "./certificate-validity.ts";

/** A running server. */
export interface Running {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  /** The TLS port that the server listens on: a free one if the setting `secure-port` is 0. */
  readonly port: number;
  /** PEM of the CA that signed the serving certificate; undefined if the certificate was given. */
  readonly ca: string | undefined;
  /** PEM of the administrator's certificate and key. */
  readonly admin: { readonly cert: string; readonly key: string };
  /** Path of the administrator's kubeconfig. Undefined if everything is in memory and `write-kubeconfig` is not set. */
  readonly kubeconfig: string | undefined;
  /** The administrator's kubeconfig as YAML, for kubectl and client libraries. It contains a private key. */
  readonly kubeconfigText: string;
  /** Reads the configuration, certificates and tokens again; the result is logged and counted. */
  reload(): Promise<void>;
  /** In order: reports not ready, waits for requests in flight, ends watches, closes the store. */
  close(): Promise<void>;
}

/** Milliseconds for requests in flight at shutdown. */
const graceMs = 10_000;
/** Milliseconds between checks of certificate dates: as often as files are checked, so that renewed certificates are used from then on. */
const checkDatesMs = 60_000;

/** Rejects if the server cannot start, after undoing everything. */
export async function serve(options: ServeOptions): Promise<Running> {
  const { config, log, workers } = options;
  if (workers === undefined && workerCount(config) > 1) {
    throw new ConfigError(['setting "workers": only the program "thole serve" starts more than 1']);
  }
  if (config["test-control"]) {
    throw new ConfigError(['setting "test-control": only the program "thole serve" has it; in a test\'s process use "openTestServer()"']);
  }
  if (!isInMemory(config)) await makeFolder(config["data-dir"]);
  const { steady = steadyClock(sharedFindings(log, workers)) } = options.instead ?? {};
  const credentials = openCredentials(config, { now: steady.now, log, renewsOwn: isFirst(workers) });
  credentials.catch(() => {}); // Awaited below, when `close` can undo it.
  const ownCa = credentials.then((each) => each.ownCa);
  ownCa.catch(() => {}); // As above.
  const authority = credentials.then((each) => () => each.pki.ca);
  authority.catch(() => {}); // As above.
  const opened = await openServer({ ...options, ownCa, authority, instead: { ...options.instead, steady } });
  try {
    return await listenAndServe(options, opened, await credentials);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** CPU time of this process, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`cannot create the data folder: ${reasonOf(error)}`);
  }
}

/** Opens the listener, waits until the server has started, and begins the work that a running server repeats. */
async function listenAndServe(options: ServeOptions, opened: Opened, credentials: Credentials): Promise<Running> {
  const { config, log, workers } = options;
  const findings = sharedFindings(log, workers), validity = validityWatch(findings, opened.registry.record);
  for (const text of tlsWarnings(config, "Deno" in globalThis ? "deno" : "node")) findings.info(`Warning: ${text}`);
  const checkDates = () => validity.look([...credentials.inUse(), ...opened.inUse()], systemClock.now());
  checkDates();
  const { clientTrust } = opened;
  if (clientTrust !== undefined) credentials.withCluster(clientTrust.current());
  const shutdownGate = requestGate(opened);
  const listener = await openListener(options, opened.registry, credentials.tls, shutdownGate.handle);
  const url = serverUrl(config["bind-address"], listener.port);
  opened.serveAt(url);
  const kubeconfigText = () => kubeconfig(url, credentials.ownCa ?? credentials.tls.cert, credentials.pki.admin, namesOf(config));
  let file: KubeconfigFile | undefined;
  try {
    file = await kubeconfigFile(config, options.process?.temporaryKubeconfig === true);
    // Before readiness: a client that waits for readiness may read the file at once.
    await file?.write(kubeconfigText());
    await opened.bootstrapped.catch(() => {}); // logged, and tried again: what prevents it, such as a webhook, can be removed through this server
    await opened.started;
    // The next worker starts then, and must find the key.
    if (workers !== undefined) await opened.authenticatorsReady();
  } catch (error) {
    await Promise.all([listener.close(0), file?.remove()]);
    throw error;
  }
  const secure = (tls: ListenerTls) => listener.secure(tls);
  clientTrust?.follow((trust) => credentials.withCluster(trust, secure));
  const ending = new AbortController();
  /** Called when certificates have been renewed. They are active, even if writing fails. */
  const renewed = async () => {
    checkDates();
    await file?.write(kubeconfigText()).catch((error) => log.error(reasonOf(error), describe(error)));
  };
  void every(checkDatesMs, checkDates, ending.signal);
  if (options.process !== undefined) settleProcess(log, ending.signal);
  const followed = [...opened.followed, ...credentials.followed(secure).map((each) => thenCall(each, renewed))];
  const files = followFiles(followed, { log, clock: systemClock, signal: ending.signal });
  return {
    url,
    port: listener.port,
    get ca() {
      return credentials.ownCa;
    },
    get admin() {
      return credentials.pki.admin;
    },
    kubeconfig: file?.path,
    get kubeconfigText() {
      return kubeconfigText();
    },
    reload: async () => void await Promise.all([opened.reload(true), files.again()]),
    close: once(async () => {
      ending.abort();
      await drain(opened, listener, shutdownGate);
      await Promise.all([files.ended, opened.close(), file?.remove()]);
    }),
  };
}

/** Passes requests to the server, and rejects them with 429 once a shutdown has turned them away. */
function requestGate({ server, registry, tracing }: Opened): Gate {
  const handleOne = (exchange: Exchange) => handle(exchange, server);
  return gate(tracing === undefined ? handleOne : (exchange) => tracing.request(() => handleOne(exchange)), (exchange) => {
    const info = requestInfo(exchange.method, exchange.url);
    if (info === undefined) return;
    registry.record.terminations.with({ ...requestLabels(exchange.method, info, undefined, server.catalog), code: "429" }).add();
  });
}

async function openListener(
  { config, log, workers, process: own }: ServeOptions,
  { record, beforeScrape }: KernelRegistry,
  tls: ListenerTls,
  handleRequest: Gate["handle"],
): Promise<Listener> {
  const listener = await listen({
    address: { host: config["bind-address"], port: workers?.port ?? config["secure-port"], sharesPort: workers !== undefined },
    tls,
    http2: {
      streamsMax: config["http2-max-streams-per-connection"],
      implementation: config["http2-implementation"] === "runtime" ? "runtime" : "own", // the only two values
    },
    handle: handleRequest,
    reports: {
      error: (error) => log.error("a connection failed", describe(error)),
      notice: (message) => log.error(message),
      failed: (error) => {
        log.error("the server ends", describe(error));
        // Not in a process that belongs to somebody else.
        if (own !== undefined) process.exit(1);
      },
      handshakeFailed: () => record.handshakeErrors.with({}).add(),
    },
  });
  beforeScrape(() => record.watchPendingBytes.with({}).set(listener.pendingBytes));
  return listener;
}

/** Ends the start of a process that has nothing but this server: frees the garbage, and lets the package keep its compiled code (`load-server.mjs`). */
function settleProcess(log: Log, signal: AbortSignal): void {
  freeStartGarbage({ openHeap, cpuMs, clock: systemClock, signal })
    .catch((error: unknown) => log.error("the garbage of the start stays", describe(error)));
  channel("thole.ready").publish({});
}

/** The same files; `renewed` is called after a change of them is active. */
function thenCall(files: FollowedFiles, renewed: () => Promise<void>): FollowedFiles {
  return {
    ...files,
    async renew() {
      const found = await files.renew();
      if (found !== undefined) await renewed();
      return found;
    },
  };
}

/** Ends the requests in progress, within the times of the settings, and closes the listener. */
async function drain(opened: Opened, listener: Listener, shutdownGate: Gate): Promise<void> {
  opened.drain();
  const { config } = opened.inForce();
  await pause(config["shutdown-delay-duration"], new AbortController().signal, systemClock);
  listener.beginShutdown();
  if (config["shutdown-send-retry-after"]) {
    shutdownGate.turnAway();
    await shutdownGate.idle(graceMs);
  }
  await opened.endWatches(config["shutdown-watch-termination-grace-period"]);
  opened.end();
  await listener.close(graceMs);
}
