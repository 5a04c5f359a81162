// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { Buckets, eventBucketsMax, eventRateLimit } from "./event-rate-limit.ts";

test("a bucket gives its burst at once, then as many a second as the limit says, and never more than the burst", () => {
  let now = 0;
  const buckets = new Buckets({ type: "User", qps: 2, burst: 3 }, () => now);
  const take = (key: string, times: number) => Array.from({ length: times }, () => buckets.take(key)).filter(Boolean).length;
  assert.equal(take("a", 5), 3);
  assert.equal(take("b", 5), 3);
  now = 500;
  assert.equal(take("a", 5), 1);
  now = 60_000;
  assert.equal(take("a", 5), 3);
});

test("the bucket that was used longest ago is forgotten at the bound", () => {
  for (const [cacheSize, kept] of [[2, 2], [0, eventBucketsMax]] as const) {
    const buckets = new Buckets({ type: "User", qps: 1, burst: 1, cacheSize }, () => 0);
    for (let i = 0; i < kept; i++) assert.equal(buckets.take(`${i}`), true);
    assert.deepEqual([buckets.take("0"), buckets.take("new"), buckets.take("0"), buckets.take("1")], [false, true, false, true]);
  }
});

test("an event is rejected with each limit that it exceeds; dry runs and the group of events are not counted", () => {
  const kept = new Map<object, unknown>();
  const settings = { limits: ["Server", "Namespace", "User", "SourceAndObject"].map((type, i) => ({ type, qps: 1, burst: 4 - i })) };
  const event = (name: string): any => ({ // `any`: a part of an event
    source: { component: "c", host: "h" },
    involvedObject: { kind: "Pod", namespace: "n", name, uid: "u", apiVersion: "v1" },
  });
  const refuse = (name: string, more: object = {}) => {
    const context: any = { // `any`: only what the step uses
      configuration: () => settings,
      requestVersion: "v1",
      isDryRun: false,
      caller: { name: "alice" },
      request: { namespace: "n" },
      server: {
        clock: { elapsed: () => 0 },
        stateOf: (key: object, make: () => unknown) => {
          if (!kept.has(key)) kept.set(key, make());
          return kept.get(key);
        },
      },
      ...more,
    };
    try {
      return eventRateLimit.refuse!(event(name), undefined, context);
    } catch (error: any) { // `any`: a StatusError
      return [error.code, error.message];
    }
  };
  for (const more of [{ isDryRun: true }, { requestVersion: "events.k8s.io/v1" }, { configuration: () => undefined }]) {
    for (let i = 0; i < 9; i++) assert.equal(refuse("a", more), undefined);
  }
  assert.equal(refuse("a"), undefined);
  assert.deepEqual(refuse("a"), [429, "Too many requests: limit reached on type SourceAndObject for key chPodnauv1"]);
  assert.deepEqual(refuse("b"), [429, "Too many requests: limit reached on type User for key alice"]);
  assert.deepEqual(refuse("b"), [
    429,
    "Too many requests: [limit reached on type Namespace for key n, limit reached on type User for key alice, limit reached on type SourceAndObject for key chPodnbuv1]",
  ]);
});

test("the configuration must have limits of known types", () => {
  const errors = (limits: readonly object[]) => eventRateLimit.configuration!.validate!({ limits }).map(fieldErrorText);
  assert.equal(eventRateLimit.configuration!.isRequired, true);
  assert.deepEqual(errors([]), ["limits: Invalid value: []: must not be empty"]);
  assert.deepEqual(errors([{ type: "Server", qps: 1, burst: 1, cacheSize: -1 }]), []);
  assert.deepEqual(errors([{ type: "Node", qps: 0, burst: -1, cacheSize: -1 }]), [
    'limits[0].type: Unsupported value: "Node": supported values: "Server", "Namespace", "User", "SourceAndObject"',
    "limits[0].burst: Invalid value: -1: must be positive",
    "limits[0].qps: Invalid value: 0: must be positive",
    "limits[0].cacheSize: Invalid value: -1: must not be negative",
  ]);
});
