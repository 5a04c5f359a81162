/** Sends one request to another server, which may be hostile, and streams its answer. */
import { lookup } from "node:dns/promises";
import type { Agent, IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { bound } from "../../core/bound.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { beginRequest, type BegunResponse } from "../remote/begin-request.ts";
import { agentOf, handshakeTimeout } from "../remote/remote-agent.ts";
import { channelOf, type SocketChannel } from "./channel.ts";
import { type Coding, recoded } from "./compression.ts";
import { BusyConnections, KeptAgents, type PeerBounds } from "./connections.ts";
import { Credentials, type PeerFiles } from "./credentials.ts";

/** Milliseconds until a connection to another server must be there (Go's net.Dialer of Kubernetes). */
export const peerDialMs = bound(30_000);
/** Bytes beside the content of an answer for each byte of its content. A stream may have a chunk for each byte. */
const peerOverheadShare = bound(16);

/** Headers by lower-case name. */
type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ForwardedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Fields;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  readonly access: PeerFiles;
  readonly signal: AbortSignal;
}
export interface ForwardedResponse {
  readonly status: number;
  readonly headers: Fields;
  readonly body: AsyncIterable<Uint8Array>;
  /** The trailers, after the end of the body. */
  readonly trailers?: () => Fields;
  readonly channel?: SocketChannel;
}

/** What went wrong. `isDial`: no connection could be made; `isTrust`: because the certificate is not trusted. */
export type PeerFailure = (message: string, more: { isDial?: boolean; isTrust?: boolean; cause?: unknown }) => Error;

/** Reaches other servers. */
export interface ForwardingPeers {
  ask(request: ForwardedRequest): Promise<ForwardedResponse>;
  addressesOf(host: string): Promise<readonly string[]>;
  recoded(body: AsyncIterable<Uint8Array>, coding: Coding): AsyncIterable<Uint8Array>;
}

/** Requests reject with what `failure` makes, or with the reason of the signal. */
export function peersOf(failure: PeerFailure, now: () => number = () => performance.now(), bounds: PeerBounds = {}): ForwardingPeers {
  const state: Shared = {
    ...{ credentials: new Credentials(now), kept: new KeptAgents(bounds), busy: new BusyConnections(bounds.connectionsMax) },
    ...{ failure, bounds },
  };
  return {
    ask: (request) => ask(request, state),
    recoded,
    async addressesOf(host) {
      try {
        return (await lookup(host, { all: true })).map(({ address }) => address);
      } catch (error) {
        throw failure(`lookup ${host}: no such host`, { isDial: true, cause: error });
      }
    },
  };
}

/** What requests share. */
interface Shared {
  readonly credentials: Credentials;
  readonly kept: KeptAgents;
  readonly busy: BusyConnections;
  readonly bounds: PeerBounds;
  readonly failure: PeerFailure;
}

async function ask(request: ForwardedRequest, shared: Shared): Promise<ForwardedResponse> {
  const { method, url: text, body, access, signal } = request, { credentials, kept, busy, failure } = shared;
  const url = urlOf(text, failure), isUpgrade = request.headers["upgrade"] !== undefined;
  // A write on a connection that the other server closes meanwhile would fail, and could not be repeated.
  const isKept = access.keeps === true && !isUpgrade && body === undefined && (method === "GET" || method === "HEAD");
  // Otherwise the length of a body that does not come would make a part of the next request that body.
  const { "content-length": _, "transfer-encoding": __, ...bodiless } = request.headers, headers = isKept ? bodiless : request.headers;
  const remote = await credentials.of(url, access).catch((error: unknown) => {
    throw failure(reasonOf(error), { isDial: true, cause: error });
  });
  // A connection of its own for each other request: it may become a channel.
  signal.throwIfAborted();
  const release = busy.take(url.host, signal);
  if (release === undefined) throw failure(busy.refusal(url.host), {});
  const { handshakeMs } = shared.bounds,
    own = { connectionsMax: 1, keepAlive: false, ...(handshakeMs === undefined ? {} : { handshakeMs }) };
  const agent = isKept ? kept.of(remote) : agentOf(remote, own);
  const dial = dialing(url, isKept ? undefined : agent, signal);
  try {
    // Otherwise the certificate would have to be for the name in the Host header, which is the client's.
    const name = access.verify?.serverName ?? url.hostname.replace("[", "").replace("]", ""), servername = isIP(name) === 0 ? name : "";
    const options = { method, agent, path: pathOf(text), headers: outgoing(headers), setHost: headers["host"] === undefined, servername };
    const manner = { mayUpgrade: isUpgrade, overheadShare: peerOverheadShare, ...(isKept ? { connected: dial.met } : {}) };
    const begun = await beginRequest(url, options, body, dial.signal, manner);
    dial.met();
    begun.upgraded?.socket.once("close", release);
    return responseOf(begun, signal, () => {
      dial.end();
      if (begun.upgraded === undefined) release();
    });
  } catch (error) {
    dial.end();
    release();
    if (signal.aborted) throw signal.reason;
    const { keeps: ___, ...alone } = access;
    if (isKept && isReset(error)) return await ask({ ...request, access: alone }, shared);
    throw failure(...failureOf(error, url.host));
  }
}

/** Whether a connection has ended without an answer: one that was kept may end at any time. */
function isReset(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown }, { code } = (cause ?? {}) as { readonly code?: unknown };
  return code === "ECONNRESET" || code === "EPIPE";
}

/** An address without a user: `host:80@other` would reach the other host. */
function urlOf(text: string, failure: PeerFailure): URL {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // It is refused below.
  }
  if (url === undefined || url.username !== "" || url.password !== "") throw failure("invalid address", { isDial: true });
  return url;
}

/** Path and query as they are written: the parser of URLs removes segments such as `..`, also escaped ones, which would then be another path. */
function pathOf(url: string): string {
  const at = url.slice(url.indexOf("//") + 2).search(/[/?#]/);
  if (at < 0) return "/";
  const path = url.slice(url.indexOf("//") + 2 + at);
  return path.startsWith("/") ? path : `/${path}`;
}

function outgoing(headers: Fields): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [[name, typeof value === "string" ? value : [...value]]]),
  );
}

/** Returns a signal for one request. It aborts with that of the client, and when there is no connection in time. */
function dialing(url: URL, agent: Agent | undefined, outer: AbortSignal): { readonly signal: AbortSignal; met(): void; end(): void } {
  const over = new AbortController(), leave = (): void => over.abort(outer.reason);
  outer.addEventListener("abort", leave, { once: true });
  const timer = setTimeout(() => over.abort(new Error(`dial tcp ${url.host}: i/o timeout`)), peerDialMs);
  if (agent !== undefined) whenDialed(agent, url, () => clearTimeout(timer));
  return {
    signal: over.signal,
    met: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      outer.removeEventListener("abort", leave);
    },
  };
}

/** Calls `met` when the connection that the agent makes is there. */
function whenDialed(agent: Agent, url: URL, met: () => void): void {
  const createConnection = agent.createConnection.bind(agent);
  agent.createConnection = (options, connected) => {
    const socket = createConnection(options, (error, stream) => {
      if (error === null) met();
      connected?.(error, stream);
    });
    socket?.once(url.protocol === "https:" ? "secureConnect" : "connect", met);
    return socket;
  };
}

function responseOf({ message, took, reasonOf, upgraded }: BegunResponse, signal: AbortSignal, end: () => void): ForwardedResponse {
  const status = message.statusCode ?? 0, headers = fieldsOf(message.headers, message.headersDistinct);
  if (upgraded !== undefined) {
    end();
    const channel = channelOf(upgraded, signal);
    return { status, headers, body: channel.received, channel };
  }
  return {
    status,
    headers,
    trailers: () => fieldsOf({}, message.trailersDistinct),
    body: { [Symbol.asyncIterator]: () => endedBy(contentOf(), close) },
  };
  function close(): void {
    end();
    if (!message.readableEnded) message.destroy(); // otherwise the connection may be kept
  }
  async function* contentOf(): AsyncGenerator<Uint8Array> {
    try {
      // Its chunks are Buffers: no encoding was set.
      for await (const chunk of message as AsyncIterable<Uint8Array>) {
        took(chunk.length);
        yield chunk;
      }
    } catch (error) {
      throw reasonOf(error);
    } finally {
      close();
    }
  }
}

/**
 * Returns the pieces of a source. `close` also runs if the reader leaves before the first piece: a generator that has not begun has no
 * `finally`.
 */
function endedBy(pieces: AsyncGenerator<Uint8Array>, close: () => void): AsyncIterator<Uint8Array> {
  return {
    next: () => pieces.next(),
    async return() {
      close();
      return await pieces.return(undefined);
    },
  };
}

/** Repeated headers as lists. */
function fieldsOf(joined: IncomingHttpHeaders, distinct: NodeJS.Dict<string[]> | undefined): Fields {
  if (distinct === undefined) return joined;
  return Object.fromEntries(Object.entries(distinct).map(([name, values = []]) => [name, values.length === 1 ? values[0]! : values]));
}

/** Returns the errors of the runtimes by their codes, in the words of Go; others keep theirs. */
function failureOf(error: unknown, host: string): Parameters<PeerFailure> {
  const text = reasonOf(error), cause = error instanceof Error ? error.cause ?? error : error;
  const { code = "", errors } = (cause ?? {}) as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  if (code === "" && errors?.[0] !== undefined) return failureOf(errors[0], host);
  const dialed = dialTexts[String(code)];
  if (dialed !== undefined) return [`dial tcp ${host}: ${dialed}`, { isDial: true, cause: error }];
  if (text.endsWith(handshakeTimeout)) return [handshakeTimeout, { isDial: true, cause: error }];
  const isTrust = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_CERT)/.test(String(code)) || text.includes("certificate");
  return [text, { isDial: isTrust || text.startsWith("dial "), isTrust, cause: error }];
}
const dialTexts: Readonly<Record<string, string>> = Object.freeze({
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "connect: connection timed out",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "server misbehaving",
});
