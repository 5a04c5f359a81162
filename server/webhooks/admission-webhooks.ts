/** Calls of admission webhooks. Each webhook has its own connections and bounds, so that one without answers does not hold the others. */
import type { CallWebhook, WebhookCall, WebhookOutcome } from "../../core/access.ts";
import { type Clock, elapsedClock } from "../../core/async.ts";
import type { WebhookAddress } from "../../core/conversion.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { type CallSlot, CallSlots } from "./call-slots.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import type { Credentials } from "../../client/kubeconfig.ts";
import { remoteClient, type RemoteRequest, type RemoteText, type TextClient } from "../../protocols/remote/remote-client.ts";
import { hostPortOf, webhookAccess, type WebhookAddresses } from "./webhook-access.ts";
import { answerMistake, connectionText, type Target, targetOf } from "./webhook-texts.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/** UTF-8 bytes of one answer of an admission webhook. */
export const webhookAnswerBytesMax = bound(8 * 1024 * 1024);
/** Admission webhooks with open connections; connections of the one that was called longest ago are closed (kube-apiserver's number). */
const webhookClientsMax = bound(200);
/** Milliseconds after the last call of an admission webhook after which its connections are closed. */
const webhookIdleMs = bound(90_000);

export interface AdmissionWebhookNeeds {
  readonly clock?: Clock;
  readonly addresses?: WebhookAddresses;
  /** Makes a call a span of its request, and continues the trace at the webhook. */
  readonly tracing?: Pick<Tracing, "call" | "headers">;
  /** The credentials for a host with its port, such as `hook.default.svc:443`, in the configuration of a step. */
  readonly credentialsFor?: (step: string, hostPort: string) => Promise<Credentials>;
}

export interface AdmissionWebhooks {
  readonly call: CallWebhook;
  /** Closes all connections. */
  close(): void;
}

interface Client {
  readonly remote: TextClient;
  readonly slots: CallSlots;
  calls: number;
  cancelIdle: () => void;
}

export function admissionWebhooks(needs: AdmissionWebhookNeeds = {}): AdmissionWebhooks {
  const { clock = elapsedClock } = needs;
  /** By address, in the order of their last calls. */
  const clients = new Map<string, Client>();
  const drop = (key: string, client: Client) => {
    client.cancelIdle();
    client.remote.close();
    if (clients.get(key) === client) clients.delete(key);
  };
  const clientOf = (key: string, { webhook, step }: WebhookCall): Client => {
    const client = clients.get(key) ?? { remote: openClient(webhook, step, needs), slots: new CallSlots(clock), calls: 0, cancelIdle() {} };
    clients.delete(key);
    clients.set(key, client);
    client.cancelIdle();
    for (const [oldest, idle] of clients) {
      if (clients.size <= webhookClientsMax) break;
      if (idle.calls === 0 && idle !== client) drop(oldest, idle);
    }
    return client;
  };
  return {
    async call(call, signal) {
      const { webhook, step, timeoutMs, json } = call;
      // Steps may have different credentials.
      const key = valueText([webhook, needs.credentialsFor === undefined ? "" : step]), client = clientOf(key, call);
      client.calls++;
      try {
        const target = targetOf(webhook, Math.ceil(timeoutMs / 1000)), { tracing } = needs;
        if (tracing === undefined) return await callOf(client, target, json, { timeoutMs, signal });
        return await tracing.call(
          `call of ${step}`,
          { "server.address": hostPortOf(webhook) },
          () => callOf(client, target, json, { timeoutMs, signal, headers: tracing.headers() }),
        );
      } finally {
        if (--client.calls === 0) client.cancelIdle = clock.after(webhookIdleMs, () => drop(key, client));
      }
    },
    close() {
      for (const [key, client] of clients) drop(key, client);
    },
  };
}

function openClient(webhook: WebhookAddress, step: string, { addresses = none, credentialsFor }: AdmissionWebhookNeeds): TextClient {
  const access = webhookAccess(webhook, addresses);
  return remoteClient(async () => ({ ...access, ...await credentialsFor?.(step, hostPortOf(webhook)) }));
}
const none: WebhookAddresses = new Map();

async function callOf(
  { remote, slots }: Client,
  target: Target,
  json: string,
  request: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly headers?: Readonly<Record<string, string>> },
): Promise<WebhookOutcome> {
  const over = new AbortController();
  const leave = () => over.abort(request.signal.reason);
  if (request.signal.aborted) leave();
  request.signal.addEventListener("abort", leave, { once: true });
  const timer = setTimeout(() => over.abort(timedOut), request.timeoutMs);
  try {
    const slot = await slots.take(json, over.signal).catch(() => undefined); // rejects on abort only
    if (slot === "busy") return { tag: "busy" };
    if (slot === "stalled") return failed(`Post ${goQuote(target.shown)}: the webhook does not answer, and too many calls wait for it`);
    return await post(remote, target, { json, signal: over.signal, ...(request.headers && { headers: request.headers }) }, slot);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", leave);
  }
}
const timedOut = new DOMException("The webhook did not answer in time", "TimeoutError");

async function post(
  remote: TextClient,
  { shown, path, service }: Target,
  sent: Pick<RemoteRequest, "json" | "signal" | "headers">,
  slot: CallSlot | undefined,
): Promise<WebhookOutcome> {
  const { signal } = sent;
  // Without a slot the signal has aborted.
  let hasBegun = false;
  const observer = {
    began() {
      hasBegun = true;
      slot?.began();
    },
    received: (bytes: number) => slot?.received(bytes),
  };
  let answer: RemoteText;
  try {
    signal.throwIfAborted();
    answer = await remote.text({ ...sent, method: "POST", path, timeoutMs: Infinity }, webhookAnswerBytesMax, observer);
  } catch (error) {
    const isRequestOver = signal.aborted && signal.reason !== timedOut;
    const why = !signal.aborted ? connectionText(error, service) : isRequestOver ? "context canceled" : "context deadline exceeded";
    const text = hasBegun
      ? `unexpected error when reading response body. Please retry. Original error: ${why === "EOF" ? "unexpected EOF" : why}`
      : `Post ${goQuote(shown)}: ${why}`;
    return failed(text, isRequestOver);
  } finally {
    slot?.end();
  }
  const mistake = answerMistake(answer);
  if (mistake === undefined) return { tag: "answered", body: answer.text };
  const isError = answer.status < 200 || answer.status > 206;
  return { ...failed(mistake), code: isError ? answer.status : 500 };
}

function failed(message: string, isRequestOver = false): WebhookOutcome & { readonly tag: "failed" } {
  return { tag: "failed", message, code: 503, isRequestOver };
}
