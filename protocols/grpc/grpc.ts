import { Buffer } from "node:buffer";
import { type Deadlines, deadlines } from "./deadlines.ts";
import { grpcCode, GrpcError, lostError } from "./errors.ts";
import { frameMessage, messageReader, onlyMessage } from "./messages.ts";
import { connectSession, type GrpcSession, type SessionOptions } from "./session.ts";
import { headerBlock, type Headers } from "../http2/client/hpack.ts";
import type { Lost, Stream, StreamEvents } from "../http2/client/session.ts";

/**
 * A minimal gRPC client over HTTP/2. One call is one stream. A message is a zero byte, its length in four bytes, and its bytes. The
 * status is in the trailers.
 */
export interface Method<Request, Reply> {
  readonly path: string;
  readonly encode: (request: Request) => Uint8Array;
  readonly decode: (bytes: Buffer) => Reply;
}

/** Calls to one endpoint over one connection, which is opened on demand and reopened after a failure. */
export interface Channel {
  /** Rejects with a GrpcError, or with the signal's reason. */
  call<Request, Reply>(method: Method<Request, Reply>, request: Request, timeoutMs: number, signal?: AbortSignal): Promise<Reply>;
  /** Opens a bidirectional stream, or with `only` one that answers this request. Rejects with a GrpcError if there is no connection. */
  stream<Request, Reply>(
    method: Method<Request, Reply>,
    headers: Readonly<Record<string, string>>,
    only?: Request,
  ): Promise<MessageStream<Request, Reply>>;
  /** Closes the connection; calls in progress fail. */
  close(): void;
}

/** Yields all messages that have arrived together. Throws a GrpcError at any end of the stream except cancel(), and the good end of an answer. */
export interface MessageStream<Request, Reply> extends AsyncIterable<readonly Reply[]> {
  send(request: Request): void;
  cancel(): void;
}

export interface ChannelOptions extends SessionOptions {
  /** Bytes of the answer of a call, with its gRPC header; a longer one fails the call. Default: no bound of its own. */
  readonly answerBytesMax?: number;
}

export function openChannel(endpoint: string, options: ChannelOptions): Channel {
  const headers = headersFor(endpoint);
  const late = deadlines();
  let session: GrpcSession | undefined;
  let opening: Promise<GrpcSession> | undefined;
  let closed = false;

  async function connected(): Promise<GrpcSession> {
    if (session?.usable) return session;
    if (closed) throw new GrpcError(grpcCode.unavailable, "The channel is closed", { unsent: true });
    opening ??= connectSession(endpoint, options).then((opened) => {
      if (closed) opened.close();
      return session = opened;
    }).finally(() => opening = undefined);
    return opening;
  }

  return {
    async call(method, request, timeoutMs, signal) {
      signal?.throwIfAborted();
      const standing = session?.usable ? session : await connected();
      signal?.throwIfAborted();
      const bounds = { timeoutMs, signal, answerBytesMax: options.answerBytesMax ?? Infinity };
      return unary(standing, headers(method.path), method, request, late, bounds);
    },
    stream: async (method, more, only) => messageStream(await connected(), headers(method.path, more), method, only),
    close() {
      closed = true;
      session?.close();
      late.close();
    },
  };
}

function unary<Request, Reply>(
  session: GrpcSession,
  headers: Buffer,
  { encode, decode }: Method<Request, Reply>,
  request: Request,
  late: Deadlines,
  { timeoutMs, signal, answerBytesMax }: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly answerBytesMax: number;
  },
): Promise<Reply> {
  return new Promise<Reply>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status: Status | undefined, bytes = 0;
    const stream = openStream(session, headers, frameMessage(encode(request)), {
      headers: (headers) => status = statusOf(headers) ?? status,
      data(chunk) {
        bytes += chunk.length;
        if (bytes <= answerBytesMax) return void chunks.push(chunk);
        chunks.length = 0;
        give(new GrpcError(grpcCode.resourceExhausted, `The answer has more than ${answerBytesMax} bytes`));
      },
      end(lost) {
        forget();
        try {
          const failure = failureOf(status, lost);
          if (failure === undefined) resolve(decode(onlyMessage(chunks)));
          else reject(failure);
        } catch (error) {
          reject(error);
        }
      },
    });
    const give = (reason: unknown): void => {
      forget();
      reject(reason);
      stream.cancel();
    };
    const abort = (): void => give(signal?.reason);
    const isInTime = late.after(timeoutMs, () => {
      give(new GrpcError(grpcCode.deadlineExceeded, `No answer within ${timeoutMs} ms`));
      session.probe();
    });
    const forget = (): void => {
      isInTime();
      signal?.removeEventListener("abort", abort);
    };
    signal?.addEventListener("abort", abort);
  });
}

function messageStream<Request, Reply>(
  session: GrpcSession,
  headers: Buffer,
  { encode, decode }: Method<Request, Reply>,
  only: Request | undefined,
): MessageStream<Request, Reply> {
  let chunks: Buffer[] = [];
  let status: Status | undefined;
  let failure: GrpcError | undefined;
  let cancelled = false, isAnswered = false;
  let wake = (): void => {};
  const stream = openStream(session, headers, only === undefined ? undefined : frameMessage(encode(only)), {
    isPaced: true,
    headers: (headers) => status = statusOf(headers) ?? status,
    data(chunk) {
      chunks.push(chunk);
      wake();
    },
    end(lost) {
      const failed = failureOf(status, lost);
      isAnswered = failed === undefined && only !== undefined;
      if (!isAnswered) failure = failed ?? new GrpcError(grpcCode.unavailable, "The server ended the stream");
      wake();
    },
  });

  async function* messages(): AsyncGenerator<readonly Reply[], void> {
    const read = messageReader();
    while (!cancelled) {
      const come = chunks;
      chunks = [];
      const replies: Reply[] = [];
      let bytes = 0;
      for (const chunk of come) {
        for (const message of read(chunk)) replies.push(decode(message));
        bytes += chunk.length;
      }
      if (replies.length > 0) yield replies;
      if (bytes > 0) stream.used(bytes);
      if (chunks.length > 0 || cancelled) continue;
      if (failure !== undefined) throw failure;
      if (isAnswered) return;
      await new Promise<void>((resolve) => wake = resolve);
    }
  }
  return {
    send: (request) => stream.send(frameMessage(encode(request))),
    cancel() {
      cancelled = true;
      stream.cancel();
      wake();
    },
    [Symbol.asyncIterator]: messages,
  };
}

function openStream(session: GrpcSession, headers: Buffer, whole: Buffer | undefined, events: StreamEvents): Stream {
  try {
    return session.open(headers, whole, events);
  } catch (cause) {
    throw lostError("Cannot open a stream", cause, true);
  }
}

/** Returns the header blocks of each method, encoded once; `more` is for rare additional headers. */
function headersFor(endpoint: string): (path: string, more?: Readonly<Record<string, string>>) => Buffer {
  const { protocol, host } = new URL(endpoint), isSocket = protocol === "unix:";
  const known = new Map<string, Buffer>();
  return (path, more) => {
    const before = more === undefined ? known.get(path) : undefined;
    if (before !== undefined) return before;
    const block = headerBlock([
      [":method", "POST"],
      [":scheme", isSocket ? "http" : protocol.slice(0, -1)],
      [":path", path],
      [":authority", isSocket ? "localhost" : host],
      ["content-type", "application/grpc"],
      ["te", "trailers"],
      ...Object.entries(more ?? {}),
    ]);
    if (more === undefined) known.set(path, block);
    return block;
  };
}

interface Status {
  readonly code: number;
  readonly message: string;
}

/** Returns the status in headers, if they have one. */
function statusOf(headers: Headers): Status | undefined {
  const code = headers.get("grpc-status");
  if (code !== undefined) return { code: Number(code), message: decodeText(headers.get("grpc-message") ?? "") };
  const http = headers.get(":status") ?? "200";
  return http === "200" ? undefined : { code: grpcCode.unavailable, message: `HTTP status ${http}` };
}

function failureOf(status: Status | undefined, ended: Lost | undefined): GrpcError | undefined {
  if (status !== undefined) {
    return status.code === grpcCode.ok ? undefined : new GrpcError(status.code, status.message, { fromServer: true });
  }
  return lostError("The connection was lost", ended?.cause ?? "the stream was closed", ended?.unsent ?? false);
}

/** Decodes the percent-encoding of gRPC messages; an invalid encoding is returned unchanged. */
function decodeText(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
