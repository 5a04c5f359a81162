/** Requests of an API over HTTPS. */
import { type Clock, pause, systemClock } from "../core/async.ts";
import { bound } from "../core/bound.ts";
import type { ApiList } from "../core/api.ts";
import { statusErrorOf } from "../core/client/status-error-of.ts";
import type { ApiRequest, ApiTransport, WatchEvent } from "../core/client/transport.ts";
import type { Json } from "../core/json.ts";
import type { ApiObject } from "../core/meta/object-meta.ts";
import type { Names } from "../core/names.ts";
import { StatusError } from "../core/status-error.ts";
import { goJson } from "../core/tree/json-text.ts";
import { plainJson } from "../core/tree/plain-json.ts";
import type { RemoteRequest, TextClient } from "../protocols/remote/remote-client.ts";
import { kindsOf } from "./kinds.ts";

/** Bytes of a response, such as a list without a limit. */
export const clientAnswerBytesMax = bound(256 * 1024 * 1024);
/** UTF-16 units of one event of a watch. */
export const clientEventLengthMax = bound(16 * 1024 * 1024);
/** Milliseconds for a response, or for the head of the response of a watch. Servers end other requests after a minute (--request-timeout). */
const clientCallMs = bound(120_000);
/** Seconds of the shortest watch. The longest takes twice as long (client-go's reflectors). */
const clientWatchSecondsMin = bound(300);
/** Milliseconds after the time of a watch at which its connection ends, if the server has not ended it. */
const clientWatchGraceMs = bound(30_000);
/** Attempts after a response with a Retry-After header (client-go). */
const clientRetriesMax = bound(10);
/** Longest wait, in milliseconds, before such an attempt. */
const clientRetryMsMax = bound(30_000);

/** What the requests of a client have in common. */
export interface RemoteApiOptions {
  readonly fieldManager: string;
  readonly names: Names;
  /** Ends all requests when it aborts. */
  readonly closed: AbortSignal;
  readonly clock?: Clock;
}

/** The transport over `calls`, and for watches `watches`, which has a connection for each of them. */
export function remoteApi(calls: TextClient, watches: TextClient, options: RemoteApiOptions): ApiTransport {
  const { fieldManager, names, closed, clock = systemClock } = options;
  const signalOf = ({ signal }: ApiRequest) => signal === undefined ? closed : AbortSignal.any([signal, closed]);

  async function ask(request: ApiRequest): Promise<any> {
    const signal = signalOf(request);
    for (let retries = 0, isSecond = false;;) {
      const answer = await calls.text(requestOf(request, signal), clientAnswerBytesMax).catch((error: unknown) => {
        // A server may have closed the connection while it was idle. Only reads are sent again: a write may have been stored.
        if (isSecond || request.method !== "GET" || signal.aborted || !isBroken(error)) throw error;
        isSecond = true;
      });
      if (answer === undefined) continue;
      const { status, retryAfter } = answer;
      if (status < 400) return valueOf(answer.text, status);
      if (!mayRetry(status, retryAfter) || retries++ >= clientRetriesMax) throw errorOf(answer.text, status);
      await pause(Math.min(clientRetryMsMax, retryAfter! * 1_000), signal, clock);
      signal.throwIfAborted();
    }
  }

  return {
    names: () => names,
    fieldManager,
    ask,
    async watch(request) {
      const seconds = Number(new URLSearchParams(request.url.split("?", 2)[1]).get("timeoutSeconds"));
      const over = new AbortController(), signal = AbortSignal.any([signalOf(request), over.signal]);
      // A peer that is gone without an end of the connection is noticed by this.
      const cancel = clock.after(seconds * 1_000 + clientWatchGraceMs, () => over.abort(new Error("the watch is over its time")));
      try {
        const { status, lines, text } = await watches.begin(requestOf(request, signal));
        if (status !== 200) throw errorOf(await text(clientAnswerBytesMax), status);
        return eventsOf(lines(clientEventLengthMax), cancel);
      } catch (error) {
        cancel();
        throw error;
      }
    },
    typeOf: kindsOf(ask, names),
    itemsOf,
    follows: () => () => {},
    following: { watchSecondsMin: clientWatchSecondsMin, retries: () => !closed.aborted },
  };
}

function requestOf({ method, url, body, contentType, accept }: ApiRequest, signal: AbortSignal): RemoteRequest {
  return {
    method,
    path: url,
    signal,
    timeoutMs: clientCallMs,
    ...(body === undefined ? {} : { json: goJson(body as Json) }), // The caller's type describes it.
    headers: {
      "user-agent": "thole-client",
      ...(contentType === undefined ? {} : { "content-type": contentType }),
      ...(accept === undefined ? {} : { accept }),
    },
  };
}

async function* eventsOf(lines: AsyncIterable<string>, over: () => void): AsyncGenerator<WatchEvent> {
  try {
    for await (const line of lines) yield plainJson(line) as any; // a watch event
  } finally {
    over();
  }
}

/** As client-go: with this header, the server has not begun the request. */
function mayRetry(status: number, retryAfter: number | undefined): boolean {
  return retryAfter !== undefined && (status === 429 || status >= 500);
}

/** Whether the connection ended before the response. */
function isBroken(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return code === "ECONNRESET" || code === "EPIPE";
}

function valueOf(text: string, status: number): unknown {
  try {
    return plainJson(text);
  } catch {
    throw new Error(`the server answers with status ${status} and a body that is not JSON`);
  }
}

function errorOf(text: string, status: number): StatusError {
  let body: Json | undefined;
  try {
    body = plainJson(text);
  } catch {
    body = undefined; // the page of a proxy
  }
  return statusErrorOf(body, status);
}

/** Items of lists of built-in kinds have no type of their own: it is the one of the list. */
function itemsOf(list: ApiList): readonly ApiObject[] {
  const { kind = "", apiVersion = "" } = list as { readonly kind?: string; readonly apiVersion?: string };
  const type = { kind: kind.replace(/List$/, ""), apiVersion };
  return list.items.map((item) => item.kind === undefined ? { ...type, ...item } : item);
}
