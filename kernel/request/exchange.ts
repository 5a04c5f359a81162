import type { WatchScope } from "../../core/api.ts";
import type { PeerCertificate } from "./peer.ts";

/** One request as the listener hands it over. */
export interface Exchange {
  /** As written on the wire; methods are case-sensitive. */
  readonly method: string;
  /** Path and query as written, percent-encoding untouched. */
  readonly url: string;
  /** Lower-case names; repeated headers in order. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body; a StatusError RequestEntityTooLarge once it exceeds `limit` bytes. */
  body(limit: number): Promise<Uint8Array>;
  /** The client's certificate, verified against the client CA; undefined when none was sent. */
  readonly peer: PeerCertificate | undefined;
  /** Why the certificate that the client sent is not trusted; `peer` is undefined then, and the request has bad credentials. */
  readonly peerRefused?: string | undefined;
  /** The client's certificate where it is one of the front proxy's authority, whatever else it is. */
  readonly frontProxy?: PeerCertificate | undefined;
  /** Host and port of the client, for logs. */
  readonly remote: string;
  readonly protocol: "HTTP/1.1" | "HTTP/2.0" | "HTTP/1.0";
  /** The changes that a watch follows; everything where absent, as for clients over the network. */
  readonly watchScope?: WatchScope;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** The answer. A body is text, bytes, or chunks that are pulled as the client reads (lists and watches). */
export interface Reply {
  readonly status: number;
  /** Names in lower case. A list is sent as repeated headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Aborts when a client that does not read the chunks is to be waited for no longer: it loses its HTTP/1.1 connection, or its
   *  HTTP/2 stream. */
  readonly givenUp?: AbortSignal;
  /** Over HTTP/2 a GOAWAY is sent: the client sends further requests over another connection, requests under way continue. */
  readonly goAway?: boolean;
}

/** The first header of a name, "" where there is none: of repeated headers upstream reads only the first. */
export function header(exchange: Pick<Exchange, "headers">, name: string): string {
  const value = exchange.headers[name];
  return value === undefined ? "" : typeof value === "string" ? value : value[0] ?? "";
}

/** All headers of a name as one list, for names whose values are a list by our own rule. */
export function headerList(exchange: Pick<Exchange, "headers">, name: string): string {
  const value = exchange.headers[name];
  return value === undefined ? "" : typeof value === "string" ? value : value.join(", ");
}
