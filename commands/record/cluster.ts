/** The cluster behind `thole record`. */
import type { Agent } from "node:http";
import { systemClock } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";
import { isObject } from "../../core/json.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { valueText } from "../../core/value-text.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import type { Chunks, Exchange, Reply } from "../../kernel/request/exchange.ts";
import { beginRequest, type BegunResponse } from "../../protocols/remote/begin-request.ts";
import type { RemoteAccess } from "../../protocols/remote/remote-access.ts";
import { agentOf } from "../../protocols/remote/remote-agent.ts";

/** Milliseconds for which credentials are used before the kubeconfig is read again. */
const recordCredentialsMs = bound(10_000);
/** Connections to the cluster that are open at a time: each watch has one. */
const recordConnectionsMax = bound(512);
/** Bytes of the body of one request. */
export const recordBodyBytesMax = bound(16 * 1024 * 1024);
/** Bytes of the answer that says who the user is. */
const reviewBytesMax = bound(1024 * 1024);

/** Headers of one connection, which are not passed on, those that are made anew, and those by which answers would be unreadable. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
  ],
  ...["host", "content-length", "authorization", "accept-encoding", "http2-settings"],
]);
/** Headers of an answer that are of its connection. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "proxy-connection",
  "trailer",
]);

/** A cluster that answers requests. */
export interface Cluster {
  /** Its address, for people. */
  readonly address: string;
  /** The user of the kubeconfig, as the cluster knows it. */
  readonly user: UserInfo;
  /** Sends a request with the credentials of the kubeconfig. Rejects if there is no answer. */
  answer(exchange: Exchange): Promise<Reply>;
}

/** Opens the cluster of a kubeconfig. Rejects for one that cannot be used, and when the signal aborts. */
export async function openCluster(kubeconfig: string, context: string | undefined, signal: AbortSignal): Promise<Cluster> {
  const connections = new Connections(() => readAccess(kubeconfig, context)), { access } = await connections.current();
  return { address: access.server.origin, user: await userOf(connections, signal), answer: (exchange) => answer(connections, exchange) };
}

class Connections {
  readonly #read: () => Promise<RemoteAccess>;
  #known: { readonly access: RemoteAccess; readonly agent: Agent; readonly at: number } | undefined;

  constructor(read: () => Promise<RemoteAccess>) {
    this.#read = read;
  }

  /** The credentials of now. Tokens in files are renewed. */
  async current(): Promise<{ readonly access: RemoteAccess; readonly agent: Agent }> {
    const now = systemClock.elapsed(), known = this.#known;
    if (known !== undefined && now - known.at < recordCredentialsMs) return known;
    const access = await this.#read(), isSame = known !== undefined && textOf(known.access) === textOf(access);
    const agent = isSame ? known.agent : agentOf(access, { connectionsMax: recordConnectionsMax });
    this.#known = { access, agent, at: now };
    return { access, agent };
  }
}
function textOf(access: RemoteAccess): string {
  return valueText({ ...access, server: access.server.href });
}

async function send(
  connections: Connections,
  { method, path, headers, body, signal }: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body: Uint8Array;
    readonly signal: AbortSignal;
  },
): Promise<BegunResponse> {
  const { access, agent } = await connections.current(), { server, host, authorization } = access;
  const base = server.pathname.endsWith("/") ? server.pathname.slice(0, -1) : server.pathname;
  const sent = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]])),
    ...(authorization === undefined ? {} : { authorization }),
    ...(host === undefined ? {} : { host }),
    ...(body.length === 0 && (method === "GET" || method === "HEAD") ? {} : { "content-length": String(body.length) }),
  };
  return await beginRequest(
    new URL(server.origin),
    { method, agent, path: `${base}${path}`, headers: sent },
    body.length === 0 ? undefined : body,
    signal,
  );
}

async function answer(connections: Connections, exchange: Exchange): Promise<Reply> {
  const { method, url, signal } = exchange, body = await exchange.body(recordBodyBytesMax);
  const passed = Object.entries(exchange.headers).flatMap(([name, value]): [string, string | readonly string[]][] =>
    value === undefined || name.startsWith(":") || ownHeaders.has(name) ? [] : [[name, value]]
  );
  const { message, took } = await send(connections, { method, path: url, headers: Object.fromEntries(passed), body, signal });
  const headers = Object.entries(message.headers).flatMap(([name, value]): [string, string | readonly string[]][] =>
    value === undefined || connectionHeaders.has(name) ? [] : [[name, value]]
  );
  return { status: message.statusCode ?? 502, headers: Object.fromEntries(headers), body: piecesOf(message, took) };
}

/** The pieces of an answer as they arrive: a watch is not buffered. */
function piecesOf(message: BegunResponse["message"], took: BegunResponse["took"]): Chunks {
  const pieces: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await pieces.next();
        if (result.done !== true) took(result.value.length);
        return result;
      },
      async return() {
        message.destroy();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Asks the cluster who the user is. A cluster that does not say gives a name for the recording only. */
async function userOf(connections: Connections, signal: AbortSignal): Promise<UserInfo> {
  const body = new TextEncoder().encode('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}');
  const headers = { "content-type": "application/json", accept: "application/json" },
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const { message } = await send(connections, { method: "POST", path, headers, body, signal });
  const text = new TextDecoder();
  let said = "";
  for await (const piece of message) {
    said += text.decode(piece, { stream: true });
    if (said.length > reviewBytesMax) break;
  }
  return userIn(said) ?? { name: "the user of the kubeconfig", groups: ["system:authenticated"] };
}
function userIn(text: string): UserInfo | undefined {
  try {
    const review: unknown = JSON.parse(text), status = isObject(review) ? review.status : undefined;
    const info = isObject(status) ? status.userInfo : undefined;
    if (!isObject(info) || typeof info.username !== "string") return undefined;
    const groups = Array.isArray(info.groups) ? info.groups.filter((each): each is string => typeof each === "string") : [];
    return { name: info.username, groups };
  } catch {
    return undefined;
  }
}
