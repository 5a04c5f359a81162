import type { ServerResponse } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { limits } from "../../core/limits.ts";
import type { Exchange, Reply } from "../exchange.ts";

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
 * Writes a reply. Resolves once all of it is handed to the connection, or the client is gone.
 *
 * A whole body goes out with its content-length. Chunks go out one by one: after a write that fills the buffers nothing is pulled
 * until the client has read on; when the client goes away, the iterator is told to return and not waited for. An iterator that
 * throws breaks the stream off, so that the client cannot mistake what it got for a whole answer. `answering` is told while the
 * client is waited for; whoever looks after connections gives up one that takes nothing.
 */
export async function send(
  response: Response,
  reply: Reply,
  head: boolean,
  exchange: Pick<Exchange, "signal">,
  answering: Answering,
): Promise<void> {
  const { body, status } = reply;
  if (typeof body === "string" || body instanceof Uint8Array) {
    // As bytes: a text would take the head along into its encoding, and UTF-8 in headers stands byte by byte already.
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    // An answer that has no body by its status must not name a length either.
    writeHead(response, status, status === 204 || status === 304 ? reply.headers : { ...reply.headers, "content-length": bytes.length });
    if (head) response.end();
    else response.end(bytes);
    answering.waitsSince = performance.now();
    return;
  }
  writeHead(response, status, reply.headers);
  const chunks = body[Symbol.asyncIterator]();
  const giveUp = (): void => {
    if (answering.waitsSince !== undefined) breakOff(response);
  };
  // Asked for only here: a whole body needs none, and not every request has one made.
  const { signal } = exchange;
  if (head) {
    stop(chunks);
    response.end();
    return;
  }
  reply.givenUp?.addEventListener("abort", giveUp, { once: true });
  try {
    await pump(response, chunks, signal, answering);
  } catch (error) {
    breakOff(response);
    throw error;
  }
  if (signal.aborted) return;
  response.end();
  answering.waitsSince = performance.now();
}

/** Lets go of a reply whose client went away before any of it was sent. */
export function notWanted({ body }: Reply): void {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) stop(body[Symbol.asyncIterator]());
}

/** Ends a response in a way that a client sees as a failure. */
export function breakOff(response: Response): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

async function pump(response: Response, chunks: AsyncIterator<Uint8Array>, signal: AbortSignal, answering: Answering): Promise<void> {
  const until = untilAborted(signal);
  // A head leaves with the first chunk, or alone when there is none yet: a watch may have nothing to say for minutes, and its
  // client waits for the status.
  const flush = setImmediate(() => flushHeaders(response));
  try {
    while (!signal.aborted) {
      const next = await until(chunks.next());
      if (next === undefined) break;
      if (next.done === true) return;
      clearImmediate(flush);
      for (const part of writes(next.value)) {
        if (write(response, part)) continue;
        answering.waitsSince = performance.now();
        await until(drained(response));
        if (signal.aborted) break;
        answering.waitsSince = undefined;
      }
    }
    stop(chunks);
  } finally {
    clearImmediate(flush);
  }
}

/** A chunk as it is written: what one write takes is encrypted in one go and held until its client has read it, so that large chunks
 *  would make all others wait, and cost their size for each client. */
function* writes(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += writeBytesMax) yield chunk.subarray(at, at + writeBytesMax);
}
const writeBytesMax = 2 * limits.chunkBytes;

/** `work`, or undefined as soon as `signal` aborts. Not Promise.race against one long promise: that one would keep something of
 *  every chunk of a watch for as long as the watch lasts. */
function untilAborted(signal: AbortSignal): <T>(work: Promise<T>) => Promise<T | undefined> {
  let wake = (): void => {};
  signal.addEventListener("abort", () => wake(), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      wake = () => resolve(undefined);
      if (signal.aborted) wake();
      work.then(resolve, reject);
    });
}

// The two classes declare different overloads for the same calls, hence the assertions; they do not change what they are given.
function writeHead(response: Response, status: number, headers: Readonly<Record<string, string | readonly string[] | number>>): void {
  (response as ServerResponse).writeHead(status, headers as Record<string, string | string[] | number>);
}
function write(response: Response, chunk: Uint8Array): boolean {
  return (response as ServerResponse).write(chunk);
}
function flushHeaders(response: Response): void {
  (response as ServerResponse).flushHeaders();
}
function drained(response: Response): Promise<void> {
  return new Promise((resolve) => (response as ServerResponse).once("drain", () => resolve()));
}
function stop(chunks: AsyncIterator<Uint8Array>): void {
  // Not awaited: a generator that waits for its source returns only after that; whoever aborted the signal sees to it.
  chunks.return?.().catch(() => {});
}
