/** Clients of the webhooks in definitions. Errors have the texts of upstream's client, which clients see. */
import { limits } from "../../../core/limits.ts";
import type { WebhookAddress } from "../../../core/conversion.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { messageOf, remoteClient, type RemoteText, type TextClient } from "./remote-client.ts";

export interface WebhookClients {
  /** Sends a POST with JSON; resolves with the body of a response of success. */
  post(webhook: WebhookAddress, json: string): Promise<string>;
  /** Closes the connections to all webhooks but these, after their requests in progress. */
  keep(wanted: ReadonlySet<WebhookAddress>): void;
}

interface Client {
  readonly remote: TextClient;
  requests: number;
  isWanted: boolean;
}

/** `callMs`: timeout of one request. */
export function webhookClients(callMs: number = limits.remoteCallMs): WebhookClients {
  const clients = new Map<WebhookAddress, Client>();
  let kept: ReadonlySet<WebhookAddress> | undefined;
  const closeIdle = (client: Client) => {
    if (!client.isWanted && client.requests === 0) client.remote.close();
  };
  return {
    async post(webhook, json) {
      const client = clients.get(webhook) ?? { remote: clientOf(webhook), requests: 0, isWanted: kept?.has(webhook) ?? true };
      // A request that began before the webhook was removed has a client of its own.
      if (client.isWanted) clients.set(webhook, client);
      client.requests++;
      try {
        return await posted(client.remote, withTimeout(webhook, callMs), json, callMs);
      } finally {
        client.requests--;
        closeIdle(client);
      }
    },
    keep(wanted) {
      kept = wanted;
      for (const [webhook, client] of clients) {
        if (wanted.has(webhook)) continue;
        clients.delete(webhook);
        client.isWanted = false;
        closeIdle(client);
      }
    },
  };
}

function clientOf({ url, serverName, ca }: WebhookAddress): TextClient {
  const server = new URL(url);
  // The access never changes: a changed definition has another client.
  const access = { server, ...(serverName === undefined ? {} : { serverName }), ...(ca === undefined ? {} : { ca }) };
  return remoteClient(() => Promise.resolve(access));
}

/** The URL as upstream writes and calls it: with the port of a service, also if it is the default. */
function withTimeout({ url, serverName }: WebhookAddress, callMs: number): { readonly shown: string; readonly path: string } {
  const { protocol, hostname, port, pathname } = new URL(url);
  const query = `?timeout=${callMs / 1000}s`, shownPort = port === "" && serverName !== undefined ? "443" : port;
  return { shown: `${protocol}//${hostname}${shownPort === "" ? "" : `:${shownPort}`}${pathname}${query}`, path: query };
}

async function posted(
  remote: TextClient,
  { shown, path }: ReturnType<typeof withTimeout>,
  json: string,
  callMs: number,
): Promise<string> {
  const signal = AbortSignal.timeout(callMs);
  let answer: RemoteText;
  try {
    answer = await remote.text({ method: "POST", path, json, signal }, limits.conversionAnswerBytesMax);
  } catch (error) {
    const why = signal.aborted ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)" : connectionText(error);
    throw new Error(`Post ${goQuote(shown)}: ${why}`, { cause: error });
  }
  // As upstream: other codes of success have no document.
  if (answer.status >= 200 && answer.status <= 206) {
    if (answer.text !== "") return answer.text;
    throw new Error(`0-length response with status code: ${answer.status} and content type: ${answer.contentType}`);
  }
  throw new Error(statusText(answer));
}

/** Go's text for the usual failures of a connection; the own text for others. */
function connectionText(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const { code, address, port, hostname, errors } = (cause ?? error) as {
    readonly code?: string;
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
    readonly errors?: readonly unknown[];
  };
  if (errors !== undefined && errors.length > 0) return connectionText(errors[0]);
  const place = address === undefined ? "" : ` ${address.includes(":") ? `[${address}]` : address}:${port}`;
  if (code === "ECONNREFUSED") return `dial tcp${place}: connect: connection refused`;
  if (code === "ENOTFOUND" && hostname !== undefined) return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET") return "EOF";
  if (code !== undefined && untrusted.has(code)) return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  return reasonOf(error);
}
const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Upstream's texts of error responses. */
function statusText({ status, contentType, text }: RemoteText): string {
  const written = contentType === "" || contentType.startsWith("text/") ? text.trim().slice(0, limits.webhookExcerptLengthMax) : "unknown";
  const own = messageOf(statusOf(text));
  if (own !== undefined) return own.slice(0, limits.webhookExcerptLengthMax);
  if (status === 403) return written;
  const known = statusTexts.get(status);
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${goQuote(written)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}
const statusTexts: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [415, "the body of the request was in an unknown format - accepted media types include: "],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
]);

function statusOf(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value = JSON.parse(text) as { readonly kind?: unknown };
    return value.kind === "Status" ? value : undefined;
  } catch {
    return undefined;
  }
}
