import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { PeerAnswer } from "./peer-reader.ts";
import type { Answering, Response } from "./pump.ts";
import { breakOff } from "./send.ts";

/** How long a connection may do nothing, in milliseconds. */
export interface ConnectionTimes {
  readonly handshakeMs: number;
  readonly firstRequestMs: number;
  readonly idleMs: number;
  /** How long a client may take nothing of an answer. */
  readonly stalledMs: number;
  /** How often the times are looked at. */
  readonly sweepMs: number;
}

// accepted ──> secured ──> (HTTP/2 only) session, at any moment ──> gone
export interface Connection {
  readonly remote: string;
  /** The socket below TLS. */
  readonly raw: Socket;
  /** What to destroy: the socket, the TLS socket once there is one. */
  socket: Socket;
  tls: TLSSocket | undefined;
  session: ServerHttp2Session | undefined;
  /** Requests that are being answered, with what answers them. */
  readonly answers: Map<Answering, Response>;
  /** Whether there ever was a request. */
  used: boolean;
  /** When it was last accepted, secured or done with a request (performance.now()). */
  since: number;
  peer: PeerAnswer | undefined;
}

/** Every connection of a listener: who does nothing for too long is cut off, and at the end all are brought to a close. One timer
 *  looks after all of them, since a timer for each would be set anew with every request. */
export class Connections {
  readonly #all = new Map<string, Connection>();
  /** By TLS socket (HTTP/1.1) and by session (HTTP/2). */
  readonly #of = new WeakMap<object, Connection>();
  readonly #times: ConnectionTimes;
  readonly #sweeper: ReturnType<typeof setInterval>;
  #closing = false;
  #emptied: () => void = () => {};

  constructor(times: ConnectionTimes) {
    this.#times = times;
    this.#sweeper = setInterval(() => this.#sweep(performance.now()), times.sweepMs);
  }

  accepted(socket: Socket): void {
    const remote = remoteOf(socket);
    socket.setNoDelay(true);
    const connection: Connection = {
      remote,
      raw: socket,
      socket,
      tls: undefined,
      session: undefined,
      answers: new Map(),
      used: false,
      since: performance.now(),
      peer: undefined,
    };
    this.#all.set(remote, connection);
    socket.once("close", () => {
      if (this.#all.get(remote) === connection) this.#all.delete(remote);
      if (this.#all.size === 0) this.#emptied();
    });
  }
  /** A TLS socket's addresses are those of the socket below it. */
  secured(tls: TLSSocket): void {
    const connection = this.#all.get(remoteOf(tls));
    if (connection === undefined) return;
    connection.tls = tls;
    connection.socket = tls;
    connection.since = performance.now();
    this.#of.set(tls, connection);
  }
  began(session: ServerHttp2Session): void {
    const connection = this.#all.get(remoteOf(session.socket));
    if (connection === undefined) return;
    connection.session = session;
    this.#of.set(session, connection);
    if (this.#closing) session.close();
  }
  /** What clients have shown is to be judged again. */
  forgetPeers(): void {
    for (const connection of this.#all.values()) connection.peer = undefined;
  }
  /** An HTTP/2 client sends nothing new on this connection; it ends with what is under way. */
  sendAway({ session }: Connection): void {
    if (session !== undefined && !session.closed && !session.destroyed) session.close();
  }
  of(carrier: object): Connection | undefined {
    return this.#of.get(carrier);
  }
  /** A request begins. */
  opened(connection: Connection, response: Response): Answering {
    const { answers } = connection;
    const answering: Answering = {
      waitsSince: undefined,
      over: () => {
        if (!answers.delete(answering)) return;
        connection.since = performance.now();
        if (this.#closing && answers.size === 0 && connection.session === undefined) connection.socket.end();
      },
    };
    answers.set(answering, response);
    connection.used = true;
    return answering;
  }

  /** Idle connections end now, HTTP/2 clients are told to go (in steps, because each comes back somewhere with a new handshake),
   *  what is being answered may finish. Resolves when all are gone; after `graceMs` those that are left are destroyed. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const deadline = performance.now() + graceMs;
    const sessions: Connection[] = [];
    for (const connection of this.#all.values()) {
      if (connection.session !== undefined) sessions.push(connection);
      else if (connection.answers.size === 0) connection.socket.end();
    }
    for (let at = 0; at < sessions.length; at += sessionsPerStep) {
      if (at > 0 && performance.now() + stepMs < deadline) await new Promise((resolve) => setTimeout(resolve, stepMs));
      for (const connection of sessions.slice(at, at + sessionsPerStep)) this.sendAway(connection);
    }
    await this.#empty(deadline - performance.now());
    clearInterval(this.#sweeper);
    for (const { session, socket } of this.#all.values()) {
      session?.destroy();
      socket.destroy();
    }
  }

  #empty(withinMs: number): Promise<void> {
    if (this.#all.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, withinMs));
      this.#emptied = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  #sweep(now: number): void {
    for (const connection of this.#all.values()) {
      const { answers, tls, used, since, session, socket } = connection;
      for (const [{ waitsSince }, response] of answers) {
        if (waitsSince !== undefined && now - waitsSince > this.#times.stalledMs) breakOff(response);
      }
      if (answers.size > 0) continue;
      const allowed = tls === undefined ? this.#times.handshakeMs : used ? this.#times.idleMs : this.#times.firstRequestMs;
      if (now - since <= allowed) continue;
      // A session says goodbye first; one that is still there at the next look is destroyed.
      if (session === undefined || session.closed) socket.destroy();
      else session.close();
    }
  }
}

/** Lets bytes of an HTTP/1.1 client in, or holds them back. Deno 2.9.6 reads on from a TLS socket that was paused and keeps what it
 *  reads, without any bound: a client could fill the memory with a body that nobody asked for. What stops it there is its handle
 *  of the socket below, which has no public name; where it is missing nothing is done. Node heeds the pause, HTTP/2 has windows. */
export function letIn({ raw, session }: Connection, open: boolean): void {
  if (session !== undefined || !("Deno" in globalThis)) return;
  const { _handle: handle } = raw as { _handle?: { readStart?(): unknown; readStop?(): unknown } | null };
  if (typeof handle?.readStart !== "function" || typeof handle.readStop !== "function") return;
  if (open) handle.readStart();
  else handle.readStop();
}

const sessionsPerStep = 16;
const stepMs = 20;

function remoteOf(socket: { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined }): string {
  const { remoteAddress = "", remotePort = 0 } = socket;
  return remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
