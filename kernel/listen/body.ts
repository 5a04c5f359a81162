import type { Readable } from "node:stream";
import { limits } from "../../core/limits.ts";
import { tooLargeError } from "../../core/status-error.ts";
import type { Input } from "./input.ts";

/** The body of a request, and how much of it was read. */
export interface IncomingBody {
  readonly source: Readable;
  readonly input: Input;
  /** Bytes of content. */
  taken: number;
  /** What comes is thrown away, and not counted here. */
  discarded: boolean;
}

/** The whole body of a request. Refused with RequestEntityTooLarge as soon as it, or its announced length, is over `limit`
 *  bytes; an AbortError when the client goes away before the end. The rest of a refused body is left to the caller, behind a closed gate. */
export function readBody(body: IncomingBody, announced: string | undefined, limit: number): Promise<Uint8Array> {
  if (announced !== undefined && Number(announced) > limit) return Promise.reject(tooLarge(limit));
  const { source, input } = body;
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    const settle = (act: () => void): void => {
      source.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      act();
    };
    const onData = (chunk: Buffer): void => {
      body.taken += chunk.length;
      input.piece();
      if (body.taken <= limit) return pieces.add(chunk);
      source.pause();
      input.gate(false);
      settle(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void => settle(() => resolve(pieces.joined()));
    const onClose = (cause?: unknown): void =>
      settle(() => reject(new Error("the client went away before its body was complete", { cause })));
    if (source.readableEnded) return resolve(new Uint8Array());
    if (source.destroyed) return onClose();
    input.gate(true);
    source.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

function tooLarge(limit: number): Error {
  return tooLargeError(`limit is ${limit}`);
}

/** Pieces of a body. Small ones are copied together: a piece of one byte costs hundreds, and keeps the packet that it came in. */
class Pieces {
  readonly #pieces: Buffer[] = [];
  /** What small ones are copied into, and how much of it is filled. */
  #block: Buffer | undefined;
  #filled = 0;

  add(piece: Buffer): void {
    // One piece is the whole body as a rule.
    if (piece.length >= blockBytes / 4 || (this.#pieces.length === 0 && this.#filled === 0)) {
      this.#flush();
      this.#pieces.push(piece);
      return;
    }
    if (this.#filled + piece.length > blockBytes) this.#flush();
    this.#block ??= Buffer.allocUnsafeSlow(blockBytes);
    this.#block.set(piece, this.#filled);
    this.#filled += piece.length;
  }
  joined(): Buffer {
    this.#flush();
    const [first] = this.#pieces;
    return first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
  }
  #flush(): void {
    if (this.#block === undefined) return;
    this.#pieces.push(this.#block.subarray(0, this.#filled));
    this.#block = undefined;
    this.#filled = 0;
  }
}
const blockBytes = 16 * 1024;

/**
 * Bounds what a body in chunks costs beside its content: `exceeded` is called once sizes, extensions and trailers are out of
 * proportion to it. Parsers bound these for a single chunk at most. Chunks may be of one byte, so that a packet holds thousands:
 * other connections get their turn between packets.
 */
export function boundChunks(body: IncomingBody, exceeded: () => void): void {
  const { source, input } = body;
  const first = input.received();
  let turn = first;
  const stop = input.watch(() => {
    const received = input.received(), content = body.taken + source.readableLength;
    if (!body.discarded && received - first > limits.chunkOverheadBytesMax + limits.chunkBytesPerByteMax * content) {
      stop();
      return exceeded();
    }
    if (received - turn < limits.chunkedTurnBytes) return;
    turn = received;
    input.hold();
    setImmediate(() => input.release());
  });
  source.once("end", stop).once("close", stop);
}

/** How long an answer waits for the rest of a body that nobody wants. */
const restMs = 100;

/**
 * Reads on and throws away what a client still sends when it is being answered, so that it gets to read the answer. `exceeded` is
 * called once more than `limit` bytes came, be it after the answer. Resolves when the body is over, when it is exceeded, or after a
 * moment.
 */
export function discardRest(body: IncomingBody, limit: number, exceeded: () => void): Promise<void> {
  const { source, input } = body;
  body.discarded = true;
  const first = input.received();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs);
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
