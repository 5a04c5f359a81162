/** One request to a server that may be hostile: everything that it sends before and beside the content of its answer has a bound. */
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { reasonOf } from "../../core/reason-of.ts";
import { TurnBound } from "./turn-bound.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of the head of an answer of another server, with the informational answers before it. */
export const remoteHeadBytesMax = bound(64 * 1024);
/** Informational answers (1xx) of another server before its answer (Go's http.Client). */
export const remoteInformationalMax = bound(5);
/** Bytes beside the content that each answer of another server may have, such as those of chunks. */
const remoteOverheadBytesMax = bound(16 * 1024);
/** Bytes beside the content that an answer of another server may have for each byte of its content: those of chunks of five bytes. */
const remoteOverheadShare = bound(1);

/** Milliseconds without bytes after which the system asks whether another server is still there (Go's net.Dialer). */
export const remoteKeepAliveMs = bound(30_000);

/** Bytes of another server's answer that are parsed at once: after each the bounds are checked. */
export const remoteSliceBytes = bound(2 * 1024);
/** Bytes of such slices, over all other servers, that one turn of the event loop parses; others wait for later turns. */
const remoteParsedBytesMax = bound(32 * 1024);

/** The head of a response, and how much of its content was read. */
export interface BegunResponse {
  readonly message: IncomingMessage;
  /** Counts content that was read: bytes beside it are bounded in proportion to it. */
  took(bytes: number): void;
  /** Why the response has ended early, if it was ended here; else the error of the stream. */
  reasonOf(error: unknown): unknown;
  /** The connection after status 101, paused, if the request allowed it. */
  readonly upgraded?: Upgraded;
}
/** A connection whose protocol has changed. */
export interface Upgraded {
  readonly socket: Socket;
  /** Bytes of the new protocol that have arrived with the head. Further ones may follow in the same turn of the event loop. */
  readonly early: Uint8Array[];
}

/** How a request differs from those for a document. */
export interface RequestManner {
  /** Whether the answer may switch to another protocol. */
  readonly mayUpgrade?: boolean;
  /** Bytes beside the content that the answer may have for each byte of its content. */
  readonly overheadShare?: number;
  /** Called when the connection is there, also if it has served another request. */
  readonly connected?: () => void;
}

/**
 * Sends a request; resolves with the head of its response. The response ends with an error when too many bytes arrive beside its content. Rejects
 * with an error that has the host and no secret, or with the reason of the signal, which ends the response as well.
 */
export function beginRequest(
  url: URL,
  options: RequestOptions,
  body: Uint8Array | AsyncIterable<Uint8Array> | undefined,
  signal: AbortSignal,
  { mayUpgrade = false, overheadShare = remoteOverheadShare, connected }: RequestManner = {},
): Promise<BegunResponse> {
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, { ...options, maxHeaderSize: remoteHeadBytesMax });
    const arrived = new Arrived(overheadShare, (text) => fail(new Error(`${url.host}: ${text}`)));
    let informational = 0, ended: { readonly reason: unknown } | undefined, input: SlicedInput | undefined, upgraded: Upgraded | undefined;
    const fail = (reason: unknown) => {
      ended ??= { reason };
      reject(reason);
      cancel(sent);
    };
    const abort = () => fail(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    sent.on("socket", (socket) => {
      // Deno would send any request again if a connection breaks that has served another one before: a write could be made twice.
      if (options.method !== "GET") sent.reusedSocket = false;
      whenConnected(socket, url.protocol, connected);
      input = slicePieces(socket, {
        next: (rest) => arrived.isPlain ? rest : Math.min(rest, remoteSliceBytes),
        begin(bytes) {
          arrived.receive(bytes);
          return ended === undefined;
        },
        parsed: (bytes) => arrived.isPlain ? undefined : parsing.took(bytes),
        left(rest) {
          upgraded?.early.push(rest);
          return upgraded !== undefined;
        },
      });
    });
    sent.on("information", () => {
      // Those of a slice are parsed to its end.
      const isOver = ended === undefined && ++informational > remoteInformationalMax;
      if (isOver) fail(new Error(`${url.host}: too many 1xx informational responses`));
    });
    sent.on("upgrade", (message, duplex, head) => {
      upgraded = upgradedBy(duplex as Socket, head, mayUpgrade && ended === undefined); // a Socket at run time
      if (upgraded === undefined) return fail(new Error(`${url.host}: the answer switches to another protocol`));
      signal.removeEventListener("abort", abort);
      resolve({ message, took() {}, reasonOf: (error) => error, upgraded });
    });
    sent.on("response", (message) => {
      arrived.begin(message);
      input?.began(message);
      resolve({ message, took: (bytes) => arrived.took(bytes), reasonOf: (error) => ended === undefined ? error : ended.reason });
    });
    sent.on("error", (error) => reject(signal.aborted ? signal.reason : new Error(`${url.host}: ${causeOf(error)}`, { cause: error })));
    sent.on("close", () => {
      signal.removeEventListener("abort", abort);
      reject(new Error(`${url.host}: the connection ended without an answer`)); // unless one of the above has happened
    });
    if (body === undefined || body instanceof Uint8Array) sent.end(body);
    else sendBody(sent, body).catch((error: unknown) => fail(error));
  });
}

/** Has a connection asked whether the other side is still there, and calls `connected`, when it is made. */
function whenConnected(socket: Socket, protocol: string, connected?: () => void): void {
  const made = (): void => {
    socket.setKeepAlive(true, remoteKeepAliveMs);
    connected?.();
  };
  if (socket.connecting) socket.once(protocol === "https:" ? "secureConnect" : "connect", made);
  else made();
}

/** Returns the paused connection of a switched protocol, with the bytes behind the head; undefined if it is refused. */
function upgradedBy(socket: Socket, head: Uint8Array, isWanted: boolean): Upgraded | undefined {
  socket.on("error", () => {});
  if (!isWanted) return void socket.destroy();
  socket.pause();
  return { socket, early: head.length === 0 ? [] : [head] };
}

/** Sends a body as the other server reads it. An answer may come before its end: the connection then ends with the answer. */
async function sendBody(sent: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of body) {
    if (sent.destroyed || sent.writableEnded) return;
    if (!sent.write(piece)) await drained(sent);
  }
  if (!sent.destroyed) sent.end();
}
function drained(sent: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sent.off("drain", done).off("close", done);
      resolve();
    };
    sent.on("drain", done).on("close", done);
    if (sent.destroyed) done();
  });
}

export interface Slices {
  /** Bytes of the next slice of so many. */
  next(rest: number): number;
  /** Whether a slice is to be parsed. */
  begin(bytes: number): boolean;
  /** Called after each slice; resolves when the next one may be parsed. */
  parsed(bytes: number): Promise<void> | undefined;
  /** Takes the bytes behind an answer, if they belong to another protocol. Otherwise the connection ends. */
  left?(rest: Uint8Array): boolean;
}
/** The input of a connection, in slices. */
export interface SlicedInput {
  /** Call it with the response when its head was parsed: whoever reads it does not make the connection go on while a slice waits. */
  began(message: IncomingMessage): void;
}

/** Of all requests. */
const parsing = new TurnBound(remoteParsedBytesMax);

/**
 * Gives the input of a connection to its parser in slices: a piece of input can hold thousands of informational answers or chunks, whose parsing
 * takes long. The runtime removes its parser after each answer.
 */
export function slicePieces(socket: Socket, { next, begin, parsed, left }: Slices): SlicedInput {
  let isWaiting = false, response: IncomingMessage | undefined;
  for (const parse of socket.listeners("data") as ((piece: unknown) => void)[]) {
    const isParsed = () => socket.listeners("data").includes(parse);
    const parseSlices = (piece: Buffer) => {
      for (let at = 0, bytes = 0; at < piece.length; at += bytes) {
        bytes = next(piece.length - at);
        if (!begin(bytes)) return;
        if (at > 0 && !isParsed()) return left?.(piece.subarray(at)) === true ? undefined : void socket.destroy(); // more than the answer
        parse.call(socket, piece.subarray(at, at + bytes));
        const turn = parsed(bytes), rest = piece.subarray(at + bytes);
        if (turn === undefined || rest.length === 0 || !isParsed() || socket.destroyed) continue;
        // The socket gives it again, before what follows and before its end.
        socket.pause().unshift(rest);
        isWaiting = true;
        return void turn.then(goOn);
      }
    };
    const goOn = () => {
      isWaiting = false;
      // A reader that is behind makes the connection go on when it reads.
      if (response === undefined || !isFull(response)) socket.resume();
    };
    // `off(parse)` removes it, as it removes a listener of `once()`.
    socket.off("data", parse).on("data", Object.assign(parseSlices, { listener: parse }));
  }
  return {
    began(message) {
      response = message;
      const read = message._read;
      message._read = (size) => isWaiting ? undefined : read.call(message, size);
    },
  };
}
function isFull({ readableLength, readableHighWaterMark }: IncomingMessage): boolean {
  return readableLength >= readableHighWaterMark;
}

/** Bytes of a connection while it has one response. */
class Arrived {
  readonly #exceeded: (text: string) => void;
  readonly #share: number;
  #bytes = 0;
  #head = 0;
  #taken = 0;
  #message: IncomingMessage | undefined;

  constructor(share: number, exceeded: (text: string) => void) {
    this.#share = share;
    this.#exceeded = exceeded;
  }
  begin(message: IncomingMessage): void {
    this.#message = message;
    this.#head = this.#bytes;
  }
  /** Whether the bytes that follow are content only. */
  get isPlain(): boolean {
    return this.#message !== undefined && this.#message.headers["transfer-encoding"] === undefined;
  }
  took(bytes: number): void {
    this.#taken += bytes;
  }
  /** Call it before each slice is parsed. */
  receive(bytes: number): void {
    const before = this.#bytes;
    this.#bytes += bytes;
    if (this.#message === undefined) {
      if (before > remoteHeadBytesMax) this.#exceeded(`the head of the answer is larger than ${remoteHeadBytesMax} bytes`);
      return;
    }
    const content = this.#taken + this.#message.readableLength;
    if (before - this.#head - content > remoteOverheadBytesMax + this.#share * content) {
      this.#exceeded("the answer consists of little but the frames of its chunks");
    }
  }
}

/** Ends a request. Deno would send it again, without an end, if its connection had served another one before. */
function cancel(sent: ClientRequest): void {
  sent.reusedSocket = false;
  sent.destroy();
}

/** Errors of several addresses are one error without a message. */
function causeOf(error: unknown): string {
  const { errors } = error as { readonly errors?: readonly unknown[] };
  return reasonOf(errors?.[0] ?? error) || String((error as { readonly code?: unknown }).code ?? "no connection");
}
