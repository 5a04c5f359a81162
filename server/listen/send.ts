import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { type Answering, pump, type Response, stop } from "./pump.ts";

/**
 * Writes a reply. Resolves once all of it is passed to the connection, or the client has disconnected.
 *
 * A whole body is sent with content-length. Chunks are sent one by one: after a write that fills the buffers nothing is pulled until the
 * client has read; when it disconnects, `return()` of the iterator is called and not awaited. If the iterator throws, the stream is
 * broken off, so that the client cannot take the answer for complete. `answering` is updated while the client is slow to read; the
 * listener closes a connection that reads nothing.
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
    // As bytes: node would encode the head together with a text, and UTF-8 in headers is already in bytes.
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    // A status without a body must not have a content-length either.
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
  // Only here: the signal is created at first use, and a whole body needs none.
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

/** Discards a reply whose client has disconnected before any of it was sent. */
export function discardReply({ body }: Reply): void {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) stop(body[Symbol.asyncIterator]());
}

/** Ends a response so that the client detects the failure. */
export function breakOff(response: Response): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

// The two classes declare different overloads for the same call, hence the assertions. They do not change their arguments.
function writeHead(response: Response, status: number, headers: Readonly<Record<string, string | readonly string[] | number>>): void {
  (response as ServerResponse).writeHead(status, headers as Record<string, string | string[] | number>);
}
