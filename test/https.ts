/** A small HTTPS client for tests: own authority, certificate or token, whole answers and streams. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";

export interface Place {
  readonly port: number;
  /** PEM of the trusted CA. */
  readonly ca: string;
  /** Bearer token of requests without an `authorization` header. */
  readonly token?: string;
  /** PEM of a client certificate. */
  readonly identity?: { readonly cert: string; readonly key: string };
  readonly host?: string;
  /** A new connection for each request. On a reused connection that breaks, Deno 2.9.6 sends a request, even a POST, a second time, so tests
   *  that count writes over broken connections must not reuse connections. */
  readonly single?: boolean;
}
export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The parsed JSON response; throws for other bodies. */
  json(): any;
}
export interface Client {
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** The chunks of a response in order of receipt. */
  stream(
    path: string,
    ask?: Ask,
  ): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly chunks: AsyncIterable<Uint8Array> }>;
  close(): void;
}

const answerMsMax = 60_000;

export function httpsClient(place: Place): Client {
  const agent = new Agent({ keepAlive: place.single !== true, maxSockets: 32, ca: place.ca, ...place.identity });
  function send(path: string, { method = "GET", headers = {}, body, signal }: Ask): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
      const typed: Record<string, string> = payload === undefined || headers["content-type"] !== undefined
        ? {}
        : { "content-type": "application/json" };
      const sent = request({
        host: place.host ?? "127.0.0.1",
        port: place.port,
        path,
        method,
        agent,
        headers: {
          ...(place.token === undefined ? {} : { authorization: `Bearer ${place.token}` }),
          ...typed,
          ...(payload === undefined ? {} : { "content-length": String(lengthOf(payload)) }),
          ...headers,
        },
        ...(signal === undefined ? {} : { signal }),
      }, resolve);
      sent.on("error", reject);
      sent.setTimeout(answerMsMax, () => sent.destroy(new Error(`no answer to ${method} ${path} within ${answerMsMax} ms`)));
      sent.end(payload);
    });
  }
  return {
    async ask(path, ask = {}) {
      const response = await send(path, ask);
      const chunks: Uint8Array[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const bytes = new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer()); // Chunks of a socket are never shared memory.
      const text = new TextDecoder().decode(bytes);
      return { status: response.statusCode ?? 0, headers: response.headers, bytes, text, json: () => JSON.parse(text) };
    },
    async stream(path, ask = {}) {
      const response = await send(path, ask);
      response.setTimeout(0); // The timeout was for the head; events have none.
      return { status: response.statusCode ?? 0, headers: response.headers, chunks: response };
    },
    close: () => agent.destroy(),
  };
}

/** The JSON documents of a watch, one a line. */
export async function* documents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<any> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield JSON.parse(part);
  }
}

function lengthOf(payload: string | Uint8Array): number {
  return typeof payload === "string" ? new TextEncoder().encode(payload).length : payload.length;
}
