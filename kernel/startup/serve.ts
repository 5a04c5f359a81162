/** Starts a server from settings and plugins, and ends it. What a request meets is in `handle.ts`. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "../../core/reason-of.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Credentials, openCredentials } from "./credentials.ts";
import { followFiles } from "../config/follow-files.ts";
import { namesOf } from "../config/active-config.ts";
import { handle } from "../handle.ts";
import { listen } from "../listen/listener.ts";
import { kubeconfig, serverUrl, writePrivateFile } from "../listen/pki.ts";
import { describe } from "../observe/log.ts";
import { once, pause, systemClock } from "../../core/async.ts";
import { type Opened, openServer } from "./open-server.ts";
import type { ServeOptions } from "./serve-options.ts";
import { isInMemory } from "./open-store.ts";
import { requestInfo } from "../request/request-info.ts";
import { requestLabels } from "../observe/request-metrics.ts";
import { gate } from "./shutdown.ts";
import { validityWatch } from "./certificate-validity.ts";

/** A server that answers. */
export interface Running {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed the serving certificate; undefined where the certificate was given. */
  readonly ca: string | undefined;
  /** PEM of the administrator's certificate and key. */
  readonly admin: { readonly cert: string; readonly key: string };
  /** Where the administrator's kubeconfig lies; undefined with everything in memory. */
  readonly kubeconfig: string | undefined;
  /** The one in force. */
  readonly catalog: Catalog;
  /** Reads the configuration again, and the files with certificates and tokens; what came of it is logged and counted. */
  reload(): Promise<void>;
  /** Not ready first, then requests in flight finish, watches end, the store is closed. */
  close(): Promise<void>;
}

/** Time given to requests in flight once the server goes down. */
const graceMs = 10_000;
/** How often the dates of certificates are looked at. */
const lookAtDatesMs = 60_000;

/** Rejects with everything undone when it cannot start. */
export async function serve(options: ServeOptions): Promise<Running> {
  const { config, log } = options;
  if (!isInMemory(config)) await makeFolder(config["data-dir"]);
  const credentials = openCredentials(config, Date.now, log);
  credentials.catch(() => {}); // awaited below, once there is something to undo
  const opened = await openServer(options);
  try {
    return await listening(options, opened, await credentials);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`cannot make the data folder: ${reasonOf(error)}`);
  }
}

async function listening({ config, log }: ServeOptions, opened: Opened, credentials: Credentials): Promise<Running> {
  const { server, registry } = opened;
  const validity = validityWatch(log, registry.record);
  const lookAtDates = () => validity.look([...credentials.inUse(), ...opened.inUse()], Date.now());
  lookAtDates();
  const way = gate((exchange) => handle(exchange, server), (exchange) => {
    const info = requestInfo(exchange.method, exchange.url);
    if (info === undefined) return;
    registry.record.terminations.with({ ...requestLabels(exchange.method, info, undefined, server.catalog), code: "429" }).add();
  });
  const { clusterTrust } = opened;
  if (clusterTrust !== undefined) credentials.withCluster(clusterTrust.current());
  const listener = await listen({
    host: config["bind-address"],
    port: config["secure-port"],
    tls: credentials.tls,
    streamsMax: config["http2-max-streams-per-connection"],
    handle: way.handle,
    report: (error) => log.error("a connection failed", describe(error)),
    handshakeFailed: () => registry.record.handshakeErrors.with({}).add(),
  });
  const url = serverUrl(config["bind-address"], listener.port);
  opened.serveAt(url);
  const path = isInMemory(config) ? undefined : join(config["data-dir"], "kubeconfig");
  const writeKubeconfig = async () => {
    const { ownCa, tls, pki } = credentials;
    if (path !== undefined) await writePrivateFile(path, kubeconfig(url, ownCa ?? tls.cert, pki.admin, namesOf(config)));
  };
  try {
    // Before what the server waits for to be ready: who sees that it is may take up the file at once.
    await writeKubeconfig().catch((error) => {
      throw new Error(`cannot write the kubeconfig: ${reasonOf(error)}`);
    });
    await opened.bootstrapped;
    await opened.started;
  } catch (error) {
    await listener.close(0);
    throw error;
  }
  clusterTrust?.follow((trust) => listener.secure(credentials.withCluster(trust)));
  const ending = new AbortController();
  const renewed = credentials.followed(listener.secure).map((each) => ({
    ...each,
    async renew() {
      const renewed = await each.renew();
      // The certificates are in force, whatever becomes of this.
      if (renewed !== undefined) lookAtDates();
      if (renewed !== undefined) await writeKubeconfig().catch((error) => log.error("cannot write the kubeconfig", describe(error)));
      return renewed;
    },
  }));
  // As often as files are read anew: what was renewed counts from then on.
  const looking = setInterval(lookAtDates, lookAtDatesMs);
  ending.signal.addEventListener("abort", () => clearInterval(looking), { once: true });
  const files = followFiles([...opened.followed, ...renewed], { log, clock: systemClock, signal: ending.signal });
  return {
    url,
    port: listener.port,
    get ca() {
      return credentials.ownCa;
    },
    get admin() {
      return credentials.pki.admin;
    },
    kubeconfig: path,
    get catalog() {
      return server.catalog;
    },
    reload: async () => void await Promise.all([opened.reload(true), files.again()]),
    close: once(async () => {
      opened.drain();
      ending.abort();
      const { config } = opened.inForce();
      await pause(config["shutdown-delay-duration"], new AbortController().signal);
      listener.beginShutdown();
      if (config["shutdown-send-retry-after"]) {
        way.turnAway();
        await way.idle(graceMs);
      }
      await opened.endWatches(config["shutdown-watch-termination-grace-period"]);
      opened.end();
      await listener.close(graceMs);
      await Promise.all([files.ended, opened.close()]);
    }),
  };
}
