import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { gate, watchEnds } from "./shutdown.ts";
import { manualClock } from "../../test/store/clock.ts";

// The gate uses the URL only.
const exchange = (url: string) => ({ url }) as unknown as Exchange;
const reply = { status: 200, headers: {}, body: "" };

test("WatchEnds.end() ends watches in shares over the time, and the abort of `ending` ends all at once", async () => {
  const clock = manualClock();
  const ending = new AbortController();
  const ends = watchEnds(ending.signal, clock);
  const [first, last] = [ends.signal(() => 0), ends.signal(() => 0.999)];
  void ends.end(1600);
  assert.deepEqual([first.aborted, last.aborted], [true, false]);
  const pass = async () => {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let step = 0; step < 14; step++) await pass();
  assert.equal(last.aborted, false);
  await pass();
  assert.equal(last.aborted, true);
  const hasty = watchEnds(ending.signal, clock).signal(() => 0.5);
  ending.abort();
  assert.equal(hasty.aborted, true);
});

test("Gate rejects new requests except health and metrics, and is idle when the others have ended", async () => {
  const answered = Promise.withResolvers<typeof reply>();
  const late: string[] = [];
  const { handle, turnAway, idle } = gate(
    ({ url }) => url === "/slow" ? answered.promise : Promise.resolve(reply),
    ({ url }) => late.push(url),
  );
  const slow = handle(exchange("/slow"));
  turnAway();
  const turned = await handle(exchange("/api/v1/pods?watch=1"));
  assert.deepEqual([turned.status, turned.headers["retry-after"], turned.body], [
    429,
    "5",
    "The apiserver is shutting down, please try again later.\n",
  ]);
  for (const url of ["/readyz", "/livez/ping", "/healthz?verbose", "/metrics"]) {
    assert.equal((await handle(exchange(url))).status, 200, url);
  }
  assert.equal((await handle(exchange("/readyzz"))).status, 429);
  assert.deepEqual(late, ["/api/v1/pods?watch=1", "/readyzz"]);
  let isIdle = false;
  const waiting = idle(60_000).then(() => isIdle = true);
  await Promise.resolve();
  assert.equal(isIdle, false);
  answered.resolve(reply);
  assert.equal((await slow).status, 200);
  await waiting;
  await idle(60_000);
});
