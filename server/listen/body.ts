import type { Readable } from "node:stream";
import { afterIo } from "../../core/turns.ts";
import { tooLargeError } from "../../core/status-error.ts";
import type { Input } from "./input.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds that a response waits for the rest of a discarded body. */
export const discardMs = bound(100);
/** Bytes of a chunked body for each byte of its content. Go's server allows 16 for a chunk and two for a byte. */
const chunkBytesPerByteMax = bound(19);
/** Bytes that each chunked body may have in addition (as Go's server). */
const chunkOverheadBytesMax = bound(16 * 1024);
/** Bytes of a chunked body read before other connections are served. */
const chunkedTurnBytes = bound(64 * 1024);

/** The body of a request, and the bytes read of it so far. */
export interface IncomingBody {
  readonly source: Readable;
  readonly input: Input;
  /** Bytes of content read so far. */
  taken: number;
  /** Whether further content is discarded and not counted in `taken`. */
  discarded: boolean;
}

/**
 * Reads the whole body of a request, at most `limit` bytes. The rest of a rejected body is left to the caller, with the gate closed.
 *
 * @throws StatusError RequestEntityTooLarge once the body, or its announced length, exceeds the limit; AbortError if the client
 *   disconnects before the end
 */
export function readBody(body: IncomingBody, announced: string | undefined, limit: number): Promise<Uint8Array> {
  if (announced !== undefined && Number(announced) > limit) return Promise.reject(tooLarge(limit));
  const { source, input } = body;
  return new Promise((resolve, reject) => {
    const content = new Content(Number(announced ?? 0));
    const settle = (act: () => void): void => {
      source.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      act();
    };
    const onData = (chunk: Buffer): void => {
      body.taken += chunk.length;
      input.piece(chunk.length, body.taken);
      if (body.taken <= limit) return content.add(chunk);
      source.pause();
      input.gate(false);
      settle(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void => settle(() => resolve(content.whole()));
    const onClose = (cause?: unknown): void =>
      settle(() => reject(new Error("the client disconnected before its body was complete", { cause })));
    if (source.readableEnded) return resolve(new Uint8Array());
    if (source.destroyed) return onClose();
    input.gate(true);
    source.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

/** The error of a body of more than `limit` bytes. */
export function tooLarge(limit: number): Error {
  return tooLargeError(`limit is ${limit}`);
}

/**
 * The content of a body, copied into one buffer that grows towards the announced length. Pieces kept until the end would take twice
 * the memory, and a piece of one byte would retain the packet that it arrived in.
 */
export class Content {
  /** Bytes announced by the client. */
  readonly #announced: number;
  #buffer: Buffer | undefined;
  #filled = 0;

  constructor(announced: number) {
    this.#announced = announced;
  }
  add(piece: Buffer): void {
    if (this.#filled === 0 && piece.length === this.#announced) this.#buffer = piece; // the whole body, as a rule
    else {
      this.#withSpaceFor(this.#filled + piece.length).set(piece, this.#filled);
    }
    this.#filled += piece.length;
  }
  /** The content. A small one can be part of a pool: it is copied before it is transferred to another thread. */
  whole(): Uint8Array {
    return this.#buffer === undefined ? new Uint8Array() : this.#buffer.subarray(0, this.#filled);
  }
  /** The announced length is not allocated at once: a client can announce much and send little. */
  #withSpaceFor(bytes: number): Buffer {
    const before = this.#buffer;
    if (before !== undefined && bytes <= before.length) return before;
    const grown = Math.max(bytes, (before?.length ?? 0) * growth, leastBytes);
    const next = Buffer.allocUnsafeSlow(bytes <= this.#announced ? Math.min(grown, this.#announced) : grown);
    if (before !== undefined) next.set(before.subarray(0, this.#filled));
    this.#buffer = next;
    return next;
  }
}
const leastBytes = 16 * 1024, growth = 4;

/**
 * Bounds the overhead of a chunked body: calls `exceeded` once sizes, extensions and trailers are out of proportion to the content.
 * Parsers bound these for a single chunk at most. A packet can hold thousands of chunks of one byte, so other connections are served
 * between packets.
 */
export function boundChunks(body: IncomingBody, exceeded: () => void): void {
  const { source, input } = body;
  const first = input.received();
  let turn = first;
  const stop = input.watch(() => {
    const received = input.received(), content = body.taken + source.readableLength;
    if (!body.discarded && received - first > chunkOverheadBytesMax + chunkBytesPerByteMax * content) {
      stop();
      return exceeded();
    }
    if (received - turn < chunkedTurnBytes) return;
    turn = received;
    input.hold();
    afterIo(() => input.release());
  });
  source.once("end", stop).once("close", stop);
}

/**
 * Discards what a client still sends while its request is answered, so that it can read the answer. Calls `exceeded` once more than
 * `limit` bytes were discarded, even after the answer. Resolves at the end of the body, when it is exceeded, or after `discardMs`.
 */
export function discardRest(body: IncomingBody, limit: number, exceeded: () => void): Promise<void> {
  const { source, input } = body;
  body.discarded = true;
  const first = input.received();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, discardMs);
    const over = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = input.watch(() => {
      if (input.received() - first <= limit) return;
      over();
      exceeded();
    });
    source.once("end", over).once("close", over);
    input.gate(true);
    source.resume();
  });
}
