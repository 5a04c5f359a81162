import { Server as TlsServer, type TlsOptions } from "node:tls";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { AcceptWatch } from "./accept-watch.ts";
import { answerMsMax, attemptOn } from "./attempt.ts";
import { Connections, type ConnectionTimes } from "./connections.ts";
import { connectionsMax } from "./descriptors.ts";
import { type ListenerTls, type TlsContext, tlsContext } from "./tls-context.ts";
import type { Serving } from "./reply/answer.ts";
import { PendingChunks } from "./reply/pending-chunks.ts";
import { ownServer, runtimeServer } from "./servers.ts";
import { bound } from "../../core/bound.ts";
import { stalledMs, streamsPerConnectionMax } from "./bounds.ts";

/** Milliseconds for the TLS handshake. */
const handshakeMs = bound(10_000);
/** Milliseconds from the handshake to the first request (kube-apiserver's ReadHeaderTimeout). */
const firstRequestMs = bound(32_000);
/** Milliseconds between two requests on a connection (kube-apiserver's IdleTimeout). */
const idleMs = bound(90_000);

/** Where a listener listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Other processes may listen on the same port (SO_REUSEPORT); the kernel spreads connections over them. */
  readonly sharesPort?: boolean;
}

/** The functions by which a listener reports to its server. */
export interface ListenerReports {
  /** Called for every internal error. */
  error(error: unknown): void;
  /** Called for every connection whose TLS handshake failed. */
  handshakeFailed?(): void;
  /** Called when connections are closed because there are too many, at most once a minute, and when the listener has to listen anew. */
  notice?(message: string): void;
  /** Called when no connection is accepted any more: the process should end. */
  failed?(error: Error): void;
}

export interface ListenOptions {
  readonly address: ListenAddress;
  readonly tls: ListenerTls;
  /** Answers a request. A rejection is reported and answered with 500. */
  handle(exchange: Exchange): Promise<Reply>;
  readonly reports: ListenerReports;
  readonly http2?: {
    /** Default: `own`. */
    readonly implementation?: Http2Implementation;
    /** Maximum open requests of one connection; 0 is the default. */
    readonly streamsMax?: number;
  };
  readonly connections?: {
    /** Maximum connections. Default: as many as the limit of open files permits, where that can be read. */
    readonly max?: number;
    /** Overrides of the timeouts. */
    readonly times?: Partial<ConnectionTimes>;
  };
  /** Maximum bytes of the chunks of watches that wait for their clients. Default: `watchPendingBytesMax`. */
  readonly pendingBytesMax?: number;
}

/** The implementation of HTTP/2: our own, or `runtime` for that of Node or Deno (`node:http2`). */
export type Http2Implementation = "own" | "runtime";

/** A server on one address: HTTP/1.1 and HTTP/2 over TLS. */
export interface Listener {
  readonly address: string;
  readonly port: number;
  /** Bytes of the chunks of watches that their clients have not read. */
  readonly pendingBytes: number;
  /** From now on HTTP/1.1 answers have `connection: close`; requests are still accepted. */
  beginShutdown(): void;
  /**
   * Replaces the certificates. New connections get them, and client certificates of open connections are verified again at the next
   * request. No connection is closed. Whether client certificates are requested at all does not change.
   *
   * @throws if the certificates are invalid; nothing has changed then
   */
  secure(tls: ListenerTls): void;
  /** Closes the listening socket and opens another one on the same address. Connections stay open. */
  listenAnew(): Promise<void>;
  /** Stops accepting, lets requests in progress finish and resolves when every connection is closed. Connections that remain after
   *  `graceMs` are destroyed. The caller must end endless answers (watches). */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds between two looks at the timeouts of connections. */
const sweepMs = 5_000;

/** Starts listening. Rejects if the address is in use or the certificates are not PEM. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { context, readPeer, contextOf } = tlsContext(options.tls), { handle, reports, http2 = {} } = options, named = { contextOf };
  const serving: Serving = {
    draining: false,
    connections: connectionsOf(options),
    pending: new PendingChunks(options.pendingBytesMax),
    readPeer,
    handle,
    report: (error) => reports.error(error),
  };
  const secure: TlsOptions = {
    ...context,
    requestCert: readPeer !== undefined,
    // A client certificate that is not trusted is answered with 401, not with a failed handshake.
    rejectUnauthorized: false,
    ...(options.tls.named === undefined || options.tls.named.length === 0
      ? {}
      : { SNICallback: (name, done) => done(null, named.contextOf(name)) }),
  };
  const streamsMax = http2.streamsMax || streamsPerConnectionMax;
  const server = http2.implementation === "runtime" ? runtimeServer(secure, streamsMax, serving) : ownServer(secure, streamsMax, serving);
  server.on("tlsClientError", () => reports.handshakeFailed?.());
  const { address, port } = await boundTo(server, options.address).catch((error: unknown) => {
    void serving.connections.close(0);
    throw error;
  });
  return new OpenListener(options, server, serving, named, { address, port });
}

function connectionsOf({ connections: { times, max } = {}, reports }: ListenOptions): Connections {
  return new Connections(
    { handshakeMs, firstRequestMs, idleMs, stalledMs, sweepMs, ...times },
    max ?? connectionsMax(),
    onceAMinute((max) =>
      reports.notice?.(`more than ${max} connections are open: the oldest ones without a request in progress are closed`)
    ),
  );
}

/** A listener with an open socket. */
class OpenListener implements Listener {
  readonly address: string;
  readonly port: number;
  readonly #options: ListenOptions;
  readonly #server: TlsServer;
  readonly #serving: Serving;
  /** Read at each handshake. */
  readonly #named: { contextOf: TlsContext["contextOf"] };
  readonly #watch: AcceptWatch;
  /** The timer of the checks whether connections are accepted. */
  readonly #checks: ReturnType<typeof setInterval>;

  constructor(
    options: ListenOptions,
    server: TlsServer,
    serving: Serving,
    named: { contextOf: TlsContext["contextOf"] },
    bound: { readonly address: string; readonly port: number },
  ) {
    ({ address: this.address, port: this.port } = bound);
    this.#options = options;
    this.#server = server;
    this.#serving = serving;
    this.#named = named;
    const { connections } = serving;
    this.#watch = new AcceptWatch({
      accepted: () => connections.acceptedCount,
      attempt: (patience) => attemptOn(options.address.host, this.port, (from) => connections.isFrom(from), patience * answerMsMax),
      listenAnew: () => {
        connections.learnMax();
        return this.listenAnew();
      },
      notice: (message) => options.reports.notice?.(message),
      fail: (error) => options.reports.failed?.(error),
    });
    this.#checks = setInterval(() => void this.#watch.look(), options.connections?.times?.sweepMs ?? sweepMs);
  }

  get pendingBytes(): number {
    return this.#serving.pending.bytes;
  }
  async listenAnew(): Promise<void> {
    this.#stopAccepting();
    await boundTo(this.#server, { ...this.#options.address, port: this.port });
  }
  beginShutdown(): void {
    this.#serving.draining = true;
  }
  secure(tls: ListenerTls): void {
    const next = tlsContext(tls);
    this.#server.setSecureContext(next.context);
    this.#named.contextOf = next.contextOf;
    if (this.#serving.readPeer === undefined) return;
    this.#serving.readPeer = next.readPeer;
    this.#serving.connections.forgetPeers();
  }
  async close(graceMs: number): Promise<void> {
    this.#serving.draining = true;
    this.#watch.end();
    clearInterval(this.#checks);
    this.#stopAccepting();
    await this.#serving.connections.close(graceMs);
  }

  /** Closes the socket. The http2 server's own close() would close all sessions at once. */
  #stopAccepting(): void {
    TlsServer.prototype.close.call(this.#server);
  }
}

function boundTo(
  server: TlsServer,
  { host, port, sharesPort = false }: ListenAddress,
): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Error(`cannot listen on ${host}, port ${port}: ${error.message}`, { cause: error }));
    server.once("error", fail);
    server.listen({ port, host, reusePort: sharesPort }, () => {
      server.off("error", fail);
      const at = server.address();
      if (at === null || typeof at === "string") reject(new Error(`Cannot listen on ${host}: no port was given`));
      else resolve({ address: at.address, port: at.port });
    });
  });
}

/** Calls `run`, and not again within a minute. */
function onceAMinute<T>(run: (value: T) => void): (value: T) => void {
  let last = -Infinity;
  return (value) => {
    const now = performance.now();
    if (now - last < 60_000) return;
    last = now;
    run(value);
  };
}
