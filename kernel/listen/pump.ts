/** Writes chunks into a connection. One change goes through here for every watch, so that each write must be cheap. */
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import { limits } from "../../core/limits.ts";

/** Both protocols' responses; of what they share, only this is used. */
export type Response = ServerResponse | Http2ServerResponse;

/** A request that is being answered. */
export interface Answering {
  /** Since when its client has taken nothing (performance.now()); undefined while there is nothing for it to take. */
  waitsSince: number | undefined;
  /** It is over, however often that is said. */
  over(): void;
}

/**
 * Writes chunks as they come, one by one: after a write that fills the buffers nothing is pulled until the client has read on.
 * Resolves when all of them are written, or once `signal` aborts: then `return()` of the iterator is called and not awaited. Rejects
 * with whatever the iterator throws. `answering` is notified while the client is slow to read.
 */
export function pump(response: Response, chunks: AsyncIterator<Uint8Array>, signal: AbortSignal, answering: Answering): Promise<void> {
  // By hand: an async function makes promises of its own for every chunk, and a race against the signal would keep something of
  // each of them for as long as a watch lasts.
  return new Promise((resolve, reject) => {
    let over = false, begun = false;
    const begin = () => {
      begun = true;
      clearImmediate(flush);
    };
    // A head leaves with the first chunk, or alone when there is none yet: a watch may have nothing to say for minutes, and its
    // client waits for the status.
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
    const took = (next: IteratorResult<Uint8Array>) => {
      if (over) return;
      if (next.done !== true) return writeFrom(next.value, 0);
      end();
      resolve();
    };
    const pull = () => void chunks.next().then(took, failed);
    const writeFrom = (chunk: Uint8Array, from: number) => {
      try {
        for (let at = from; at < chunk.length; at += writeBytesMax) {
          const full = write(response, chunk.length <= writeBytesMax ? chunk : chunk.subarray(at, at + writeBytesMax), begun);
          if (!begun) begin();
          if (full === undefined) continue;
          answering.waitsSince = performance.now();
          full.once("drain", () => {
            if (over) return;
            answering.waitsSince = undefined;
            writeFrom(chunk, at + writeBytesMax);
          });
          return;
        }
        pull();
      } catch (error) {
        failed(error);
      }
    };
    signal.addEventListener("abort", gone, { once: true });
    if (signal.aborted) gone();
    else pull();
  });
}

/** Lets go of chunks that nobody wants. Not awaited: a generator that waits for its source returns only after that; whoever aborted
 *  the signal sees to it. */
export function stop(chunks: AsyncIterator<Uint8Array>): void {
  chunks.return?.().catch(() => {});
}

/** What one write takes is encrypted in one go and held until its client has read it, so that large chunks would make all others
 *  wait, and cost their size for each client. */
const writeBytesMax = 2 * limits.chunkBytes;

/** Writes one chunk; gives back who will tell that there is room again, where there is none left. */
function write(response: Response, chunk: Uint8Array, begun: boolean): Writable | undefined {
  // The classes of both protocols declare different overloads for the same call, hence the assertion.
  const http1 = response as ServerResponse;
  const socket = begun && http1.chunkedEncoding && chunk.length <= framedBytesMax ? http1.socket : null;
  // Behind a head that is out, and when it is this answer's turn on its connection, a chunk is written as node would write it, but
  // framed once for all and in one piece: that saves a fifth of what it costs.
  if (socket?.writable === true) return socket.write(framed(chunk)) ? undefined : socket;
  return http1.write(chunk) ? undefined : http1;
}

/** Larger ones would be copied for what it costs to write them in three pieces. */
const framedBytesMax = limits.chunkBytes;
/** Chunks that many watches have in common, by identity. */
const known = new WeakMap<Uint8Array, Uint8Array>();
const lineEnd = "\r\n";

/** A chunk between its size and the end of its line (RFC 9112, 7.1). */
function framed(chunk: Uint8Array): Uint8Array {
  const before = known.get(chunk);
  if (before !== undefined) return before;
  const made = Buffer.concat([Buffer.from(chunk.length.toString(16) + lineEnd), chunk, Buffer.from(lineEnd)]);
  known.set(chunk, made);
  return made;
}
