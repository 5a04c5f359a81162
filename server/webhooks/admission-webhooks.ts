/** Calls of admission webhooks. Each webhook has its own connections and bounds, so that one without answers does not hold the others. */
import type { CallWebhook, WebhookCall, WebhookOutcome } from "../../core/access.ts";
import { type Clock, elapsedClock } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { type CallSlot, CallSlots } from "./call-slots.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { type Credentials, readAccess } from "../../client/kubeconfig.ts";
import {
  type RemoteAnswer,
  remoteClient,
  type RemoteRequest,
  type RemoteText,
  type TextClient,
} from "../../protocols/remote/remote-client.ts";
import { withRetries } from "../../protocols/remote/retry.ts";
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
      const { webhook, step, timeoutMs } = call;
      // Steps may have different credentials.
      const key = valueText([webhook, needs.credentialsFor === undefined ? "" : step]), client = clientOf(key, call);
      client.calls++;
      try {
        const target = await targetOfCall(webhook, Math.ceil(timeoutMs / 1000)), { tracing } = needs;
        if ("tag" in target) return target;
        if (tracing === undefined) return await attempts(client, target, call, { signal }, clock);
        return await tracing.call(
          `call of ${step}`,
          "url" in webhook ? { "server.address": hostPortOf(webhook) } : {},
          () => attempts(client, target, call, { signal, headers: tracing.headers() }, clock),
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

function openClient(
  webhook: WebhookCall["webhook"],
  step: string,
  { addresses = none, credentialsFor }: AdmissionWebhookNeeds,
): TextClient {
  if (!("url" in webhook)) return remoteClient(() => readAccess(webhook.kubeconfig));
  const access = webhookAccess(webhook, addresses);
  return remoteClient(async () => ({ ...access, ...await credentialsFor?.(step, hostPortOf(webhook)) }));
}
const none: WebhookAddresses = new Map();

/** Where a call goes, or its failure if the kubeconfig cannot be used. */
async function targetOfCall(webhook: WebhookCall["webhook"], timeoutSeconds: number): Promise<Target | WebhookOutcome> {
  if ("url" in webhook) return targetOf(webhook, timeoutSeconds);
  try {
    const { server } = await readAccess(webhook.kubeconfig);
    return targetOf({ url: server.href }, timeoutSeconds);
  } catch (error) {
    return failed(reasonOf(error));
  }
}

interface Sent {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the call, and further ones after pauses if the caller wants that and the answer allows it. */
async function attempts(client: Client, target: Target, call: WebhookCall, sent: Sent, clock: Clock): Promise<WebhookOutcome> {
  const { json, timeoutMs, retryMs } = call;
  let outcome!: WebhookOutcome; // set by each attempt
  const send = async (): Promise<RemoteAnswer> => {
    const answer: { status?: number; retryAfter?: number | undefined } = {};
    outcome = await callOf(client, target, json, { ...sent, timeoutMs, answered: (each) => Object.assign(answer, each) });
    return { status: answer.status ?? 0, body: undefined, retryAfter: outcome.tag === "failed" ? answer.retryAfter : undefined };
  };
  if (retryMs === undefined) await send();
  else await withRetries(send, { clock, random: Math.random, signal: sent.signal, firstMs: retryMs, isRetried }).catch(() => {});
  // Without an attempt the request had ended.
  return outcome ?? failed("context canceled", true);
}

/** The answers after which kube-apiserver calls again. */
function isRetried({ status, retryAfter }: RemoteAnswer): boolean {
  return status === 429 || status === 500 || status === 504 || retryAfter !== undefined;
}

async function callOf(
  { remote, slots }: Client,
  target: Target,
  json: string,
  request: Sent & { readonly timeoutMs: number; readonly answered: (answer: RemoteText) => void },
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
    const { answered, headers } = request;
    return await post(remote, target, { json, signal: over.signal, answered, ...(headers && { headers }) }, slot);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", leave);
  }
}
const timedOut = new DOMException("The webhook did not answer in time", "TimeoutError");

async function post(
  remote: TextClient,
  { shown, path, service }: Target,
  { answered, ...sent }: Pick<RemoteRequest, "json" | "signal" | "headers"> & { readonly answered: (answer: RemoteText) => void },
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
  answered(answer);
  const mistake = answerMistake(answer);
  if (mistake === undefined) return { tag: "answered", body: answer.text };
  const isError = answer.status < 200 || answer.status > 206;
  return { ...failed(mistake), code: isError ? answer.status : 500 };
}

function failed(message: string, isRequestOver = false): WebhookOutcome & { readonly tag: "failed" } {
  return { tag: "failed", message, code: 503, isRequestOver };
}
