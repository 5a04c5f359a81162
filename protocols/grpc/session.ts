import { Buffer } from "node:buffer";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { withoutUser } from "../without-user.ts";
import { trustIn } from "../tls/trust.ts";
import { lostError } from "./errors.ts";
import { ClientSession, type Session } from "../http2/client/session.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds in which a connection to etcd must be open. */
const etcdConnectMs = bound(5_000);

export interface Tls {
  /** PEM; default: the certificate authorities that the runtime trusts. */
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

export interface SessionOptions {
  /** Called for each new connection. */
  readonly tls?: (() => Tls) | undefined;
  /** Milliseconds between keepalive pings while a call is in progress; the answer must arrive within a third of it. */
  readonly keepaliveMs: number;
  /** Milliseconds in which the connection must be open. Default: `etcdConnectMs`. */
  readonly connectMs?: number;
}

/** An open connection. */
export interface GrpcSession extends Pick<Session, "usable" | "open"> {
  /** Sends a ping, and destroys the connection if it is not answered in time. */
  probe(): void;
  /** Closes the connection and its streams. */
  close(): void;
}

/**
 * Resolves once TLS is established and the server has sent its settings. Rejects with a GrpcError.
 *
 * @param endpoint `http://host:port`, `https://host:port`, or the path of a socket: `unix:///run/a.sock`, `unix:///@name` for an abstract one
 */
export function connectSession(endpoint: string, { tls, keepaliveMs, connectMs = etcdConnectMs }: SessionOptions): Promise<GrpcSession> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(new URL(endpoint), tls?.());
    const timer = setTimeout(() => session.destroy(`no answer within ${connectMs} ms`), connectMs);
    const session = new ClientSession(socket, {
      onOpen() {
        clearTimeout(timer);
        resolve(watchSession(session, socket, keepaliveMs));
      },
      onEnd(because) {
        clearTimeout(timer);
        reject(lostError(`Cannot connect to ${withoutUser(endpoint)}`, because, true, true));
      },
    });
  });
}

function openSocket({ protocol, hostname, port, pathname }: URL, tls: Tls | undefined): Socket {
  if (protocol === "unix:") return connectTcp({ path: socketPath(pathname) });
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "http:") return connectTcp({ host, port: Number(port || 80), noDelay: true });
  const trust = tls?.ca === undefined ? undefined : trustIn(textOf(tls.ca), host);
  const own = tls && { ...trust?.options, ...(tls.cert && { cert: pem(tls.cert) }), ...(tls.key && { key: pem(tls.key) }) };
  // An IP address is verified against the certificate, but not sent as SNI (RFC 6066, section 3).
  const socket = connectTls({
    host,
    port: Number(port || 443),
    ALPNProtocols: ["h2"],
    ...own,
    ...(isIP(host) === 0 && { servername: host }),
  });
  // The first listener: no call is sent, and nothing is read, before it has run. What opens HTTP/2 may have been sent.
  socket.once("secureConnect", () => {
    const problem = trust?.problem?.(socket);
    if (problem !== undefined) socket.destroy(problem);
  });
  return socket.setNoDelay(true);
}

/** Returns the path of a socket, or its abstract name (unix(7)), which begins with a zero byte. */
function socketPath(pathname: string): string {
  const path = decodeURIComponent(pathname);
  return path.startsWith("/@") ? `\0${path.slice(2)}` : path;
}

/** Returns the session with keepalive pings. */
function watchSession(session: Session, socket: Socket, keepaliveMs: number): GrpcSession {
  let silent: ReturnType<typeof setTimeout> | undefined;

  function probe(): void {
    if (silent !== undefined || socket.destroyed) return;
    silent = setTimeout(() => session.destroy(new Error("no answer to a ping")), Math.ceil(keepaliveMs / 3));
    session.ping(() => {
      clearTimeout(silent);
      silent = undefined;
    });
  }
  // Servers treat pings without a call in progress as abuse.
  const timer = setInterval(() => session.streams > 0 && probe(), keepaliveMs);
  socket.once("close", () => {
    clearInterval(timer);
    clearTimeout(silent);
  });
  return {
    get usable() {
      return session.usable;
    },
    open: (...stream) => session.open(...stream),
    probe,
    close: () => session.destroy("the channel was closed"),
  };
}

function textOf(text: string | Uint8Array): string {
  return typeof text === "string" ? text : new TextDecoder().decode(text);
}
function pem(text: string | Uint8Array): string | Buffer {
  return typeof text === "string" ? text : Buffer.from(text);
}
