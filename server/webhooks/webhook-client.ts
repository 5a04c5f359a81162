/** Clients of the webhooks in definitions. Errors have the texts of upstream's client, which clients see. */
import { Turns } from "../../core/turns.ts";
import type { WebhookAddress } from "../../core/conversion.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { SpanAttributes, Tracing } from "../../kernel/observe/tracing.ts";
import { remoteClient, type RemoteText, type TextClient } from "../../protocols/remote/remote-client.ts";
import { webhookAccess, type WebhookAddresses } from "./webhook-access.ts";
import { answerMistake, connectionText, type Target, targetOf } from "./webhook-texts.ts";
import { bound } from "../../core/bound.ts";
import { remoteCallMs } from "../../protocols/remote/remote-client.ts";
import { webhookBytesMax } from "./bounds.ts";

/** Bytes of an answer of a conversion webhook, whatever the size of its request. */
export const conversionAnswerBytesMax = bound(16 * 1024 * 1024);
/** Bytes that an answer of a conversion webhook may have beside the multiple of its request. */
export const conversionAnswerFreeBytes = bound(256 * 1024);
/** Bytes that an answer of a conversion webhook may have for each byte of its request. */
export const conversionGrowthMax = bound(16);
/** UTF-16 units of an answer of a webhook from which on it is parsed in a turn of the event loop of its own. */
const conversionTurnLengthMin = bound(16_384);

export interface WebhookClients {
  /** Sends a POST with JSON; resolves with the body of a response of success. */
  post(webhook: WebhookAddress, json: string, attributes?: SpanAttributes): Promise<string>;
  /** Closes the connections to all webhooks but these, after their requests in progress. */
  keep(wanted: ReadonlySet<WebhookAddress>): void;
}

interface Client {
  readonly remote: TextClient;
  requests: number;
  /** Bytes of the answers that are arriving. */
  bytes: number;
  isWanted: boolean;
}

/** `callMs`: timeout of one request. With `tracing` each is a span of the running request. */
export function webhookClients(
  addresses: WebhookAddresses = new Map(),
  callMs: number = remoteCallMs,
  tracing?: Pick<Tracing, "call" | "headers">,
): WebhookClients {
  const clients = new Map<WebhookAddress, Client>(), turns = new Turns();
  let kept: ReadonlySet<WebhookAddress> | undefined;
  const closeIdle = (client: Client) => {
    if (!client.isWanted && client.requests === 0) client.remote.close();
  };
  return {
    async post(webhook, json, attributes = {}) {
      const client = clients.get(webhook) ??
        { remote: clientOf(webhook, addresses), requests: 0, bytes: 0, isWanted: kept?.has(webhook) ?? true };
      // A request that began before the webhook was removed has a client of its own.
      if (client.isWanted) clients.set(webhook, client);
      client.requests++;
      try {
        const send = () => postReview(client, targetOf(webhook, callMs / 1000), json, { callMs, headers: tracing?.headers() ?? {} });
        const text = await (tracing === undefined ? send() : tracing.call("Call conversion webhook", attributes, send));
        // The caller reads it at once.
        if (text.length > conversionTurnLengthMin) await turns.next();
        return text;
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

function clientOf(webhook: WebhookAddress, addresses: WebhookAddresses): TextClient {
  // The access never changes: a changed definition has another client.
  const access = webhookAccess(webhook, addresses);
  return remoteClient(() => Promise.resolve(access));
}

/** Bytes of the answer to a review: objects may grow, and reading many tiny values takes many times the CPU of their request. */
function answerBytesMax(json: string): number {
  return Math.min(conversionAnswerBytesMax, conversionAnswerFreeBytes + json.length * conversionGrowthMax);
}

async function postReview(
  client: Client,
  { shown, path, service }: Target,
  json: string,
  { callMs, headers }: { readonly callMs: number; readonly headers: Readonly<Record<string, string>> },
): Promise<string> {
  const signal = AbortSignal.timeout(callMs);
  let answer: RemoteText, bytes = 0;
  const observer = {
    began() {},
    received(more: number) {
      bytes += more;
      client.bytes += more;
      if (client.requests > 1 && client.bytes > webhookBytesMax) {
        throw new Error(`the answers of the webhook have more than ${webhookBytesMax} bytes`);
      }
    },
  };
  try {
    answer = await client.remote.text({ method: "POST", path, json, headers, signal, timeoutMs: Infinity }, answerBytesMax(json), observer);
  } catch (error) {
    const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    throw new Error(`Post ${goQuote(shown)}: ${signal.aborted ? late : connectionText(error, service)}`, { cause: error });
  } finally {
    client.bytes -= bytes;
  }
  const mistake = answerMistake(answer);
  if (mistake !== undefined) throw new Error(mistake);
  return answer.text;
}
