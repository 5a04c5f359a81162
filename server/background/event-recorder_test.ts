import assert from "node:assert/strict";
import { test } from "node:test";
import { notFoundError, StatusError } from "../../core/status-error.ts";
import { manualClock } from "../../core/test-clock.ts";
import { fakeApi } from "../../testing/fakes.ts";
import { eventRecorder, eventSeriesMax, eventsWaitingMax } from "./event-recorder.ts";

const minute = 60_000;
const settle = () => new Promise((resolve) => setImmediate(resolve));
const thing = (name: string, resourceVersion = "1") => ({
  kind: "Thing",
  apiVersion: "example.com/v1",
  metadata: { name, namespace: "demo", uid: `uid-${name}`, resourceVersion },
});
const news = { type: "Normal", reason: "Grown", action: "Growing", note: "It has grown." } as const;

/** A recorder over an API that rejects a write with the next error of `errors`, if there is one. */
function scene() {
  const clock = manualClock(Date.UTC(2024, 0, 2, 3, 4, 5, 6)), ending = new AbortController();
  const written: any[] = [], errors: (Error | undefined)[] = [], failed: string[] = [];
  const write = async (what: unknown): Promise<any> => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    written.push(what);
  };
  const api = fakeApi({
    create: (groupVersion, resource, namespace, object) => write({ path: `${groupVersion} ${resource} ${namespace}`, ...object as object }),
    patch: (_groupVersion, _resource, namespace, name, patch) => write({ namespace, name, patch }),
  });
  const recorder = eventRecorder({
    api,
    controller: "gardener",
    host: "host-1",
    clock,
    random: () => 0,
    signal: ending.signal,
    failed: (sentence, error) => failed.push(error instanceof Error ? `${sentence}: ${error.message}` : sentence),
  });
  return { recorder, clock, ending, written, errors, failed };
}
const series = (written: readonly any[]) => written.map(({ patch, series }) => (patch?.merge.series ?? series)?.count ?? 1);

test("EventRecorder.record() creates an event with references, times and the controller's name", async () => {
  const { recorder, written } = scene();
  recorder.record(thing("a"), { ...news, related: { kind: "Node", apiVersion: "v1", metadata: { name: "n" } } });
  recorder.record({ kind: "Node", apiVersion: "v1", metadata: { name: "N_" } }, { ...news, note: "é".repeat(600) });
  recorder.record(thing("c"), { ...news, controller: "other-gardener" });
  await settle();
  const [first, second, third] = written;
  assert.deepEqual([third.reportingController, third.reportingInstance], ["other-gardener", "other-gardener-host-1"]);
  assert.match(first.metadata.name, /^a\.17a668b7305c[0-9a-f]{4}$/);
  assert.deepEqual({ ...first, metadata: { ...first.metadata, name: "" } }, {
    path: "events.{domain}/v1 events demo",
    kind: "Event",
    metadata: { namespace: "demo", name: "" },
    eventTime: "2024-01-02T03:04:05.006000Z",
    reportingController: "gardener",
    reportingInstance: "gardener-host-1",
    action: "Growing",
    reason: "Grown",
    regarding: { kind: "Thing", apiVersion: "example.com/v1", namespace: "demo", name: "a", uid: "uid-a", resourceVersion: "1" },
    related: { kind: "Node", apiVersion: "v1", name: "n" },
    note: "It has grown.",
    type: "Normal",
  });
  assert.deepEqual([second.path, second.note], ["events.{domain}/v1 events default", "é".repeat(512)]);
  assert.match(second.metadata.name, /^[0-9a-f]{8}-/, "a name that is invalid for an event is replaced");
});

test("the same event within six minutes becomes a series, whose final count is written at its end", async () => {
  const { recorder, clock, written } = scene();
  for (let time = 0; time < 4; time++) {
    recorder.record(thing("a", `${time}`), { ...news, note: `Pass ${time}.` });
    clock.advance(minute);
    await settle();
  }
  assert.deepEqual(series(written), [1, 2]);
  assert.deepEqual(written[1].patch.merge.series, { count: 2, lastObservedTime: "2024-01-02T03:05:05.006000Z" });
  assert.equal(written[1].name, written[0].metadata.name);
  clock.advance(12 * minute);
  await settle();
  assert.deepEqual(series(written), [1, 2, 4]);
  assert.equal(clock.waiting, 0, "no write is pending when all series have ended");
  recorder.record(thing("a"), news);
  await settle();
  assert.deepEqual(series(written), [1, 2, 4, 1]);
});

test("another reason, action, type, object or related object is another event", async () => {
  const { recorder, written } = scene();
  recorder.record(thing("a"), news);
  recorder.record(thing("b"), news);
  for (const more of [{ reason: "Shrunk" }, { action: "Shrinking" }, { type: "Warning" }, { related: thing("b") }] as const) {
    recorder.record(thing("a"), { ...news, ...more });
  }
  await settle();
  assert.deepEqual(series(written), [1, 1, 1, 1, 1, 1]);
  assert.equal(new Set(written.map(({ metadata }) => metadata.name)).size, 6);
});

test("a continuing series is written every half hour", async () => {
  const { recorder, clock, written } = scene();
  for (let minutes = 0; minutes < 65; minutes += 5) {
    recorder.record(thing("a"), news);
    clock.advance(5 * minute);
    await settle();
  }
  assert.equal(written.length, 3);
  assert.ok(series(written)[2]! > 6);
});

test("a series whose event was deleted is created again", async () => {
  const { recorder, written, errors } = scene();
  recorder.record(thing("a"), news);
  await settle();
  errors.push(notFoundError({ group: "", name: "events" }, "a"));
  recorder.record(thing("a"), news);
  await settle();
  assert.deepEqual([series(written), written[1].metadata.name], [[1, 2], written[0].metadata.name]);
});

test("an event is retried in order while the API is unavailable, and lost when it is rejected", async () => {
  const { recorder, clock, written, errors, failed } = scene();
  const away = () => new StatusError("ServiceUnavailable", "away");
  errors.push(away(), away());
  recorder.record(thing("a"), news);
  recorder.record(thing("b"), news);
  for (let time = 0; time < 2; time++) {
    await settle();
    assert.deepEqual(written, []);
    clock.advance(10_000);
  }
  await settle();
  assert.deepEqual(written.map(({ regarding }) => regarding.name), ["a", "b"]);
  errors.push(new StatusError("Forbidden", "no"), new TypeError("a bug"), ...Array.from({ length: 12 }, away));
  for (const name of ["c", "d", "e", "f"]) recorder.record(thing(name), news);
  for (let time = 0; time < 12; time++) {
    await settle();
    clock.advance(10_000);
  }
  await settle();
  assert.deepEqual(failed, ["no", "a bug", "away"].map((why) => `an event cannot be recorded: ${why}`));
  assert.deepEqual(written.map(({ regarding }) => regarding.name), ["a", "b", "f"]);
});

test("the events of a recorder are bounded", async () => {
  const { recorder, written, errors, failed, clock } = scene();
  errors.push(new StatusError("ServiceUnavailable", "away"));
  for (let index = 0; index < eventsWaitingMax + 3; index++) recorder.record(thing(`t${index}`), news);
  await settle();
  assert.deepEqual(failed, [`events are lost: ${eventsWaitingMax} are waiting to be written`]);
  clock.advance(10_000);
  for (let index = 0; written.length < eventsWaitingMax + 1 && index < 5000; index++) await settle();
  assert.equal(written.length, eventsWaitingMax + 1, "one is being written, the others wait");
  const before = written.length;
  for (let index = 0; index < eventSeriesMax; index++) {
    recorder.record(thing(`u${index}`), news);
    if (index % 100 === 0) { for (let turn = 0; turn < 3; turn++) await settle(); }
  }
  recorder.record(thing("t0"), news);
  for (let turn = 0; turn < 100; turn++) await settle();
  assert.equal(written.at(-1).regarding.name, "t0", "the oldest is removed, so that t0 is a new event");
  assert.equal(written.length, before + eventSeriesMax + 1);
});

test("a recorder ends with its signal", async () => {
  const { recorder, written, errors, failed, ending, clock } = scene();
  errors.push(new StatusError("ServiceUnavailable", "away"));
  recorder.record(thing("a"), news);
  await settle();
  ending.abort();
  recorder.record(thing("b"), news);
  clock.advance(10 * minute);
  await settle();
  assert.deepEqual([written, failed, clock.waiting], [[], [], 0]);
});
