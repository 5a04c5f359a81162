/** Writes chunks to a connection. Each event is written once for every watch, so a write must be cheap. */
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import type { ChunkIterator } from "../../kernel/request/exchange.ts";
import { writeBytesMax } from "../../protocols/http2/frame-writer.ts";
import { chunkBytes } from "../../kernel/objects/chunks.ts";

/** Responses of both protocols; only their common part is used. */
export type Response = ServerResponse | Http2ServerResponse;

/** A request in progress. */
export interface Answering {
  /** Since when its client has read nothing (performance.now()); undefined while nothing waits to be read. */
  waitsSince: number | undefined;
  /** Whether the request was received to its end. */
  readonly isWhole: boolean;
  /** Ends the response so that the client detects the failure. */
  breakOff(): void;
}

/**
 * Writes chunks one by one: after a write that fills the buffers nothing is pulled until the client has read. Resolves when all of them
 * are written, or once `signal` aborts: then `return()` of the iterator is called and not awaited. Rejects with the iterator's error.
 * `answering` is updated while the client is slow to read.
 */
export function pump(response: Response, chunks: ChunkIterator, signal: AbortSignal, answering: Answering): Promise<void> {
  // Without async functions: they create promises for every chunk, and a race against the signal would retain memory for each chunk for
  // as long as the watch lasts.
  return new Promise((resolve, reject) => {
    let over = false, begun = false;
    const begin = () => {
      begun = true;
      clearImmediate(flush);
    };
    // The head is sent with the first chunk, or alone if there is none yet: a watch may have no event for minutes, and its client waits
    // for the status.
    const flush = setImmediate(() => {
      begin();
      (response as ServerResponse).flushHeaders();
    });
    const end = () => {
      over = true;
      clearImmediate(flush);
      signal.removeEventListener("abort", gone);
    };
    const gone = () => {
      end();
      stop(chunks);
      resolve();
    };
    const failed = (error: unknown) => {
      if (over) return;
      end();
      reject(error);
    };
    const took = (next: IteratorResult<Uint8Array, unknown>) => {
      if (send(next)) pull();
    };
    /** Returns whether the next chunk can be written now. */
    const send = (next: IteratorResult<Uint8Array, unknown>): boolean => {
      if (over) return false;
      if (next.done !== true) return writeFrom(next.value, 0);
      end();
      resolve();
      return false;
    };
    const pull = chunks.poll === undefined ? () => void chunks.next().then(took, failed) : () => {
      try {
        for (let next = chunks.poll!(pull); next !== undefined && send(next); next = chunks.poll!(pull));
      } catch (error) {
        failed(error);
      }
    };
    /** Returns whether all of it was written. */
    const writeFrom = (chunk: Uint8Array, from: number): boolean => {
      try {
        for (let at = from; at < chunk.length; at += writeBytesMax) {
          const full = write(response, chunk.length <= writeBytesMax ? chunk : chunk.subarray(at, at + writeBytesMax), begun);
          if (!begun) begin();
          if (full === undefined) continue;
          answering.waitsSince = performance.now();
          full.once("drain", () => {
            if (over) return;
            answering.waitsSince = undefined;
            if (writeFrom(chunk, at + writeBytesMax)) pull();
          });
          return false;
        }
        return true;
      } catch (error) {
        failed(error);
        return false;
      }
    };
    signal.addEventListener("abort", gone, { once: true });
    if (signal.aborted) gone();
    else pull();
  });
}

/** Ends an iterator whose chunks are no longer needed. Not awaited: a generator that waits for its source returns only after that; the
 *  caller has aborted the signal. */
export function stop(chunks: ChunkIterator): void {
  chunks.return?.().catch(() => {});
}

/** Writes one chunk; returns the stream whose "drain" event to await if the buffers are full. */
function write(response: Response, chunk: Uint8Array, begun: boolean): Writable | undefined {
  // The classes of both protocols declare different overloads for the same call, hence the assertion.
  const http1 = response as ServerResponse;
  const socket = begun && http1.chunkedEncoding && chunk.length <= framedBytesMax ? http1.socket : null;
  // After the head, and when this answer is the current one of its connection, a chunk is written as node would, but framed once for all
  // clients and in one write: that saves a fifth of the cost.
  if (socket?.writable === true) return socket.write(framed(chunk)) ? undefined : socket;
  return http1.write(chunk) ? undefined : http1;
}

/** Maximum bytes of a chunk that is copied into its frame; above, the copy costs more than three writes. */
const framedBytesMax = chunkBytes;
/** Framed chunks that many watches share, by identity. */
const known = new WeakMap<Uint8Array, Uint8Array>();
const lineEnd = "\r\n";
const toBytes = new TextEncoder();

/**
 * A chunk with its size line and the line end (RFC 9112, section 7.1). It is kept for as long as the chunk, so it has memory of its own: a small
 * Buffer would keep the whole block of Node's pool.
 */
export function framed(chunk: Uint8Array): Uint8Array {
  const before = known.get(chunk);
  if (before !== undefined) return before;
  const head = chunk.length.toString(16) + lineEnd;
  const made = new Uint8Array(head.length + chunk.length + lineEnd.length);
  toBytes.encodeInto(head, made);
  made.set(chunk, head.length);
  toBytes.encodeInto(lineEnd, made.subarray(head.length + chunk.length));
  known.set(chunk, made);
  return made;
}
