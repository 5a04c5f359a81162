import type { ChunkIterator, Exchange, Reply } from "../../../kernel/request/exchange.ts";
import { stop } from "../pump.ts";
import type { HeadEncoder } from "./response-head.ts";
import type { ServerStream } from "./stream.ts";

const nothing = new Uint8Array(0);

/**
 * Writes a reply. Resolves once all of it is passed to the stream, or the client has disconnected.
 *
 * A whole body is sent with content-length. Chunks are pulled one by one, each after the one before has left the flow-control windows. If the
 * iterator throws, the promise rejects, and the caller resets the stream, so that the client cannot take the answer for complete.
 */
export async function sendReply(
  stream: ServerStream,
  { status, headers, body, givenUp }: Reply,
  encoder: HeadEncoder,
  exchange: Pick<Exchange, "signal">,
): Promise<void> {
  const isHead = stream.head.method === "HEAD";
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const hasBody = status !== 204 && status !== 304;
    const block = encoder.head(status, headers, hasBody ? bytes.length : undefined);
    if (isHead || !hasBody || bytes.length === 0) return stream.respond(block, true);
    stream.respond(block, false);
    return stream.send(bytes, true);
  }
  const chunks = body[Symbol.asyncIterator]();
  const block = encoder.head(status, headers, undefined);
  stream.respond(block, isHead);
  if (isHead) return stop(chunks);
  const giveUp = (): void => {
    if (stream.waitsSince !== undefined) stream.breakOff();
  };
  givenUp?.addEventListener("abort", giveUp, { once: true });
  await pump(stream, chunks, exchange.signal);
}

/** Sends chunks. Without async functions, which create promises for every chunk. */
function pump(stream: ServerStream, chunks: ChunkIterator, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let over = false;
    const end = (): void => {
      over = true;
      signal.removeEventListener("abort", gone);
    };
    const gone = (): void => {
      end();
      stop(chunks);
      resolve();
    };
    const failed = (error: unknown): void => {
      if (over) return;
      end();
      reject(error);
    };
    /** Returns whether the next chunk can be sent now. */
    const send = (next: IteratorResult<Uint8Array, unknown>): boolean => {
      if (over) return false;
      if (next.done === true) {
        end();
        stream.send(nothing, true);
        resolve();
        return false;
      }
      if (next.value.length > 0) stream.send(next.value, false);
      if (stream.isEmpty) return true;
      stream.whenEmpty(pull);
      return false;
    };
    const took = (next: IteratorResult<Uint8Array, unknown>): void => {
      if (send(next)) pull();
    };
    const pull = chunks.poll === undefined ? (): void => void chunks.next().then(took, failed) : (): void => {
      try {
        for (let next = chunks.poll!(pull); next !== undefined && send(next); next = chunks.poll!(pull));
      } catch (error) {
        failed(error);
      }
    };
    signal.addEventListener("abort", gone, { once: true });
    if (signal.aborted) gone();
    else pull();
  });
}
