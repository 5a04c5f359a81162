import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { limits } from "../../core/limits.ts";
import type { PeerAnswer } from "./peer-reader.ts";
import type { Answering, Response } from "./pump.ts";
import { ConnectionInput } from "./input.ts";
import { pace } from "./paced.ts";
import { RequestQueue } from "./request-queue.ts";
import { breakOff } from "./send.ts";
import { Turns } from "./turns.ts";

const isDeno = "Deno" in globalThis;

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
  /** Requests of the session. */
  queue: RequestQueue | undefined;
  /** Requests that are being answered, with what answers them. */
  readonly answers: Map<Answering, Response>;
  /** Whether there ever was a request. */
  used: boolean;
  /** When it was last accepted, secured or done with a request (performance.now()). */
  since: number;
  peer: PeerAnswer | undefined;
  /** What an HTTP/1.1 client sends; undefined before TLS is agreed on. */
  input: ConnectionInput | undefined;
  /** No request comes behind those that are being answered. */
  last: boolean;
  /** Its last answer is given: no further request is taken. */
  ended: boolean;
}

/** Every connection of a listener: who does nothing for too long is cut off, and at the end all are brought to a close. One timer
 *  looks after all of them, since a timer for each would be set anew with every request. */
export class Connections {
  readonly #all = new Map<string, Connection>();
  /** By TLS socket (HTTP/1.1) and by session (HTTP/2). */
  readonly #of = new WeakMap<object, Connection>();
  readonly #times: ConnectionTimes;
  readonly #sweeper: ReturnType<typeof setInterval>;
  readonly #turns = new Turns();
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
      queue: undefined,
      answers: new Map(),
      used: false,
      since: performance.now(),
      peer: undefined,
      input: undefined,
      last: false,
      ended: false,
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
    connection.input = new ConnectionInput(tls, connection.raw);
    this.#of.set(tls, connection);
    if (this.#closing) tls.destroy();
  }
  began(session: ServerHttp2Session): void {
    const connection = this.#all.get(remoteOf(session.socket));
    if (connection === undefined) return;
    connection.session = session;
    connection.queue = new RequestQueue(connection, this.#turns);
    if (isDeno && connection.tls !== undefined && connection.input !== undefined) pace(connection.tls, connection.input, this.#turns);
    this.#of.set(session, connection);
    if (isDeno) endLater(session, connection);
    // A session ends its side of the socket; a client may keep the other open for as long as it likes.
    connection.socket.once("finish", () => this.#linger(connection));
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
        const last = connection.last || (this.#closing && connection.session === undefined);
        if (last && answers.size === 0) this.#leave(connection);
      },
    };
    answers.set(answering, response);
    connection.used = true;
    return answering;
  }

  /** Ends an HTTP/1.1 connection behind its last answer, and reads nothing more. To destroy it at once would be a reset where the
   *  client still sends, which can cost it the answer (Go's server does the same). */
  hangUp(connection: Connection): void {
    connection.input?.stop();
    this.#leave(connection);
  }
  /** Ends an HTTP/1.1 connection of which nothing more is read: behind its answers if all of their requests came whole, else at once. */
  endAfterAnswers(connection: Connection): void {
    connection.last = true;
    const whole = [...connection.answers.values()].every((response) => response.req.complete);
    if (!whole) connection.socket.destroy();
    else if (connection.answers.size === 0) this.#leave(connection);
  }
  #leave(connection: Connection): void {
    if (connection.ended) return;
    connection.ended = true;
    connection.socket.end();
    this.#linger(connection);
  }
  #linger(connection: Connection): void {
    const timer = setTimeout(() => connection.socket.destroy(), limits.lingerMs);
    connection.raw.once("close", () => clearTimeout(timer));
  }

  /** Idle connections end now, HTTP/2 clients get a GOAWAY (in steps, because each comes back somewhere with a new handshake),
   *  what is being answered may finish. Resolves when all are gone; after `graceMs` those that are left are destroyed. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const deadline = performance.now() + graceMs;
    const sessions: Connection[] = [];
    for (const connection of this.#all.values()) {
      if (connection.session !== undefined) sessions.push(connection);
      else if (connection.answers.size === 0) endIdle(connection);
    }
    for (let at = 0; at < sessions.length; at += sessionsPerStep) {
      if (at > 0 && performance.now() + stepMs < deadline) await new Promise((resolve) => setTimeout(resolve, stepMs));
      for (const connection of sessions.slice(at, at + sessionsPerStep)) {
        const { answers, socket } = connection;
        // There is nothing that a reset could cost the client.
        if (answers.size === 0) socket.once("finish", () => socket.destroy());
        this.sendAway(connection);
      }
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

/** Deno 2.9.6 crashes where a session ends within the callback of a frame, as many frames of GOAWAY in one packet make it: it frees
 *  what it still reads from. So sessions end when the event loop has turned. */
function endLater(session: ServerHttp2Session, { input }: Connection): void {
  const close = session.close.bind(session), destroy = session.destroy.bind(session);
  session.close = (...args) => void setImmediate(() => session.closed || session.destroyed || close(...args));
  let ending = false;
  session.destroy = (...args) => {
    if (ending) return; // each further frame of a packet would fail it again
    ending = true;
    input?.stop();
    setImmediate(() => session.destroyed || destroy(...args));
  };
}

/** Not `end()`: the client would have to end its side too. Before TLS there is nothing to say. */
function endIdle({ tls, raw }: Connection): void {
  if (tls === undefined) raw.destroy();
  else tls.destroySoon();
}

const sessionsPerStep = 16;
const stepMs = 20;

function remoteOf(socket: { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined }): string {
  const { remoteAddress = "", remotePort = 0 } = socket;
  return remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
