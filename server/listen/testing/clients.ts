// Certificates and clients for the tests of this folder.
import { type ClientHttp2Session, connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { connect as tcpConnect, createServer, type Socket } from "node:net";
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import type { Exchange, Reply } from "../../../kernel/request/exchange.ts";
import { type CertificateWish, issueCertificate, type KeyedCertificate } from "../../../protocols/x509/certificate.ts";
import { listen, type ListenAddress, type Listener, type ListenerReports, type ListenOptions } from "../listener.ts";

const hour = 3_600_000;
/** A certificate that is valid from an hour ago for two hours, unless `wish` overrides it. */
export function issue(wish: Partial<CertificateWish> & Pick<CertificateWish, "usage">, issuer?: KeyedCertificate): KeyedCertificate {
  return issueCertificate({ commonName: "test", notBefore: Date.now() - hour, notAfter: Date.now() + hour, ...wish }, issuer);
}

export interface TestServer {
  readonly listener: Listener;
  readonly ca: KeyedCertificate;
  readonly reported: unknown[];
}
/** What a test chooses of the options of its listener. */
type ListenMore = Partial<Omit<ListenOptions, "address" | "reports">> & {
  readonly address?: Partial<ListenAddress>;
  readonly reports?: Partial<ListenerReports>;
};

/** Starts a listener, passes it to `use` and always closes it. */
export async function withServer(
  handle: (exchange: Exchange) => Promise<Reply>,
  use: (server: TestServer) => Promise<void>,
  { address, reports, ...more }: ListenMore = {},
): Promise<void> {
  const ca = issue({ usage: "ca", commonName: "test authority" });
  const serving = issue({ usage: "server", names: ["localhost", "127.0.0.1"] }, ca);
  const reported: unknown[] = [];
  const listener = await listen({
    address: { host: "127.0.0.1", port: 0, ...address },
    tls: { cert: serving.cert, key: serving.key, clientCa: ca.cert },
    handle,
    reports: { error: (error) => reported.push(error), ...reports },
    ...more,
  });
  try {
    await use({ listener, ca, reported });
  } finally {
    await listener.close(0);
  }
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array;
  readonly identity?: KeyedCertificate;
  readonly ca: KeyedCertificate;
}
export interface Answer {
  readonly status: number;
  /** Lower-case names and values, in order of receipt. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}
export type Client = (listener: Pick<Listener, "port">, ask: Ask) => Promise<Answer>;

/** One request on a separate HTTP/1.1 connection. */
export const http1: Client = ({ port }, { ca, identity, method = "GET", path = "/", headers = {}, body }) =>
  new Promise((resolve, reject) => {
    const request = httpsRequest({ host: "127.0.0.1", port, method, path, headers, agent: false, ca: ca.cert, ...identity }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on(
        "end",
        () => resolve({ status: response.statusCode ?? 0, headers: pairs(response.rawHeaders), body: Buffer.concat(chunks) }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });

/** One request on a separate HTTP/2 connection. */
export const http2: Client = async (listener, ask) => {
  const session = await http2Session(listener, ask);
  try {
    return await http2Ask(session, ask);
  } finally {
    session.close();
  }
};
export function http2Session(
  { port }: Pick<Listener, "port">,
  { ca, identity }: Pick<Ask, "ca" | "identity">,
): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { ca: ca.cert, maxSessionMemory: 64, ...identity });
    session.once("connect", () => resolve(session)).on("error", reject);
  });
}
export function http2Ask(session: ClientHttp2Session, ask: Omit<Ask, "ca" | "identity">): Promise<Answer> {
  const { method = "GET", path = "/", headers = {}, body } = ask;
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: body === undefined });
    const chunks: Buffer[] = [];
    let status = 0;
    let seen: (readonly [string, string])[] = [];
    stream.on("response", (got) => {
      status = Number(got[":status"]);
      // The client joins repeated headers; only some runtimes provide the raw ones here.
      seen = Object.entries(got).map(([name, value]) => [name, String(value)]);
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
    stream.on("end", () => resolve({ status, headers: seen, body: Buffer.concat(chunks) }));
    if (body !== undefined) stream.end(body);
  });
}

export const protocols: readonly (readonly [string, Client])[] = [["HTTP/1.1", http1], ["HTTP/2", http2]];

export interface Relay {
  readonly port: number;
  /** Bytes sent to the listener so far. */
  carried(): number;
}
/**
 * A relay to the listener that counts the bytes to it and, after `hearing` bytes, passes nothing from it: a client that does not read. (A
 * client in this process that does not read is not enough: Deno's TLS sockets continue to read.)
 */
export async function withRelay({ port }: Pick<Listener, "port">, hearing: number, use: (relay: Relay) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  let carried = 0;
  const server = createServer((client) => {
    const upstream = tcpConnect(port, "127.0.0.1");
    let heard = 0;
    for (const [socket, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => other.destroy());
      if (socket === upstream) socket.on("drain", () => other.resume());
    }
    client.on("data", (chunk) => {
      carried += chunk.length;
      if (!upstream.write(chunk)) client.pause();
    });
    upstream.on("data", (chunk) => {
      heard += chunk.length;
      client.write(chunk);
      if (heard > hearing) upstream.pause();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("the relay has no port");
  try {
    await use({ port: at.port, carried: () => carried });
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** A TLS connection to which a test writes arbitrary bytes. */
export function rawConnection({ port }: Pick<Listener, "port">, ca: KeyedCertificate): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ host: "127.0.0.1", port, ca: ca.cert, ALPNProtocols: ["http/1.1"] }, () => resolve(socket));
    socket.on("error", reject);
  });
}
/** The certificate of a new connection, in PEM's base64 without line ends. */
export function shownCertificate({ port }: Pick<Listener, "port">, servername?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["h2"] };
    const socket = tlsConnect({ ...options, ...(servername === undefined ? {} : { servername }) }, () => {
      resolve(Buffer.from(socket.getPeerCertificate().raw).toString("base64"));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
/** The same form of a known certificate. */
export function lettersOf({ cert }: KeyedCertificate): string {
  return cert.replace(/-----.*-----|\n/g, "");
}
/** All output until the other side closes. */
export function readAll(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => text += chunk.toString("latin1"));
    socket.once("close", () => resolve(text));
  });
}
export function textReply(body: Reply["body"], headers: Reply["headers"] = {}): Reply {
  return { status: 200, headers: { "content-type": "text/plain", ...headers }, body };
}
/** A promise with its resolve and reject functions. */
export function signalled(): { readonly promise: Promise<void>; readonly done: () => void } {
  let done = (): void => {};
  const promise = new Promise<void>((resolve) => done = resolve);
  return { promise, done: () => done() };
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? ""]] : []));
}
