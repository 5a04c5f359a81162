/** Other servers, as the plugins and the proxies of this one reach them. */

/** Headers by lower-case name. A list is sent as repeated headers. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Bytes in both directions, after both sides have agreed on a protocol. */
export interface Channel {
  /** The bytes that arrive. The other side waits while none are taken. It must be iterated once; the end of the iteration closes the channel. */
  readonly received: AsyncIterable<Uint8Array>;
  /** Sends bytes. The promise, if any, resolves when more may be sent; it never rejects. */
  send(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends both directions. */
  close(): void;
}

/** How another server is reached. Its files are read again for a request that comes ten seconds later or more. */
export interface PeerAccess {
  /** The file with the PEM of the CAs that are trusted. Default: the server's certificate is not verified, unless `verify` says so. */
  readonly caFile?: string;
  /** How the server's certificate is verified in place of `caFile`: by CAs in PEM, by those of the system for "", and for this name. */
  readonly verify?: { readonly ca: string; readonly serverName: string };
  /** Whether requests without a body that only read share connections. Default: each request has its own. */
  readonly keeps?: true;
  /** The file with the certificate that this server shows. Default: none. */
  readonly certFile?: string;
  /** The file with the key of that certificate. */
  readonly keyFile?: string;
}

/** A request to another server. */
export interface PeerRequest {
  /** The method. */
  readonly method: string;
  /** The whole URL: `https://10.0.0.1:10250/pods`. */
  readonly url: string;
  /** The headers, with those of the framing of the body. */
  readonly headers: HeaderFields;
  /** The content, which is read as the other server takes it. Default: none. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  /** The credentials. */
  readonly access: PeerAccess;
  /** Ends the request and its response. */
  readonly signal: AbortSignal;
}

/** The response of another server. Its content must be iterated, or the signal of the request be aborted. */
export interface PeerResponse {
  /** The status code. */
  readonly status: number;
  /** The headers, with those of the connection. */
  readonly headers: HeaderFields;
  /** The content. The other server waits while none is taken. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Returns the trailers, which are there after the end of the content. */
  readonly trailers?: () => HeaderFields;
  /** With status 101: the connection in the new protocol. */
  readonly channel?: Channel;
}

/** Why a server could not be reached, or has answered nonsense. The message has the address and no secret. */
export class PeerError extends Error {
  /** Whether no connection could be made. */
  readonly isDial: boolean;
  /** Whether there is none because the server's certificate is not trusted. */
  readonly isTrust: boolean;
  /** Makes the error of a failure. */
  constructor(message: string, { isDial = false, isTrust = false, cause }: { isDial?: boolean; isTrust?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = "PeerError";
    this.isDial = isDial;
    this.isTrust = isTrust;
  }
}

/** What is done with content. `deflate` and `inflate` have no header of zlib (RFC 1951). */
export type Coding = "deflate" | "gunzip" | "gzip" | "inflate";

/** Reaches other servers. */
export interface Peers {
  /** Sends a request. Rejects with a PeerError, or with the reason of the signal. */
  ask(request: PeerRequest): Promise<PeerResponse>;
  /** Resolves with the addresses of a name; an address is its own. Rejects with a PeerError if there are none. */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Returns content in another coding, as it is read. Iterating it rejects if the content is broken. */
  recoded(body: AsyncIterable<Uint8Array>, coding: Coding): AsyncIterable<Uint8Array>;
}
