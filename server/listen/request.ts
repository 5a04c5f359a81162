import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { type IncomingBody, readBody } from "./body.ts";
import { streamBody } from "./body-stream.ts";
import type { PeerCertificate } from "../../kernel/request/peer.ts";

/** Requests of both protocols; only their common part is used. */
export type Request = IncomingMessage | Http2ServerRequest;
/** Responses of both protocols; only their common part is used. */
export type Response = ServerResponse | Http2ServerResponse;

/** The client of a request. */
export interface Caller {
  readonly remote: string;
  readonly peer: PeerCertificate | undefined;
  readonly peerRefused: string | undefined;
  readonly frontProxy: PeerCertificate | undefined;
}

/** An Exchange over a request of node's. Headers and signal are created at first use: not every request needs both. */
export class RequestExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly peer: PeerCertificate | undefined;
  readonly peerRefused: string | undefined;
  readonly frontProxy: PeerCertificate | undefined;
  readonly remote: string;
  readonly protocol: Exchange["protocol"];
  readonly offersWebSocket: boolean;
  readonly offersUpgrade: boolean;
  /** Whether the body is read in pieces. */
  isStreaming = false;
  readonly #hasBody: boolean;
  readonly #request: Request;
  readonly #body: IncomingBody;
  #headers: Exchange["headers"] | undefined;
  #abort: AbortController | undefined;
  #gone = false;

  constructor(
    request: Request,
    body: IncomingBody,
    caller: Caller,
    { hasBody = false, offersWebSocket = false, offersUpgrade = false } = {},
  ) {
    this.offersWebSocket = offersWebSocket;
    this.offersUpgrade = offersUpgrade;
    this.#hasBody = hasBody;
    this.#request = request;
    this.#body = body;
    this.method = request.method ?? "";
    this.url = pathOf(request.url ?? "");
    this.peer = caller.peer;
    this.peerRefused = caller.peerRefused;
    this.frontProxy = caller.frontProxy;
    this.remote = caller.remote;
    this.protocol = request.httpVersionMajor === 2 ? "HTTP/2.0" : request.httpVersion === "1.0" ? "HTTP/1.0" : "HTTP/1.1";
  }
  get headers(): Exchange["headers"] {
    return this.#headers ??= headersOf(this.#request.rawHeaders);
  }
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#gone && !this.#abort.signal.aborted) this.#abort.abort();
    return this.#abort.signal;
  }
  body(limit: number): Promise<Uint8Array> {
    return readBody(this.#body, this.#request.headers["content-length"], limit);
  }
  stream(): AsyncIterable<Uint8Array> | undefined {
    if (!this.#hasBody) return undefined;
    const begin = () => {
      this.isStreaming = true;
      return streamBody(this.#body);
    };
    return { [Symbol.asyncIterator]: begin };
  }
  /** Aborts the signal with an AbortError: the client no longer reads the answer. */
  clientGone(): void {
    this.#gone = true;
    this.#abort?.abort();
  }
}

/** Headers by lower-case name, without HTTP/2's pseudo headers; `:authority` becomes `host` and replaces a header of that name (as in
 *  Go's server). Repeated headers become a list in order. */
export function headersOf(raw: readonly string[]): Record<string, string | string[]> {
  // Without a prototype: a header may be called `__proto__` or `constructor`.
  const headers: Record<string, string | string[]> = Object.create(null);
  let authority = false;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    let name = (raw[i] ?? "").toLowerCase();
    const value = raw[i + 1] ?? "";
    if (name === ":authority") {
      authority = true;
      name = "host";
    } else if (name.startsWith(":") || (authority && name === "host")) continue;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === "string") headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}

/** Path and query of a request target. The absolute form, used for proxies, is equivalent (RFC 9112, section 3.2.2). */
export function pathOf(target: string): string {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target);
  if (absolute === null) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
