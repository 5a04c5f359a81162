/** Ports of a test server: what listens for clients that are not in the test's process. */
import { once, systemClock } from "../core/async.ts";
import type { Exchange, Reply } from "../kernel/request/exchange.ts";
import { describe, type Log } from "../kernel/observe/log.ts";
import type { Config } from "../server/config/settings.ts";
import { namesOf } from "../server/config/plugin-settings.ts";
import { listen, type Listener } from "../server/listen/listener.ts";
import { kubeconfig, serverUrl } from "../server/listen/pki.ts";
import { type Credentials, openCredentials } from "../server/startup/credentials.ts";

/** Milliseconds that requests in progress have when a listener closes. */
const graceMs = 200;
/** The address on which test servers listen by default. */
const loopback = "127.0.0.1";

/** A port of a test server. Closing the server closes it, too. */
export interface TestListener extends AsyncDisposable {
  /** `https://127.0.0.1:40123`. */
  readonly url: string;
  /** The text of a kubeconfig for a member of system:masters. It contains a private key. */
  readonly kubeconfig: string;
  /** PEM of the authority of the server's certificate. */
  readonly caBundle: string;
  /** Stops listening, and ends the connections. */
  close(): Promise<void>;
}

/** What a server listens with. */
export type ListenerCredentials = Pick<Credentials, "tls" | "pki" | "ownCa">;

/** Makes the certificates of a server and all of its forks, when the first of them listens. */
export function familyCredentials(config: () => Config, log: Pick<Log, "info">): () => Promise<ListenerCredentials> {
  return once(() => openCredentials(config(), { now: systemClock.now, log, renewsOwn: true }));
}

/** How a server listens. */
export interface ListenPlace {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, a free port. */
  readonly port?: number;
  /** Returns the reply to a request that is not one of the API; undefined for those that are. */
  readonly before?: (exchange: Exchange) => Promise<Reply> | undefined;
}

/** What the listeners of one server need. */
export interface ListenersNeeds {
  readonly credentials: () => Promise<ListenerCredentials>;
  readonly config: () => Config;
  readonly log: Log;
  /** Answers a request. */
  handle(exchange: Exchange): Promise<Reply>;
  /** Called with the URL of each listener. */
  served(url: string): void;
}

/** The ports of the open test servers. */
const listenersOf = new WeakMap<object, Listeners>();

/** Makes the ports of a test server known to `listenFor`. */
export function rememberListeners(server: object, listeners: Listeners): void {
  listenersOf.set(server, listeners);
}

/** Listens for a test server at any place. */
export function listenFor(server: object, place: ListenPlace): Promise<TestListener> {
  const listeners = listenersOf.get(server);
  return listeners === undefined ? Promise.reject(new Error("this is no test server")) : listeners.listen(place);
}

/** The ports of one server. */
export class Listeners {
  readonly #needs: ListenersNeeds;
  readonly #open = new Set<() => Promise<void>>();
  #isClosed = false;

  constructor(needs: ListenersNeeds) {
    this.#needs = needs;
  }

  /** Listens on a port of the loopback interface. */
  async listen(place: ListenPlace = {}): Promise<TestListener> {
    const { credentials, config, served } = this.#needs, { tls, pki, ownCa = tls.cert } = await credentials();
    const listener = await this.#begin(place, tls), url = serverUrl(place.host ?? loopback, listener.port);
    const close = once(async () => {
      await listener.close(graceMs);
      this.#open.delete(close);
    });
    this.#open.add(close);
    if (this.#isClosed) {
      await close();
      throw new Error("the test server is closed");
    }
    served(url);
    return {
      ...{ url, caBundle: ownCa, close, [Symbol.asyncDispose]: close },
      kubeconfig: kubeconfig(url, ownCa, pki.admin, namesOf(config())),
    };
  }

  /** Ends all ports. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((close) => close()));
  }

  async #begin({ host = loopback, port = 0, before }: ListenPlace, tls: Credentials["tls"]): Promise<Listener> {
    const { config, log, handle } = this.#needs;
    const error = (what: unknown) => log.error("a connection failed", describe(what));
    return await listen({
      address: { host, port },
      tls,
      http2: {
        streamsMax: config()["http2-max-streams-per-connection"],
        implementation: config()["http2-implementation"] === "runtime" ? "runtime" : "own", // the only two values
      },
      handle: before === undefined ? handle : (exchange) => before(exchange) ?? handle(exchange),
      reports: { error, notice: (message) => log.error(message), failed: error },
    });
  }
}
