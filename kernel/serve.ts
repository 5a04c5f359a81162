/** Starts a server from settings and plugins, and ends it. What a request meets is in `handle.ts`. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Catalog } from "./catalog.ts";
import { clientAuthorities, pkiOf, servingCertificate } from "./credentials.ts";
import { namesOf } from "./generation.ts";
import { handle } from "./handle.ts";
import { listen } from "./listen/listener.ts";
import { kubeconfig, type Pki, serverUrl, writePrivateFile } from "./listen/pki.ts";
import { describe } from "./log.ts";
import { once } from "./once.ts";
import { type Opened, openServer, type ServeOptions } from "./open-server.ts";
import { isInMemory } from "./open-store.ts";
import { requestInfo } from "./request-info.ts";
import { requestLabels } from "./request-metrics.ts";
import { gate } from "./shutdown.ts";

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
  /** Reads the configuration again; what came of it is logged and counted. */
  reload(): Promise<void>;
  /** Not ready first, then requests in flight finish, watches end, the store is closed. */
  close(): Promise<void>;
}

/** Time given to requests in flight once the server goes down. */
const graceMs = 10_000;

/** Rejects with everything undone when it cannot start. */
export async function serve(options: ServeOptions): Promise<Running> {
  const { config } = options;
  if (!isInMemory(config)) await mkdir(config["data-dir"], { recursive: true, mode: 0o700 });
  const pki = pkiOf(config);
  pki.catch(() => {}); // told below, once there is something to undo
  const opened = await openServer(options);
  try {
    return await listening(options, opened, await pki);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function listening({ config, log }: ServeOptions, opened: Opened, pki: Pki): Promise<Running> {
  const { server, registry } = opened;
  const cert = await servingCertificate(config, pki);
  const way = gate((exchange) => handle(exchange, server), (exchange) => {
    const info = requestInfo(exchange.method, exchange.url);
    if (info === undefined) return;
    registry.record.terminations.with({ ...requestLabels(exchange.method, info, undefined, server.catalog), code: "429" }).add();
  });
  const listener = await listen({
    host: config["bind-address"],
    port: config["secure-port"],
    tls: {
      cert: cert.cert,
      key: cert.key,
      clientCa: await clientAuthorities(config, pki),
    },
    handle: way.handle,
    report: (error) => log.error("a connection failed", describe(error)),
    handshakeFailed: () => registry.record.handshakeErrors.with({}).add(),
  });
  await opened.seeded.catch(async (error: unknown) => {
    await listener.close(0);
    throw error;
  });
  await opened.started;
  const url = serverUrl(config["bind-address"], listener.port);
  const ownCa = config["tls-cert-file"] === "" ? pki.ca.cert : undefined;
  const path = isInMemory(config) ? undefined : join(config["data-dir"], "kubeconfig");
  if (path !== undefined) await writePrivateFile(path, kubeconfig(url, ownCa ?? cert.cert, pki.admin, namesOf(config)));
  return {
    url,
    port: listener.port,
    ca: ownCa,
    admin: pki.admin,
    kubeconfig: path,
    get catalog() {
      return server.catalog;
    },
    reload: () => opened.reload(true),
    close: once(async () => {
      opened.drain();
      const { config } = opened.inForce();
      await pause(config["shutdown-delay-duration"]);
      listener.beginShutdown();
      if (config["shutdown-send-retry-after"]) {
        way.turnAway();
        await way.idle(graceMs);
      }
      await opened.endWatches(config["shutdown-watch-termination-grace-period"]);
      opened.end();
      await listener.close(graceMs);
      await opened.close();
    }),
  };
}

function pause(milliseconds: number): Promise<void> {
  return milliseconds === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds));
}
