import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Exchange, Reply } from "../request/exchange.ts";
import { type Answering, pump, type Response, stop } from "./pump.ts";

/**
 * Writes a reply. Resolves once all of it is handed to the connection, or the client is gone.
 *
 * A whole body goes out with its content-length. Chunks go out one by one: after a write that fills the buffers nothing is pulled
 * until the client has read on; when the client goes away, `return()` of the iterator is called and not awaited. An iterator that
 * throws breaks the stream off, so that the client cannot mistake what it got for a whole answer. `answering` is notified while
 * the client is slow to read; a connection that reads nothing is closed by the listener.
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

// The two classes declare different overloads for the same call, hence the assertions; they do not change what they are given.
function writeHead(response: Response, status: number, headers: Readonly<Record<string, string | readonly string[] | number>>): void {
  (response as ServerResponse).writeHead(status, headers as Record<string, string | string[] | number>);
}
