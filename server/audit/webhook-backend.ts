/** Events as EventLists that are posted to a webhook (`--audit-webhook-config-file`). */
import type { Clock } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { RemoteAnswer, RemoteClient } from "../../protocols/remote/remote-client.ts";
import { withRetries } from "../../protocols/remote/retry.ts";
import type { AuditBackend, LostEvents, WrittenEvent } from "../../core/audit/backend.ts";
import { eventHead } from "../../core/audit/event.ts";
import { remoteCallMs } from "../../protocols/remote/remote-client.ts";
import { auditBufferBytesMax } from "./bounds.ts";

export interface WebhookOptions {
  readonly client: RemoteClient;
  readonly domain: string;
  /** Milliseconds before the second attempt. */
  readonly initialBackoffMs: number;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly lost: LostEvents;
}

/** As in kube-apiserver every failure is retried, with any status: a lost event is worse than a repeated one. */
export function webhookBackend({ client, domain, initialBackoffMs, clock, random, lost }: WebhookOptions): AuditBackend {
  const ended = new AbortController();
  const running = new Set<Promise<boolean>>();
  /** Of the events that are being delivered. Without a buffer each request has its own. */
  let bytes = 0;

  async function post(events: readonly WrittenEvent[]): Promise<boolean> {
    const json = `${eventHead(domain, "EventList")},"metadata":{},"items":[${events.map(({ members }) => `{${members}}`).join(",")}]}`;
    const send = (): Promise<RemoteAnswer> =>
      client.send({ method: "POST", path: "", json, signal: AbortSignal.any([ended.signal, AbortSignal.timeout(remoteCallMs)]) });
    try {
      const needs = { clock, random, signal: ended.signal, firstMs: initialBackoffMs, isRetried: isFailure };
      const answer = await withRetries(send, needs);
      if (!isFailure(answer)) return true;
      lost("webhook", `status ${answer.status}`, events.length);
    } catch (error) {
      lost("webhook", ended.signal.aborted ? "audit backend shut down" : reasonOf(error), events.length);
    }
    return false;
  }

  return {
    process(events) {
      const more = events.reduce((sum, event) => sum + event.bytes, 0);
      if (running.size > 0 && bytes + more > auditBufferBytesMax) {
        lost("webhook", "too many events wait for the webhook", events.length);
        return Promise.resolve(false);
      }
      bytes += more;
      const posting = post(events).finally(() => {
        bytes -= more;
        running.delete(posting);
      });
      running.add(posting);
      return posting;
    },
    async close(signal) {
      const end = () => ended.abort(new Error("the server is shutting down"));
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
      await Promise.all(running);
      signal.removeEventListener("abort", end);
      client.close();
    },
  };
}

function isFailure({ status }: RemoteAnswer): boolean {
  return status < 200 || status > 299;
}
