// Events in the background: batches, throttle, bounds, shutdown; and the size of events.
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../core/test-clock.ts";
import { allBackends } from "../../kernel/access/audit/mod.ts";
import { ignoringErrors } from "./ignoring-errors.ts";
import { auditBatchBytesMax, type BatchOptions, buffered } from "./buffered.ts";
import { eventOf, keeping, losses, settled, write } from "../../test/audit/events.ts";
import { truncating } from "./truncate.ts";
import { auditBufferBytesMax } from "./bounds.ts";

const options: BatchOptions = { bufferSize: 100, maxBatchSize: 3, maxWaitMs: 1000, throttle: undefined, concurrency: 2 };
const never = new AbortController().signal;
function world(more: Partial<BatchOptions> = {}, answer?: () => boolean | Promise<boolean>) {
  const clock = manualClock(), inner = keeping(answer), { lost, texts } = losses();
  const backend = buffered(inner, { ...options, ...more }, { clock, lost });
  const send = (...ids: string[]) => assert.equal(backend.process(ids.map((id) => eventOf(id))), true);
  return { clock, inner, texts, backend, send };
}

test("buffered() delivers full batches at once, and others when their time is over", async () => {
  const { clock, inner, send } = world();
  send("a", "b");
  await settled();
  assert.deepEqual(inner.batches, []);
  send("c", "d");
  await settled();
  assert.deepEqual(inner.batches, ["a b c"]);
  clock.advance(999);
  await settled();
  assert.deepEqual(inner.batches, ["a b c"]);
  clock.advance(1);
  await settled();
  assert.deepEqual(inner.batches, ["a b c", "d"]);
});

test("buffered() does not wait for batches of one event", async () => {
  const { clock, inner, send } = world({ maxBatchSize: 1 });
  send("a", "b");
  await settled();
  assert.deepEqual([inner.batches, clock.waiting], [["a", "b"], 0]);
});

test("buffered() loses and counts events when the buffer is full; requests continue", async () => {
  const never = new Promise<boolean>(() => {});
  const { inner, texts, send } = world({ bufferSize: 4, concurrency: 1 }, () => never);
  send("a", "b", "c");
  await settled();
  assert.deepEqual(inner.batches, ["a b c"]);
  send("d", "e", "f", "g", "h", "i");
  await settled();
  assert.deepEqual(inner.batches, ["a b c"], "one batch is under way, and no more may be");
  assert.deepEqual(texts, ["buffered: audit buffer queue blocked (2)"]);
});

test("buffered() bounds the bytes of waiting events as well", () => {
  const { texts, backend } = world();
  const { event, members } = eventOf("large");
  const large = { event, members, bytes: auditBufferBytesMax };
  backend.process([large]);
  backend.process([eventOf("one more")]);
  assert.deepEqual(texts, ["buffered: audit buffer queue blocked (1)"]);
});

test("buffered() delivers batches of bounded size, whatever the number of their events; a single event may be larger", async () => {
  const { inner, backend } = world({ maxBatchSize: 10, bufferSize: 100 });
  const sized = (id: string, bytes: number) => {
    const { event, members } = eventOf(id);
    return { event, members, bytes };
  };
  const most = auditBatchBytesMax, half = most / 2;
  backend.process([
    sized("a", half),
    sized("b", half),
    sized("c", 1),
    sized("d", most + 1),
    sized("e", 1),
    sized("f", most - 1),
    sized("g", 1),
  ]);
  await backend.close(never);
  assert.deepEqual(inner.batches, ["a b", "c", "d", "e f", "g"]);
});

test("buffered() counts the bytes of batches under way until they are delivered", async () => {
  let answer = (_success: boolean) => {};
  const { inner, texts, backend } = world({ maxBatchSize: 1 }, () => new Promise<boolean>((resolve) => answer = resolve));
  const large = (id: string) => {
    const { event, members } = eventOf(id);
    return { event, members, bytes: auditBufferBytesMax };
  };
  backend.process([large("first")]);
  await settled();
  assert.deepEqual(inner.batches, ["first"]);
  backend.process([large("lost")]);
  assert.deepEqual(texts, ["buffered: audit buffer queue blocked (1)"]);
  answer(true);
  await settled();
  backend.process([large("second")]);
  await settled();
  assert.deepEqual(inner.batches, ["first", "second"]);
  assert.equal(texts.length, 1);
});

test("buffered() sends at most the throttle's number of batches per second", async () => {
  const { clock, inner, send } = world({ maxBatchSize: 1, throttle: { perSecond: 10, burst: 2 } });
  send("a", "b", "c", "d");
  await settled();
  assert.deepEqual(inner.batches, ["a", "b"]);
  clock.advance(100);
  await settled();
  assert.deepEqual(inner.batches, ["a", "b", "c"]);
  clock.advance(100);
  await settled();
  assert.deepEqual(inner.batches, ["a", "b", "c", "d"]);
});

test("buffered() delivers waiting events when it is closed, and accepts no further ones", async () => {
  const { inner, texts, backend, send } = world();
  send("a", "b", "c", "d");
  await backend.close(never);
  assert.deepEqual([inner.batches, inner.isClosed], [["a b c", "d"], true]);
  send("late");
  assert.deepEqual(texts, ["buffered: audit backend shut down (1)"]);
});

test("buffered() drops waiting events when the time of its shutdown is over", async () => {
  let answer = (_success: boolean) => {};
  const { texts, backend, send } = world({ concurrency: 1 }, () => new Promise<boolean>((resolve) => answer = resolve));
  send("a", "b", "c", "d", "e");
  await settled();
  const over = new AbortController(), closed = backend.close(over.signal);
  await settled();
  over.abort();
  await settled();
  answer(false); // The call of the backend ends with the signal.
  await closed;
  assert.deepEqual(texts, ["buffered: audit backend shut down (2)"]);
});

test("truncating() removes objects from large events, splits batches, and loses events that are still too large", async () => {
  const inner = keeping(), seen: string[] = [], { lost, texts } = losses();
  const small = eventOf("s", { level: "Request", requestObject: "{}" });
  const bounds = { maxEventSize: small.bytes + 100, maxBatchSize: 2 * small.bytes + 50 };
  const backend = truncating({
    ...inner,
    process(events) {
      seen.push(...events.map(({ members }) => members));
      return inner.process(events);
    },
  }, { ...bounds, annotation: "audit.k8s.io/truncated", write, lost });
  const large = eventOf("l", { level: "Request", requestObject: `"${"x".repeat(1000)}"` });
  assert.equal(await backend.process([small, large, small, eventOf("m".repeat(2000))]), true);
  assert.equal(inner.batches.join(" ").split(" ").filter((id) => id !== "").join(" "), "s l s");
  assert.ok(inner.batches.length > 1);
  assert.match(seen[1]!, /"annotations":\{"audit\.k8s\.io\/truncated":"true"\}/);
  assert.doesNotMatch(seen[1]!, /requestObject/);
  assert.match(seen[0]!, /"requestObject":\{\}/);
  assert.deepEqual(texts, ["truncate: event is too large even after truncating (1)"]);
});

test("ignoringErrors() and allBackends(): one failure is a failure, unless it is ignored", async () => {
  const good = keeping(), bad = keeping(() => Promise.resolve(false));
  assert.equal(await allBackends([good, bad]).process([eventOf("a")]), false);
  assert.equal(await allBackends([good, ignoringErrors(bad)]).process([eventOf("a")]), true);
  assert.equal(await allBackends([good, keeping(() => false)]).process([eventOf("a")]), false);
  assert.equal(await ignoringErrors(keeping(() => false)).process([eventOf("a")]), true);
});
