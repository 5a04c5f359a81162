// The webhook backend: lists of events, retries of every failure, a webhook that does not respond.
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../core/test-clock.ts";
import type { RemoteAnswer, RemoteClient, RemoteRequest } from "../../protocols/remote/remote-client.ts";
import { eventOf, losses, settled } from "../../test/audit/events.ts";
import { webhookBackend } from "./webhook-backend.ts";
import { auditBufferBytesMax } from "./bounds.ts";

const never = new AbortController().signal;

function world(answers: (RemoteAnswer["status"] | Error | "silence")[]) {
  const clock = manualClock(), sent: RemoteRequest[] = [], { lost, texts } = losses();
  const client: RemoteClient = {
    send(request) {
      sent.push(request);
      const next = answers.shift() ?? 200;
      if (next instanceof Error) return Promise.reject(next);
      if (next !== "silence") return Promise.resolve({ status: next, body: undefined, retryAfter: undefined });
      return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true }));
    },
    async *stream() {},
    close() {},
  };
  const backend = webhookBackend({ client, domain: "k8s.io", initialBackoffMs: 10_000, clock, random: () => 0, lost });
  return { clock, sent, texts, backend };
}

test("webhookBackend() posts an EventList, whose items have no kind", async () => {
  const { sent, texts, backend } = world([]);
  assert.equal(await backend.process([eventOf("a"), eventOf("b")]), true);
  const [{ method, path, json } = { json: "" }] = sent;
  const { items, ...rest } = JSON.parse(json!);
  assert.deepEqual([method, path, rest], ["POST", "", { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {} }]);
  assert.deepEqual(items.map(({ kind, auditID }: { kind?: string; auditID: string }) => [kind, auditID]), [[undefined, "a"], [
    undefined,
    "b",
  ]]);
  assert.deepEqual(texts, []);
});

test("webhookBackend() retries failures of every kind with growing pauses, five attempts in total", async () => {
  const { clock, sent, texts, backend } = world([new Error("10.0.0.1:443: connection refused"), 403, 500, 429, 404]);
  const outcome = backend.process([eventOf("a"), eventOf("b")]);
  for (const [attempt, pauseMs] of [10_000, 15_000, 22_500, 33_750].entries()) {
    await settled();
    clock.advance(pauseMs - 1);
    await settled();
    assert.equal(sent.length, attempt + 1);
    clock.advance(1);
  }
  assert.equal(await outcome, false);
  assert.deepEqual([sent.length, texts], [5, ["webhook: status 404 (2)"]]);
});

test("webhookBackend() aborts a request to a silent webhook, and waiting retries, when it is closed", async () => {
  for (const answers of [["silence"], [500]] as const) {
    const { texts, backend } = world([...answers]);
    const outcome = backend.process([eventOf("a")]);
    await settled();
    const over = new AbortController(), closed = backend.close(over.signal);
    over.abort();
    await closed;
    assert.deepEqual([await outcome, texts], [false, ["webhook: audit backend shut down (1)"]]);
  }
  const { backend } = world([]);
  await backend.close(never);
});

test("webhookBackend() loses events beyond a number of bytes under way, and takes more when it has answers; a single event may be larger", async () => {
  const { clock, texts, backend } = world(["silence"]);
  const { event, members } = eventOf("large"), large = { event, members, bytes: auditBufferBytesMax + 1 };
  const first = backend.process([large]);
  await settled();
  assert.equal(await backend.process([eventOf("b"), eventOf("c")]), false);
  assert.deepEqual(texts, ["webhook: too many events wait for the webhook (2)"]);
  const over = new AbortController(), closed = backend.close(over.signal);
  over.abort();
  await closed;
  assert.equal(await first, false);
  assert.equal(clock.waiting, 0);
  const another = world([]);
  assert.deepEqual([await another.backend.process([large]), await another.backend.process([eventOf("d")])], [true, true]);
});
