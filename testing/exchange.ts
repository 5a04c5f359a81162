/** Requests of a test's own process as exchanges, and replies as responses. */
import { tooLargeError } from "../core/status-error.ts";
import type { Exchange, Reply } from "../kernel/request/exchange.ts";

/** The error of a request whose connection was dropped by `faults`. A client would see a connection that breaks. */
export class ConnectionDropped extends Error {
  /** Always "ConnectionDropped". */
  override readonly name = "ConnectionDropped";
}

/** Returns the exchange of a request. Only path and query of its URL are used. */
export function exchangeOf(request: Request): Exchange {
  // The URL parser resolves dot segments and drops the fragment; clients do the same before sending.
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: pathname + search,
    headers: Object.fromEntries(request.headers),
    async body(limit) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      if (bytes.length > limit) throw tooLargeError(`limit is ${limit}`);
      return bytes;
    },
    peer: undefined,
    remote: "test",
    protocol: "HTTP/2.0",
    signal: request.signal,
  };
}

/** Returns the response of a reply to a request with this method. */
export function responseTo({ status, headers, body, givenUp }: Reply, method: string): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === "string" ? [value] : value) sent.append(name, each);
  }
  const bodiless = method === "HEAD" || status === 204 || status === 304;
  if (bodiless) return new Response(null, { status, headers: sent });
  // Copies, because the server's bytes are shared and read-only.
  if (typeof body === "string" || body instanceof Uint8Array) {
    return new Response(typeof body === "string" ? body : body.slice(), { status, headers: sent });
  }
  return new Response(streamOf(body, givenUp), { status, headers: sent });
}

/** `givenUp` aborts when the connection breaks before the end of the chunks. */
function streamOf(chunks: AsyncIterable<Uint8Array>, givenUp: AbortSignal | undefined): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true && givenUp?.aborted === true) {
        controller.error(new ConnectionDropped("the connection broke while the body was sent"));
      } else if (done === true) controller.close();
      else controller.enqueue(value.slice());
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
