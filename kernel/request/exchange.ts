import type { WatchScope } from "../../core/api.ts";
import type { Channel, HeaderFields } from "../../core/connect.ts";
import type { PeerCertificate } from "./peer.ts";

/** One request, as the listener passes it to `handle`. */
export interface Exchange {
  /** As written on the wire; methods are case-sensitive. */
  readonly method: string;
  /** Path and query as written, percent-encoding untouched. */
  readonly url: string;
  /** Lower-case names; repeated headers in order. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body; not a Promise if it has arrived already. Rejects with a StatusError RequestEntityTooLarge if it exceeds `limit` bytes, and when the
   *  client disconnects. */
  body(limit: number): Uint8Array | Promise<Uint8Array>;
  /** The body in pieces, in place of `body`: the client waits while none is taken. Undefined if there is none. */
  stream?(): AsyncIterable<Uint8Array> | undefined;
  /** The client's certificate, verified against the client CA; undefined if the client sent none. */
  readonly peer: PeerCertificate | undefined;
  /** Why the client's certificate is not trusted. `peer` is undefined then, and the request has invalid credentials. */
  readonly peerRefused?: string | undefined;
  /** The client's certificate if the front proxy's authority issued it, whether or not the client CA trusts it. */
  readonly frontProxy?: PeerCertificate | undefined;
  /** Host and port of the client, for logs. */
  readonly remote: string;
  readonly protocol: "HTTP/1.1" | "HTTP/2.0" | "HTTP/1.0";
  /** Whether the client offers a websocket, which a watch accepts (`Reply.messages`). */
  readonly offersWebSocket?: boolean;
  /** Whether the client offers to change the protocol of its connection, which a reply with a channel accepts. */
  readonly offersUpgrade?: boolean;
  /** Identity of the client's connection, if other requests share it at the same time: what is sent to them at once leaves in one write. */
  readonly connection?: object | undefined;
  /** The changes that a watch delivers, and the objects of a list. Default: all, as for clients over the network. */
  readonly watchScope?: WatchScope;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The response. A body is text, bytes, or chunks that are pulled as the client reads (lists and watches). */
export interface Reply {
  readonly status: number;
  /** Names in lower case. A list is sent as repeated headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | Chunks;
  /** Returns the trailers, at the end of the chunks. */
  readonly trailers?: () => HeaderFields;
  /**
   * With status 101: the chunks are sent over a websocket, each event as one message. `lines`: text with a line for each event; `lengths`: binary events after their
   * length in four bytes; `whole`: each chunk is a message.
   */
  readonly messages?: "lines" | "lengths" | "whole";
  /** With status 101: receives the bytes of the client in the new protocol. Those for the client are the chunks. */
  readonly channel?: Pick<Channel, "send" | "close">;
  /** Aborts when the server stops waiting for a client that does not read the chunks: its HTTP/1.1 connection or HTTP/2 stream is
   *  closed. */
  readonly givenUp?: AbortSignal;
  /** Whether a GOAWAY is sent over HTTP/2: the client opens another connection for further requests, and requests in progress continue. */
  readonly goAway?: boolean;
  /** Whether nothing is sent: the HTTP/1.1 connection or the HTTP/2 stream breaks, as a test server's faults want it. */
  readonly isDropped?: boolean;
}

/** The body of a list or of a watch. */
export interface Chunks {
  [Symbol.asyncIterator](): ChunkIterator;
}

export interface ChunkIterator extends AsyncIterator<Uint8Array, unknown> {
  /**
   * As `next`, without a promise, which costs more than the rest of a small event. Returns the next chunk if there is one, or the end. Otherwise
   * undefined, and `ready` is called once when the caller should poll again. Throws what `next` rejects with.
   */
  poll?(ready: () => void): IteratorResult<Uint8Array, unknown> | undefined;
  /** Ends the answer as one whose client reads too slowly. */
  fallBehind?(): void;
}

/** The first header of a name, or "". Like upstream, reads only the first of repeated headers. */
export function header(exchange: Pick<Exchange, "headers">, name: string): string {
  const value = exchange.headers[name];
  return value === undefined ? "" : typeof value === "string" ? value : value[0] ?? "";
}

/** All headers of a name, joined by commas, for headers of which this server reads all values (upstream reads the first). */
export function headerList(exchange: Pick<Exchange, "headers">, name: string): string {
  const value = exchange.headers[name];
  return value === undefined ? "" : typeof value === "string" ? value : value.join(", ");
}
