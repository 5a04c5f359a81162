import { Buffer } from "node:buffer";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/**
 * As much of a gRPC client as the store needs, over node:http2: one call is one HTTP/2 stream, one message is a byte 0, its length in
 * four bytes and its bytes, and the outcome comes in the trailers.
 */
export interface Method<Request, Reply> {
  readonly path: string;
  readonly encode: (request: Request) => Uint8Array;
  readonly decode: (bytes: Buffer) => Reply;
}

export interface Tls {
  /** PEM; without it the authorities that the runtime believes count. */
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

export interface ChannelOptions {
  /** Asked for with each connection that is made. */
  readonly tls?: (() => Tls) | undefined;
  /** After so many milliseconds with a call under way the other end is asked whether it is still there; it has a third of it to answer. */
  readonly keepaliveMs: number;
}

/** Calls to one endpoint over one connection, which is made when it is needed and made again when it is lost. */
export interface Channel {
  /** Rejects with a GrpcError, or with the signal's reason. */
  call<Request, Reply>(method: Method<Request, Reply>, request: Request, timeoutMs: number, signal?: AbortSignal): Promise<Reply>;
  /** A call in which both sides send as many messages as they like. Rejects with a GrpcError when there is no connection. */
  stream<Request, Reply>(method: Method<Request, Reply>, headers: Readonly<Record<string, string>>): Promise<MessageStream<Request, Reply>>;
  /** Ends the connection; what is under way on it fails. */
  close(): void;
}

/** Iterating it throws a GrpcError however the stream ends, except after cancel(). */
export interface MessageStream<Request, Reply> extends AsyncIterable<Reply> {
  send(request: Request): void;
  cancel(): void;
}

/** The gRPC status codes that mean something here. */
export const grpcCode = Object.freeze({ ok: 0, unknown: 2, deadlineExceeded: 4, resourceExhausted: 8, unavailable: 14 });

/** A call that failed; `unsent` says that the server certainly did nothing. */
export class GrpcError extends Error {
  readonly code: number;
  readonly unsent: boolean;
  constructor(code: number, message: string, more: { unsent?: boolean; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = "GrpcError";
    this.code = code;
    this.unsent = more.unsent ?? false;
  }
}

const connectMs = 5000;
const frameHead = 5;
/** Bytes that may be on their way to us unread: of one stream, and of the connection. */
const streamWindowBytes = 8 * 1024 * 1024;
const connectionWindowBytes = 32 * 1024 * 1024;
/** Node refuses streams of a session that holds more than this; large values by the dozen are normal here. */
const sessionMegabytesMax = 1024;

/** A connection that stands. */
interface Session {
  readonly usable: boolean;
  /** Opens a stream; throws a GrpcError where that is no longer possible. */
  open(headers: Readonly<Record<string, string>>): ClientHttp2Stream;
  /** Destroys the connection unless the other end answers soon. */
  probe(): void;
  /** Ends it and its streams. */
  close(): void;
}

export function openChannel(endpoint: string, options: ChannelOptions): Channel {
  let session: Session | undefined;
  let opening: Promise<Session> | undefined;
  let closed = false;

  async function connected(): Promise<Session> {
    if (session?.usable) return session;
    if (closed) throw new GrpcError(grpcCode.unavailable, "The channel is closed", { unsent: true });
    opening ??= openSession(endpoint, options).then((opened) => {
      if (closed) opened.close();
      return session = opened;
    }).finally(() => opening = undefined);
    return opening;
  }

  return {
    async call(method, request, timeoutMs, signal) {
      signal?.throwIfAborted();
      const standing = await connected();
      signal?.throwIfAborted();
      return unary(standing, method, request, timeoutMs, signal);
    },
    stream: async (method, headers) => messageStream((await connected()).open(requestHeaders(method.path, headers)), method),
    close() {
      closed = true;
      session?.close();
    },
  };
}

/** Resolves when the connection stands, TLS included. */
function openSession(endpoint: string, { tls, keepaliveMs }: ChannelOptions): Promise<Session> {
  const socket = openSocket(new URL(endpoint), tls?.());
  const http2 = connect(endpoint, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    maxSessionMemory: sessionMegabytesMax,
  });
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      clearTimeout(timer);
      http2.destroy();
      socket.destroy();
      reject(lost(`Cannot connect to ${endpoint}`, cause, true));
    };
    const timer = setTimeout(() => fail(`no answer within ${connectMs} ms`), connectMs);
    http2.on("error", fail); // stays: later errors reach the calls through their streams
    http2.on("close", () => fail("the connection was closed"));
    // After a TLS alert behind the handshake (a refused certificate) Node's session tells nobody and keeps its socket.
    socket.on("error", fail);
    http2.once("connect", () => {
      clearTimeout(timer);
      http2.setLocalWindowSize(connectionWindowBytes);
      resolve(sessionOf(http2, socket, keepaliveMs));
    });
  });
}

function openSocket({ protocol, hostname, port }: URL, tls: Tls | undefined): Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "http:") return connectTcp({ host, port: Number(port || 80) });
  const own = tls &&
    { ...(tls.ca && { ca: pem(tls.ca) }), ...(tls.cert && { cert: pem(tls.cert) }), ...(tls.key && { key: pem(tls.key) }) };
  // An address is checked against the certificate, and never sent as a name (RFC 6066, 3).
  return connectTls({ host, port: Number(port || 443), ALPNProtocols: ["h2"], ...own, ...(isIP(host) === 0 && { servername: host }) });
}

function sessionOf(http2: ClientHttp2Session, socket: Socket, keepaliveMs: number): Session {
  let streams = 0;
  let answered: ReturnType<typeof setTimeout> | undefined;

  function probe(): void {
    if (answered !== undefined || http2.destroyed) return;
    answered = setTimeout(() => http2.destroy(new Error("the connection has gone silent")), Math.ceil(keepaliveMs / 3));
    http2.ping(() => {
      clearTimeout(answered);
      answered = undefined;
    });
  }
  // Servers take pings without a call under way amiss.
  const timer = setInterval(() => streams > 0 && probe(), keepaliveMs);
  const end = (): void => {
    clearInterval(timer);
    clearTimeout(answered);
  };
  socket.once("close", end);
  return {
    get usable() {
      return !http2.closed && !http2.destroyed;
    },
    open(headers) {
      try {
        const stream = http2.request(headers);
        streams += 1;
        stream.once("close", () => streams -= 1);
        return stream;
      } catch (cause) {
        throw lost("Cannot open a stream", cause, true);
      }
    },
    probe,
    close: () => http2.destroy(),
  };
}

function unary<Request, Reply>(
  session: Session,
  { path, encode, decode }: Method<Request, Reply>,
  request: Request,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const stream = session.open(requestHeaders(path));
  const outcome = outcomeOf(stream);
  const chunks: Buffer[] = [];
  return new Promise<Reply>((resolve, reject) => {
    const give = (reason: unknown): void => {
      reject(reason);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const abort = (): void => give(signal?.reason);
    const timer = setTimeout(() => {
      give(new GrpcError(grpcCode.deadlineExceeded, `No answer within ${timeoutMs} ms`));
      session.probe();
    }, timeoutMs);
    signal?.addEventListener("abort", abort);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      try {
        const failure = outcome();
        if (failure === undefined) resolve(decode(onlyMessage(chunks)));
        else reject(failure);
      } catch (error) {
        reject(error);
      }
    };
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("close", settle);
    stream.on("end", () => {
      // A server may answer before it has read all, one that refuses a message for its size for one; and a runtime that has much
      // to do learns of the answer before it learns that all was sent.
      if (stream.closed || stream.writableFinished) return;
      settle();
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.end(framed(encode(request)));
  });
}

function messageStream<Request, Reply>(
  stream: ClientHttp2Stream,
  { encode, decode }: Method<Request, Reply>,
): MessageStream<Request, Reply> {
  const outcome = outcomeOf(stream);
  let cancelled = false;

  async function* messages(): AsyncGenerator<Reply, void> {
    const frames = frameReader();
    try {
      for await (const chunk of stream) {
        for (const message of frames(chunk)) yield decode(message);
      }
    } catch (cause) {
      if (!cancelled) throw outcome() ?? cause;
    }
    if (!cancelled) throw outcome() ?? new GrpcError(grpcCode.unavailable, "The server ended the stream");
  }
  return {
    send: (request) => void stream.write(framed(encode(request))),
    cancel() {
      cancelled = true;
      stream.close(constants.NGHTTP2_CANCEL);
    },
    [Symbol.asyncIterator]: messages,
  };
}

function requestHeaders(path: string, more?: Readonly<Record<string, string>>): Record<string, string> {
  return { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...more };
}

/** Listens for what becomes of a stream; once it is closed, the returned function gives its failure, if it is one. */
function outcomeOf(stream: ClientHttp2Stream): () => GrpcError | undefined {
  let status: { readonly code: number; readonly message: string } | undefined;
  let cause: unknown;
  const note = (headers: IncomingHttpHeaders): void => {
    const code = headers["grpc-status"];
    if (code !== undefined) status = { code: Number(code), message: decoded(String(headers["grpc-message"] ?? "")) };
    else if (Number(headers[":status"] ?? 200) !== 200) {
      status = { code: grpcCode.unavailable, message: `HTTP status ${headers[":status"]}` };
    }
  };
  stream.on("response", note);
  stream.on("trailers", note);
  stream.on("error", (error) => cause = error);
  return () => {
    if (status !== undefined) return status.code === grpcCode.ok ? undefined : new GrpcError(status.code, status.message);
    // A refused stream is one that the server has not looked at (RFC 9113, 8.7).
    return lost("The connection was lost", cause ?? "the stream was closed", stream.rstCode === constants.NGHTTP2_REFUSED_STREAM);
  };
}

function lost(what: string, cause: unknown, unsent: boolean): GrpcError {
  return new GrpcError(grpcCode.unavailable, `${what}: ${cause instanceof Error ? cause.message : cause}`, { unsent, cause });
}

/** gRPC sends messages percent-encoded; what is not well encoded is taken as it is. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHead + message.length);
  frame[0] = 0; // not compressed
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, frameHead);
  return frame;
}

function onlyMessage(chunks: readonly Buffer[]): Buffer {
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  if (bytes.length < frameHead || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - frameHead) {
    throw new GrpcError(grpcCode.unavailable, "The server sent something other than one plain message");
  }
  return bytes.subarray(frameHead);
}

/** Puts messages together from chunks that are cut anywhere, without copying what is still incomplete again and again. */
function frameReader(): (chunk: Buffer) => Iterable<Buffer> {
  let parts: Buffer[] = [];
  let have = 0;
  let need = frameHead;
  return function* (chunk) {
    parts.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const bytes: Buffer = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      need = frameHead + bytes.readUInt32BE(1);
      parts = [bytes];
      if (have < need) return;
      yield bytes.subarray(frameHead, need);
      have -= need;
      parts = have === 0 ? [] : [bytes.subarray(need)];
      need = frameHead;
    }
  };
}

function pem(text: string | Uint8Array): string | Buffer {
  return typeof text === "string" ? text : Buffer.from(text);
}
