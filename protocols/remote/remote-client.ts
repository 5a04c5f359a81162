/** A client of JSON over HTTPS: webhooks, and the kube-apiserver in front. */
import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import { beginRequest, type BegunResponse } from "./begin-request.ts";
import type { RemoteAccess } from "./remote-access.ts";
import { checkRedirects, redirectOf } from "./redirects.ts";
import { agentOf } from "./remote-agent.ts";
import { TurnBound } from "./turn-bound.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds for one request to a webhook that states no other time (kube-apiserver's value). */
export const remoteCallMs = bound(30_000);
/** Bytes of an answer of a webhook or of the cluster in front, and of one event of a watch there. */
export const remoteAnswerBytesMax = bound(3 * 1024 * 1024);
/** Bytes of the content of one redirect. */
const remoteRedirectBytesMax = bound(64 * 1024);
/** Bytes of the answers of all remote servers in one turn of the event loop; others go on in later turns. */
export const remoteTurnBytesMax = bound(256 * 1024);
/** Requests to all remote servers in one turn of the event loop; others go on in later turns. */
export const remoteTurnRequestsMax = bound(4);
/** Milliseconds for which credentials of a webhook or cluster are used before their files are read again. */
export const remoteCredentialsMs = bound(10_000);

/** A response: the status, and the value of its JSON body; undefined if the body is not JSON. */
export interface RemoteAnswer {
  readonly status: number;
  readonly body: unknown;
  /** Seconds of a Retry-After header. */
  readonly retryAfter: number | undefined;
}
/** A response with the text of its body. */
export interface RemoteText {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** Target of a redirect that was not followed. */
  readonly location?: string | undefined;
  /** Seconds of a Retry-After header. */
  readonly retryAfter?: number | undefined;
}
/** A response whose body arrives while it is read. The body must be read, or its iteration ended. */
export interface RemoteLines {
  readonly status: number;
  readonly retryAfter: number | undefined;
  /** The lines of the body, each of at most this many characters. The server waits while no line is read. */
  lines(lengthMax: number): AsyncIterable<string>;
  /** The whole body, of at most this many bytes. */
  text(bytesMax: number): Promise<string>;
}
export interface RemoteRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, below the path of the server's URL. "" for the URL itself. */
  readonly path: string;
  /** The value to send as JSON. */
  readonly body?: unknown;
  /** The JSON text to send, in place of `body`. */
  readonly json?: string;
  /** Headers besides the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole answer. Default: `remoteCallMs`; Infinity if the signal is the bound. */
  readonly timeoutMs?: number;
}
/** Redirects are followed within the origin of the server. Every part of an answer has a bound, and so has its time. */
export interface RemoteClient {
  /** Rejects if there is no response, with an error that has the host and no secret, or with the reason of the signal. */
  send(request: RemoteRequest): Promise<RemoteAnswer>;
  /** The JSON values of a streamed response, one per line. Rejects for an error response as well (`RemoteError`). */
  stream(path: string, signal: AbortSignal): AsyncIterable<unknown>;
  /** Ends all connections. */
  close(): void;
}
/** Observes the response of a request while it arrives. */
export interface ResponseObserver {
  /** The headers have arrived. */
  began(): void;
  /** A part of the body has arrived. An error that this throws ends the request. */
  received(bytes: number): void;
}
/** A client of other documents than JSON. */
export interface TextClient extends RemoteClient {
  /** As `send`, with a body of any type and of at most this many bytes. */
  text(request: RemoteRequest, bytesMax: number, observer?: ResponseObserver): Promise<RemoteText>;
  /** Begins a response whose body may take any time. The time of the request is for its head. */
  begin(request: RemoteRequest): Promise<RemoteLines>;
}
/** An error response. */
export class RemoteError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = "RemoteError";
    this.status = status;
  }
}

/** `read` returns the credentials. `connectionsMax`: connections at a time; further requests wait. */
export function remoteClient(
  read: () => Promise<RemoteAccess>,
  now: () => number = () => performance.now(),
  connectionsMax?: number,
): TextClient {
  return new AgentClient(read, now, connectionsMax);
}

interface Known {
  readonly access: RemoteAccess;
  /** All of the access but its Authorization header. */
  readonly text: string;
  readonly agent: Agent;
}

/**
 * A client whose credentials are read again after ten seconds. Connections are replaced if anything else than the Authorization header has
 * changed.
 */
class AgentClient implements TextClient {
  readonly #read: () => Promise<RemoteAccess>;
  readonly #now: () => number;
  readonly #connectionsMax: number | undefined;
  #known: Known | undefined;
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<RemoteAccess>, now: () => number, connectionsMax: number | undefined) {
    this.#read = read;
    this.#now = now;
    this.#connectionsMax = connectionsMax;
  }
  send(request: RemoteRequest): Promise<RemoteAnswer> {
    return inTime(request, async (signal) => {
      const response = await this.#open({ ...request, signal }), { statusCode: status = 0, headers } = response.message;
      const text = await textOf(response, signal);
      return { status, body: valueOf(text), retryAfter: secondsOf(headers["retry-after"]) };
    });
  }
  text(request: RemoteRequest, bytesMax: number, observer?: ResponseObserver): Promise<RemoteText> {
    return inTime(request, async (signal) => {
      const response = await this.#open({ ...request, signal }), { statusCode: status = 0, headers } = response.message;
      observer?.began();
      const text = await textOf(response, signal, bytesMax, observer);
      return {
        status,
        contentType: headers["content-type"] ?? "",
        text,
        location: headers.location,
        retryAfter: secondsOf(headers["retry-after"]),
      };
    });
  }
  async begin(request: RemoteRequest): Promise<RemoteLines> {
    const { signal, timeoutMs = remoteCallMs } = request, time = new Deadline(signal, timeoutMs);
    const response = await this.#open({ ...request, signal: time.signal }).catch((error: unknown) => {
      time.end();
      throw error;
    });
    time.met();
    const { statusCode: status = 0, headers } = response.message;
    return {
      status,
      retryAfter: secondsOf(headers["retry-after"]),
      async *lines(lengthMax) {
        try {
          yield* linesOf(response, lengthMax);
        } finally {
          time.end();
        }
      },
      text: (bytesMax) => textOf(response, time.signal, bytesMax).finally(() => time.end()),
    };
  }
  async *stream(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
    const time = new Deadline(signal, remoteCallMs);
    try {
      const response = await this.#open({ method: "GET", path, signal: time.signal }), { statusCode: status = 0 } = response.message;
      if (status !== 200) throw new RemoteError(status, messageOf(valueOf(await textOf(response, time.signal))) ?? `status ${status}`);
      time.met();
      for await (const line of linesOf(response)) {
        const value = valueOf(line);
        if (value === undefined) throw new Error("a line of the stream is not JSON");
        yield value;
      }
    } finally {
      time.end();
    }
  }
  close(): void {
    this.#known?.agent.destroy();
  }

  async #renew(): Promise<void> {
    const access = await this.#read();
    this.#readAt = this.#now();
    const { authorization: _, ...connection } = access, text = valueText(connection);
    if (this.#known?.text === text) this.#known = { ...this.#known, access };
    else {
      this.#known?.agent.destroy();
      this.#known = {
        access,
        text,
        agent: agentOf(access, this.#connectionsMax === undefined ? {} : { connectionsMax: this.#connectionsMax }),
      };
    }
  }
  async #current(): Promise<{ readonly access: RemoteAccess; readonly agent: Agent }> {
    if (this.#known === undefined || this.#now() - this.#readAt > remoteCredentialsMs) {
      this.#reading ??= this.#renew().finally(() => this.#reading = undefined);
      // The last valid credentials are used until new ones can be read.
      await (this.#known === undefined ? this.#reading : this.#reading.catch(() => {}));
    }
    return this.#known!; // Set or thrown by `renew`.
  }

  async #open({ method, path, body, json, headers, signal }: RemoteRequest): Promise<BegunResponse> {
    const { access, agent } = await this.#current(), turn = beginning.took(1);
    if (turn !== undefined) await turn;
    signal.throwIfAborted();
    const text = json ?? (body === undefined ? undefined : valueText(body));
    const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
    const options: RequestOptions = {
      method,
      agent,
      headers: {
        accept: "application/json",
        "user-agent": "thole",
        ...(bytes === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
        ...(access.host === undefined ? {} : { host: access.host }),
        ...(access.authorization === undefined ? {} : { authorization: access.authorization }),
        ...(bytes === undefined ? {} : { "content-length": bytes.length }),
      },
    };
    let url = urlOf(access.server, path);
    for (let followed = 0;; followed++) {
      const response = await beginRequest(url, options, bytes, signal),
        { statusCode: status = 0, headers: { location } } = response.message;
      const next = redirectOf({ status, location, method }, url, access);
      if (next === undefined) return response;
      checkRedirects(followed);
      await textOf(response, signal, remoteRedirectBytesMax);
      url = next;
    }
  }
}

/** Runs a request with a signal that aborts with that of the request, or when its time is over. */
async function inTime<T>(
  { signal, timeoutMs = remoteCallMs }: Pick<RemoteRequest, "signal" | "timeoutMs">,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs === Infinity) return await run(signal);
  const time = new Deadline(signal, timeoutMs);
  try {
    return await run(time.signal);
  } finally {
    time.end();
  }
}

/** A signal that aborts with another one, or after a time. */
class Deadline {
  readonly signal: AbortSignal;
  readonly #outer: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #leave: () => void;

  constructor(outer: AbortSignal, ms: number) {
    const over = new AbortController();
    this.signal = over.signal;
    this.#outer = outer;
    this.#leave = () => over.abort(outer.reason);
    this.#timer = setTimeout(() => over.abort(new Error(`no complete answer within ${ms} ms`)), ms);
    if (outer.aborted) this.#leave();
    outer.addEventListener("abort", this.#leave, { once: true });
  }
  /** Only the outer signal counts from now on. */
  met(): void {
    clearTimeout(this.#timer);
  }
  end(): void {
    this.met();
    this.#outer.removeEventListener("abort", this.#leave);
  }
}

function urlOf(server: URL, path: string): URL {
  if (path === "") return server;
  const url = new URL(server), [name = "", query = ""] = path.split("?", 2);
  url.pathname = `${server.pathname.replace(/\/$/, "")}${name}`;
  url.search = query;
  return url;
}

/** Of all clients. */
const reading = new TurnBound(remoteTurnBytesMax), beginning = new TurnBound(remoteTurnRequestsMax);

async function textOf(
  { message, took, reasonOf }: BegunResponse,
  signal: AbortSignal,
  bytesMax = remoteAnswerBytesMax,
  observer?: ResponseObserver,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(message)) {
      took(chunk.length);
      bytes += chunk.length;
      if (bytes > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
      observer?.received(chunk.length);
      chunks.push(chunk);
      const turn = reading.took(chunk.length);
      if (turn !== undefined) await turn;
    }
    // The caller reads a large answer at once: in a turn of its own.
    if (bytes > remoteTurnBytesMax) await reading.took(bytes);
  } catch (error) {
    message.destroy();
    throw signal.aborted ? signal.reason : reasonOf(error);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function* linesOf({ message, took, reasonOf }: BegunResponse, lengthMax: number = remoteAnswerBytesMax): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  /** The pieces of the line that has not ended: joined once, because a long line has many. */
  let pieces: string[] = [], length = 0;
  try {
    for await (const chunk of chunksOf(message)) {
      took(chunk.length);
      const text = decoder.decode(chunk, { stream: true });
      let from = 0;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
        const line = pieces.join("") + text.slice(from, at);
        [pieces, length, from] = [[], 0, at + 1];
        if (line !== "") yield line;
      }
      pieces.push(text.slice(from));
      length += text.length - from;
      if (length > lengthMax) throw new Error(`a line is longer than ${lengthMax} characters`);
    }
  } catch (error) {
    throw reasonOf(error);
  }
}

function chunksOf(message: IncomingMessage): AsyncIterable<Uint8Array> {
  return message; // its chunks are Buffers: no encoding was set
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
/** Returns the message of a Status. */
export function messageOf(body: unknown): string | undefined {
  const { message } = (typeof body === "object" && body !== null ? body : {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : undefined;
}
function secondsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
