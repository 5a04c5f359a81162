import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { BodyTurns } from "./body-turns.ts";
import type { PeerAnswer } from "./peer-reader.ts";
import type { Answering } from "./answering.ts";
import { connectionsUnder } from "./descriptors.ts";
import { ConnectionInput } from "./input.ts";
import { pace } from "./frame-pacing.ts";
import { RequestQueue } from "./request-queue.ts";
import { StepScheduler } from "./step-scheduler.ts";
import { bound } from "../../core/bound.ts";
import { lingerMs } from "./bounds.ts";

/** HTTP/2 sessions that get a GOAWAY in one step of a shutdown. */
const goawaysPerStep = bound(16);
/** Milliseconds between two steps of a shutdown in which HTTP/2 sessions get a GOAWAY. */
const goawayStepMs = bound(20);
/** The smallest maximum of connections that is derived from their number when accepting failed, where the limit of open files is not known. */
const connectionsLearnedMin = bound(256);
/** Share of the connections without a request in progress that are closed at once when there are too many. */
const connectionsClosedShare = bound(1 / 64);

const isDeno = "Deno" in globalThis;

/** Timeouts of connections in milliseconds. */
export interface ConnectionTimes {
  readonly handshakeMs: number;
  readonly firstRequestMs: number;
  readonly idleMs: number;
  /** Maximum time in which a client reads nothing of an answer. */
  readonly stalledMs: number;
  /** Interval at which the timeouts are checked. */
  readonly sweepMs: number;
}

/** An HTTP/2 session, of the runtime or our own. */
export interface Session {
  /** Whether GOAWAY was sent. */
  readonly closed: boolean;
  readonly destroyed: boolean;
  /** Since when the socket has taken nothing (performance.now()), if that is known. */
  readonly writingSince?: number | undefined;
  /** Sends GOAWAY. */
  close(): void;
  destroy(): void;
}

// accepted ──> handshake completed ──> (HTTP/2 only) session, from any state ──> closed
export interface Connection {
  readonly remote: string;
  /** The socket below TLS. */
  readonly raw: Socket;
  /** The socket to destroy: the TLS socket once it exists. */
  socket: Socket;
  tls: TLSSocket | undefined;
  session: Session | undefined;
  /** The queued requests of an HTTP/2 session of the runtime. */
  queue: RequestQueue | undefined;
  /** Requests in progress. */
  readonly answers: Set<Answering>;
  /** Whether a request was received. */
  used: boolean;
  /** Time of the last accept, handshake or end of a request (performance.now()). */
  since: number;
  peer: PeerAnswer | undefined;
  /** Input of an HTTP/1.1 connection; undefined before the handshake. */
  input: ConnectionInput | undefined;
  /** Whether the requests in progress are the last ones. */
  last: boolean;
  /** Whether the last answer was sent: no further request is accepted. */
  ended: boolean;
}

/** All connections of a listener: closes idle ones, and all at shutdown. One timer checks all of them, because a timer for each would
 *  be reset with every request. */
export class Connections {
  readonly #all = new Map<string, Connection>();
  /** Connections by TLS socket (HTTP/1.1) and by session (HTTP/2). */
  readonly #of = new WeakMap<object, Connection>();
  readonly #times: ConnectionTimes;
  readonly #sweeper: ReturnType<typeof setInterval>;
  readonly turns = new StepScheduler();
  readonly #bodies = new BodyTurns();
  /** Connections above which silent ones are closed. */
  #max: number;
  #accepted = 0;
  #peak = 0;
  readonly #onFull: (max: number) => void;
  #closing = false;
  #emptied: () => void = () => {};

  /** `onFull` is called when connections are closed because there are more than `max`. */
  constructor(times: ConnectionTimes, max = Infinity, onFull: (max: number) => void = () => {}) {
    this.#times = times;
    this.#max = max;
    this.#onFull = onFull;
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
      answers: new Set(),
      used: false,
      since: performance.now(),
      peer: undefined,
      input: undefined,
      last: false,
      ended: false,
    };
    this.#all.set(remote, connection);
    this.#accepted++;
    if (this.#all.size > this.#max) this.#makeRoom(connection);
    this.#peak = Math.max(this.#peak, this.#all.size);
    socket.once("close", () => {
      if (this.#all.get(remote) === connection) this.#all.delete(remote);
      if (this.#all.size === 0) this.#emptied();
    });
  }
  /** Number of connections that were accepted so far. */
  get acceptedCount(): number {
    return this.#accepted;
  }
  /** Whether a connection from this port of this machine is open. */
  isFrom(port: number): boolean {
    for (const { raw } of this.#all.values()) if (raw.remotePort === port) return true;
    return false;
  }
  /** Accepting has failed: where the limit of open files is not known, the most connections so far are taken for it. */
  learnMax(): void {
    if (this.#max === Infinity) this.#max = Math.max(connectionsLearnedMin, connectionsUnder(this.#peak));
  }
  /** Closes the oldest connections without a request in progress, those without any request first; the newest one if there are none. */
  #makeRoom(newest: Connection): void {
    const silent = [...this.#all.values()].filter((each) => each !== newest && each.answers.size === 0);
    silent.sort((a, b) => Number(a.used) - Number(b.used) || a.since - b.since);
    // Several at once: the next connections need no sorting.
    const closed = silent.length === 0 ? [newest] : silent.slice(0, 1 + Math.floor(silent.length * connectionsClosedShare));
    for (const { remote, socket } of closed) {
      this.#all.delete(remote);
      socket.destroy();
    }
    this.#onFull(this.#max);
  }
  /** Finds the connection by its addresses: a TLS socket has those of its raw socket. */
  handshakeCompleted(tls: TLSSocket): void {
    const connection = this.#all.get(remoteOf(tls));
    if (connection === undefined) return;
    connection.tls = tls;
    connection.socket = tls;
    connection.since = performance.now();
    connection.input = new ConnectionInput(tls, connection.raw, this.#bodies);
    this.#of.set(tls, connection);
    if (this.#closing) tls.destroy();
  }
  /** Registers a session of the runtime. */
  began(session: ServerHttp2Session): void {
    const connection = this.#all.get(remoteOf(session.socket));
    if (connection === undefined) return;
    connection.queue = new RequestQueue({ session, input: connection.input }, this.turns);
    if (isDeno && connection.tls !== undefined && connection.input !== undefined) pace(connection.tls, connection.input, this.turns);
    this.#of.set(session, connection);
    if (isDeno) endLater(session, connection);
    this.beganOn(connection, session);
  }
  /** Registers a session. */
  beganOn(connection: Connection, session: Session): void {
    connection.session = session;
    // A session ends only its own side of the socket; a client could keep the other side open.
    connection.socket.once("finish", () => this.#linger(connection));
    if (this.#closing) session.close();
  }
  /** Discards verdicts on client certificates; they are verified again. */
  forgetPeers(): void {
    for (const connection of this.#all.values()) connection.peer = undefined;
  }
  /** Sends GOAWAY: the client opens no new streams, and the connection ends with those in progress. */
  sendAway({ session }: Connection): void {
    if (session !== undefined && !session.closed && !session.destroyed) session.close();
  }
  /** Ends the HTTP/2 connection whose socket has taken nothing for the longest time. Returns whether there was one. */
  endSlowest(): boolean {
    let slowest: Session | undefined, since = Infinity;
    for (const { session } of this.#all.values()) {
      if (session?.writingSince === undefined || session.writingSince >= since) continue;
      slowest = session;
      since = session.writingSince;
    }
    slowest?.destroy();
    return slowest !== undefined;
  }
  of(carrier: object): Connection | undefined {
    return this.#of.get(carrier);
  }
  /** Registers a request in progress. */
  opened(connection: Connection, answering: Answering): void {
    connection.answers.add(answering);
    connection.used = true;
  }
  /** Marks a request as finished; may be called repeatedly. */
  over(connection: Connection, answering: Answering): void {
    if (!connection.answers.delete(answering)) return;
    connection.since = performance.now();
    const last = connection.last || (this.#closing && connection.session === undefined);
    if (last && connection.answers.size === 0) this.#leave(connection);
  }

  /** Ends an HTTP/1.1 connection after its last answer, and stops reading. Destroying it at once would reset the connection while the
   *  client still sends, which can lose the answer (Go's server does the same). */
  hangUp(connection: Connection): void {
    connection.input?.stop();
    this.#leave(connection);
  }
  /** Ends an HTTP/1.1 connection that is no longer read: after its answers if all of their requests are complete, else at once. */
  endAfterAnswers(connection: Connection): void {
    connection.last = true;
    const whole = [...connection.answers].every(({ isWhole }) => isWhole);
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
    const timer = setTimeout(() => connection.socket.destroy(), lingerMs);
    connection.raw.once("close", () => clearTimeout(timer));
  }

  /** Ends idle connections at once, sends GOAWAY to HTTP/2 clients (in steps, because each reconnects with a new handshake), and lets
   *  requests in progress finish. Resolves when all are closed; those that remain after `graceMs` are destroyed. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const deadline = performance.now() + graceMs;
    const sessions: Connection[] = [];
    for (const connection of this.#all.values()) {
      if (connection.session !== undefined) sessions.push(connection);
      else if (connection.answers.size === 0) endIdle(connection);
    }
    for (let at = 0; at < sessions.length; at += goawaysPerStep) {
      if (at > 0 && performance.now() + goawayStepMs < deadline) {
        await new Promise((resolve) => setTimeout(resolve, goawayStepMs));
      }
      for (const connection of sessions.slice(at, at + goawaysPerStep)) {
        const { answers, socket } = connection;
        // No answer can be lost by a reset.
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
  #isStalled(since: number | undefined, now: number): boolean {
    return since !== undefined && now - since > this.#times.stalledMs;
  }
  #sweep(now: number): void {
    for (const connection of this.#all.values()) {
      const { answers, tls, used, since, session, socket } = connection;
      for (const answering of answers) if (this.#isStalled(answering.waitsSince, now)) answering.breakOff();
      if (this.#isStalled(session?.writingSince, now)) {
        socket.destroy();
        continue;
      }
      if (answers.size > 0) continue;
      const allowed = tls === undefined ? this.#times.handshakeMs : used ? this.#times.idleMs : this.#times.firstRequestMs;
      if (now - since <= allowed) continue;
      // A session sends GOAWAY first; if it remains at the next check, it is destroyed.
      if (session === undefined || session.closed) socket.destroy();
      else session.close();
    }
  }
}

/** Ends a session in a later turn of the event loop: Deno 2.9.6 crashes if a session ends within the callback of a frame, as with many
 *  GOAWAY frames in one packet, because it frees memory that it still reads. */
function endLater(session: ServerHttp2Session, { input }: Connection): void {
  const close = session.close.bind(session), destroy = session.destroy.bind(session);
  session.close = (...args) => void setImmediate(() => session.closed || session.destroyed || close(...args));
  let ending = false;
  session.destroy = (...args) => {
    if (ending) return; // each further frame of the packet would raise an error again
    ending = true;
    input?.stop();
    setImmediate(() => session.destroyed || destroy(...args));
  };
}

/** Not `end()`, which waits for the client's end. Before TLS nothing can be sent. */
function endIdle({ tls, raw }: Connection): void {
  if (tls === undefined) raw.destroy();
  else tls.destroySoon();
}

function remoteOf(socket: { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined }): string {
  const { remoteAddress = "", remotePort = 0 } = socket;
  return remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
