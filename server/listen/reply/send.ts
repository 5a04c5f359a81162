/** Sends the reply to a request: the same for all protocols, which differ in their `ReplySink`. */
import type { Exchange, Reply } from "../../../kernel/request/exchange.ts";
import { bound } from "../../../core/bound.ts";
import type { PendingChunks } from "./pending-chunks.ts";
import { Pump } from "./pump.ts";
import { type ReplySink, stop } from "./sink.ts";

/** Maximum bytes of a body that is sent at once. Encrypting a larger one would hold up other connections. */
export const wholeBytesMax = bound(1024 * 1024);

/**
 * Resolves once all of a reply is passed to the connection, or the client has disconnected.
 *
 * A whole body is sent with content-length, a large one in parts, as its client reads. Chunks are sent one by one: after a write that fills the buffers nothing is pulled until the
 * client has read; when it disconnects, `return()` of the iterator is called and not awaited. If the iterator throws, the promise rejects, and
 * the caller breaks the reply off, so that the client cannot take it for complete. `waitsSince` of the sink is updated while the client is slow to
 * read; the listener closes a connection that reads nothing. `pending` counts the chunks of watches that wait for their clients.
 */
export async function sendReply(
  sink: ReplySink,
  reply: Reply,
  isHead: boolean,
  exchange: Pick<Exchange, "signal">,
  pending?: PendingChunks,
): Promise<void> {
  const { body, status, givenUp } = reply;
  if (typeof body === "string" || body instanceof Uint8Array) {
    // As bytes: node would encode the head together with a text, and UTF-8 in headers is already in bytes.
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    // A status without a body must not have a content-length either.
    const hasBody = status !== 204 && status !== 304, ends = isHead || !hasBody || bytes.length === 0;
    if (!ends && bytes.length > wholeBytesMax) return await sendReply(sink, inChunks(reply, bytes), false, exchange);
    sink.head(reply, hasBody ? bytes.length : undefined, ends);
    return ends ? undefined : sink.end(bytes);
  }
  const chunks = body[Symbol.asyncIterator]();
  // Only here: the signal is created at first use, and a whole body needs none.
  const { signal } = exchange;
  try {
    sink.head(reply, undefined, isHead);
  } catch (error) {
    stop(chunks);
    throw error;
  }
  if (isHead) return stop(chunks);
  const giveUp = (): void => {
    if (sink.waitsSince !== undefined) sink.breakOff();
  };
  givenUp?.addEventListener("abort", giveUp, { once: true });
  try {
    await new Pump(sink, chunks, signal, reply.trailers, givenUp === undefined ? undefined : pending).run();
  } finally {
    givenUp?.removeEventListener("abort", giveUp);
  }
}

/** A reply whose body is one chunk, of a length that is known. */
function inChunks(reply: Reply, bytes: Uint8Array): Reply {
  return { ...reply, headers: { ...reply.headers, "content-length": String(bytes.length) }, body: only(bytes) };
}
async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
