/** A client of JSON over HTTPS: webhooks, and the kube-apiserver in front. */
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { limits } from "../../../core/limits.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { RemoteAccess } from "./kubeconfig.ts";
import { valueText } from "../../../core/value-text.ts";

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
}
export interface RemoteRequest {
  readonly method: "GET" | "POST";
  /** Path and query, below the path of the server's URL. "" for the URL itself. */
  readonly path: string;
  /** The value to send as JSON. */
  readonly body?: unknown;
  /** The JSON text to send, in place of `body`. */
  readonly json?: string;
  /** Headers besides the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}
export interface RemoteClient {
  /** Rejects if there is no response, with an error that has the host and no secret, or with the reason of the signal. */
  send(request: RemoteRequest): Promise<RemoteAnswer>;
  /** The JSON values of a streamed response, one per line. Rejects for an error response as well (`RemoteError`). */
  stream(path: string, signal: AbortSignal): AsyncIterable<unknown>;
  /** Closes idle connections. */
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

/** `read` returns the credentials; they are read again after ten seconds, and connections are replaced if they have changed. */
export function remoteClient(read: () => Promise<RemoteAccess>, now: () => number = () => performance.now()): TextClient {
  let known: { readonly access: RemoteAccess; readonly text: string; readonly agent: HttpAgent } | undefined;
  let readAt = -Infinity, reading: Promise<void> | undefined;

  async function renew(): Promise<void> {
    const access = await read();
    readAt = now();
    const text = valueText(access);
    if (known?.text === text) return;
    known?.agent.destroy();
    known = { access, text, agent: agentOf(access) };
  }
  async function current(): Promise<{ readonly access: RemoteAccess; readonly agent: HttpAgent }> {
    if (known === undefined || now() - readAt > limits.remoteCredentialsMs) {
      reading ??= renew().finally(() => reading = undefined);
      // The last valid credentials are used until new ones can be read.
      await (known === undefined ? reading : reading.catch(() => {}));
    }
    return known!; // Set or thrown by `renew`.
  }

  async function open({ method, path, body, json, headers, signal }: RemoteRequest): Promise<IncomingMessage> {
    const { access, agent } = await current();
    signal.throwIfAborted();
    const url = urlOf(access.server, path);
    const text = json ?? (body === undefined ? undefined : valueText(body));
    const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
    const options: RequestOptions = {
      method,
      agent,
      headers: {
        accept: "application/json",
        "user-agent": "thole",
        ...headers,
        ...(access.host === undefined ? {} : { host: access.host }),
        ...(access.authorization === undefined ? {} : { authorization: access.authorization }),
        ...(bytes === undefined ? {} : { "content-type": "application/json", "content-length": bytes.length }),
      },
    };
    return await new Promise((resolve, reject) => {
      const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options, resolve);
      sent.on("error", (error) => reject(signal.aborted ? signal.reason : new Error(`${url.host}: ${causeOf(error)}`, { cause: error })));
      const abort = () => {
        reject(signal.reason);
        cancel(sent);
      };
      signal.addEventListener("abort", abort, { once: true });
      sent.on("close", () => signal.removeEventListener("abort", abort));
      sent.end(bytes);
    });
  }

  return {
    async send(request) {
      const response = await open(request);
      const text = await textOf(response, request.signal);
      return { status: response.statusCode ?? 0, body: valueOf(text), retryAfter: secondsOf(response.headers["retry-after"]) };
    },
    async text(request, bytesMax, observer) {
      const response = await open(request);
      observer?.began();
      const text = await textOf(response, request.signal, bytesMax, observer);
      return { status: response.statusCode ?? 0, contentType: response.headers["content-type"] ?? "", text };
    },
    async *stream(path, signal) {
      const response = await open({ method: "GET", path, signal });
      const status = response.statusCode ?? 0;
      if (status !== 200) throw new RemoteError(status, messageOf(valueOf(await textOf(response, signal))) ?? `status ${status}`);
      for await (const line of linesOf(response)) {
        const value = valueOf(line);
        if (value === undefined) throw new Error("a line of the stream is not JSON");
        yield value;
      }
    },
    close: () => known?.agent.destroy(),
  };
}

/** Ends a request. Deno would send it again, without an end, if its connection had served another one before. */
function cancel(sent: ClientRequest): void {
  sent.reusedSocket = false;
  sent.destroy();
}

function agentOf({ server, ca, cert, key, serverName, insecure }: RemoteAccess): HttpAgent {
  const pool = { keepAlive: true, maxSockets: limits.remoteConnectionsMax };
  if (server.protocol === "http:") return new HttpAgent(pool);
  return new HttpsAgent({
    ...pool,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  });
}

function urlOf(server: URL, path: string): URL {
  if (path === "") return server;
  const url = new URL(server), [name = "", query = ""] = path.split("?", 2);
  url.pathname = `${server.pathname.replace(/\/$/, "")}${name}`;
  url.search = query;
  return url;
}

async function textOf(
  response: IncomingMessage,
  signal: AbortSignal,
  bytesMax = limits.remoteAnswerBytesMax,
  observer?: ResponseObserver,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Uint8Array).length;
      if (bytes > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
      observer?.received((chunk as Uint8Array).length);
      chunks.push(chunk as Uint8Array);
    }
  } catch (error) {
    response.destroy();
    throw signal.aborted ? signal.reason : error;
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > limits.remoteAnswerBytesMax) throw new Error(`a line is longer than ${limits.remoteAnswerBytesMax} characters`);
    for (const line of lines) if (line !== "") yield line;
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
/** The message of a Status. */
export function messageOf(body: unknown): string | undefined {
  const { message } = (typeof body === "object" && body !== null ? body : {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : undefined;
}
function secondsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

/** Errors of several addresses are one error without a message. */
function causeOf(error: unknown): string {
  const { errors } = error as { readonly errors?: readonly unknown[] };
  return reasonOf(errors?.[0] ?? error) || String((error as { readonly code?: unknown }).code ?? "no connection");
}
