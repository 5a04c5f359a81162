/** A connection whose protocol has changed, as bytes in both directions. */
import type { Socket } from "node:net";
import { bound } from "../../core/bound.ts";
import type { Upgraded } from "../remote/begin-request.ts";
import { TurnBound } from "../remote/turn-bound.ts";

/** Milliseconds for which the bytes that were sent last may still leave when a channel is closed. */
export const channelLingerMs = bound(10_000);
/** Milliseconds without bytes after which the system asks whether the other side is still there (Go's net.Dialer). */
export const channelKeepAliveMs = bound(30_000);

/** Bytes of the pieces of all channels that one turn of the event loop takes; others wait for later turns. */
const channelTurnBytesMax = bound(64 * 1024);

/** Bytes in both directions. */
export interface SocketChannel {
  readonly received: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void> | undefined;
  close(): void;
}

/**
 * Returns the channel of a connection. It is read while its bytes are taken, and paused otherwise. `signal` ends it. The pieces are
 * taken from events, because only a paused socket stops its input on all runtimes (`tls/stop-while-paused.ts`).
 */
export function channelOf({ socket, early }: Upgraded, signal: AbortSignal): SocketChannel {
  const close = (): void => endSoon(socket);
  socket.setKeepAlive(true, channelKeepAliveMs);
  if (signal.aborted) close();
  else {
    signal.addEventListener("abort", close, { once: true });
    socket.once("close", () => signal.removeEventListener("abort", close));
  }
  return {
    received: { [Symbol.asyncIterator]: () => new Received(socket, early) },
    send(bytes) {
      if (socket.destroyed || socket.write(bytes)) return undefined;
      return new Promise((resolve) => {
        const done = (): void => {
          socket.off("drain", done).off("close", done);
          resolve();
        };
        socket.on("drain", done).on("close", done);
      });
    },
    close,
  };
}

/** Ends a connection as soon as the bytes that were sent have left, or after `channelLingerMs`. */
function endSoon(socket: Socket): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), channelLingerMs);
  socket.once("close", () => clearTimeout(timer)).destroySoon();
}

/** The pieces of a connection. One waits at most, with those of the same turn of the event loop. */
class Received implements AsyncIterator<Uint8Array, undefined> {
  readonly #socket: Socket;
  readonly #pieces: Uint8Array[];
  #isOver = false;
  #taker: ((next: IteratorResult<Uint8Array, undefined>) => void) | undefined;

  constructor(socket: Socket, early: Uint8Array[]) {
    this.#socket = socket;
    this.#pieces = early;
    socket.on("data", this.#took).once("end", this.#over).once("close", this.#over);
    socket.pause();
    if (socket.destroyed || socket.readableEnded) this.#isOver = true;
  }
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) return new Promise((resolve) => give(piece, resolve));
    if (this.#isOver) return Promise.resolve(over);
    return new Promise((resolve) => {
      this.#taker = resolve;
      this.#socket.resume();
    });
  }
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    endSoon(this.#socket);
    this.#over();
    return Promise.resolve(over);
  }
  readonly #took = (piece: Uint8Array): void => {
    const taker = this.#taker;
    this.#taker = undefined;
    this.#socket.pause();
    if (taker === undefined) this.#pieces.push(piece);
    else give(piece, taker);
  };
  readonly #over = (): void => {
    this.#isOver = true;
    const taker = this.#taker;
    this.#taker = undefined;
    taker?.(over);
    endSoon(this.#socket);
  };
}
const passing = new TurnBound(channelTurnBytesMax);
/** Gives a piece to its reader, whose work with it may be much more than the bytes suggest. */
function give(value: Uint8Array, taker: (next: IteratorResult<Uint8Array, undefined>) => void): void {
  const later = passing.took(value.length), given = () => taker({ done: false, value });
  if (later === undefined) given();
  else void later.then(given);
}
const over: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });
