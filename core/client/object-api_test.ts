import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../async.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { defaultNames } from "../names.ts";
import { StatusError } from "../status-error.ts";
import { watchRetryMs } from "./follow.ts";
import { objectApi } from "./object-api.ts";
import { statusErrorOf } from "./status-error-of.ts";
import type { ApiRequest, ApiTransport, WatchEvent } from "./transport.ts";

const base: ApiTransport = {
  names: () => defaultNames,
  fieldManager: "tester",
  ask: () => Promise.reject(new Error("not expected")),
  watch: () => Promise.reject(new Error("not expected")),
  typeOf: () => ({ apiVersion: "example.com/v1", kind: "Ship" }),
  itemsOf: ({ items }) => items,
  follows: () => () => {},
  following: { watchSecondsMin: 10, retries: () => true },
};

test("objectApi() makes the method, path, query and body of each request", async () => {
  const sent: unknown[] = [];
  const api = objectApi({
    ...base,
    ask({ method, url, body, contentType }: ApiRequest) {
      sent.push([method, url, ...(contentType === undefined ? [] : [contentType]), ...(body === undefined ? [] : [body])]);
      return Promise.resolve({ metadata: {}, items: [] });
    },
  });
  await api.get("storage.{domain}/v1", "csinodes", "", "a b");
  await api.get("v1", "pods", "ns", "p", { subresource: "status" });
  await api.list("v1", "pods", "", { labelSelector: "a=b,c" });
  await api.create("v1", "pods", "ns", { kind: "Pod" }, { dryRun: true, fieldValidation: "Strict", fieldManager: "mine" });
  await api.create("v1", "pods", "ns", { x: 1 }, { name: "p", subresource: "eviction" });
  await api.update("v1", "pods", "ns", "p", { kind: "Pod", apiVersion: "v9" }, { subresource: "status" });
  await api.patch("v1", "pods", "ns", "p", { json: [{ op: "remove", path: "/x" }] });
  await api.patch("v1", "pods", "ns", "p", { merge: { x: null } });
  await api.patch("v1", "pods", "ns", "p", { strategic: { x: 1 } });
  await api.apply("example.com/v1", "ships", "ns", "s", { spec: {} });
  await api.apply("example.com/v1", "ships", "ns", "s", { kind: "Boat" }, { force: false });
  await api.delete("v1", "pods", "ns", "p", { gracePeriodSeconds: 0 });
  await api.deleteCollection("v1", "pods", "ns", { limit: "1" });
  const manager = "fieldManager=tester", apply = "application/apply-patch+yaml";
  assert.deepEqual(sent, [
    ["GET", "/apis/storage.k8s.io/v1/csinodes/a%20b"],
    ["GET", "/api/v1/namespaces/ns/pods/p/status"],
    ["GET", "/api/v1/pods?labelSelector=a%3Db%2Cc"],
    [
      "POST",
      "/api/v1/namespaces/ns/pods?fieldManager=mine&dryRun=All&fieldValidation=Strict",
      { apiVersion: "v1", kind: "Pod" },
    ],
    ["POST", `/api/v1/namespaces/ns/pods/p/eviction?${manager}`, { x: 1 }],
    ["PUT", `/api/v1/namespaces/ns/pods/p/status?${manager}`, { kind: "Pod", apiVersion: "v9" }],
    ["PATCH", `/api/v1/namespaces/ns/pods/p?${manager}`, "application/json-patch+json", [{ op: "remove", path: "/x" }]],
    ["PATCH", `/api/v1/namespaces/ns/pods/p?${manager}`, "application/merge-patch+json", { x: null }],
    ["PATCH", `/api/v1/namespaces/ns/pods/p?${manager}`, "application/strategic-merge-patch+json", { x: 1 }],
    ["PATCH", `/apis/example.com/v1/namespaces/ns/ships/s?${manager}&force=true`, apply, {
      apiVersion: "example.com/v1",
      kind: "Ship",
      spec: {},
      metadata: { name: "s" },
    }],
    ["PATCH", `/apis/example.com/v1/namespaces/ns/ships/s?${manager}`, apply, {
      apiVersion: "example.com/v1",
      kind: "Boat",
      metadata: { name: "s" },
    }],
    ["DELETE", "/api/v1/namespaces/ns/pods/p", { gracePeriodSeconds: 0 }],
    ["DELETE", "/api/v1/namespaces/ns/pods?limit=1"],
  ]);
});

const ship = (name: string, resourceVersion: string, uid = name) => ({ metadata: { name, uid, resourceVersion } }) as ApiObject;
const listOf = (resourceVersion: string, ...items: readonly ApiObject[]) => ({ metadata: { resourceVersion }, items });

test("watch() goes on after errors: at its revision after a broken connection or a 429, at a new list after others", async () => {
  const ending = new AbortController(), sent: string[] = [], pauses: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after(ms, run) {
      pauses.push(ms);
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
  const broken = new Error("the connection is broken");
  async function* events(some: readonly WatchEvent[], end?: Error): AsyncGenerator<WatchEvent> {
    yield* some;
    if (end !== undefined) throw end;
  }
  const lists: (() => object)[] = [
    () => listOf("10", ship("a", "3"), ship("b", "4")),
    () => {
      throw broken;
    },
    () => listOf("20", ship("b", "4"), ship("c", "19")),
    () => listOf("30", ship("b", "4", "other")),
  ];
  const watches: (() => AsyncIterable<WatchEvent>)[] = [
    () => events([{ type: "MODIFIED", object: ship("a", "11") }], broken),
    () => {
      throw broken;
    },
    () => {
      throw new StatusError("TooManyRequests", "later");
    },
    () => events([{ type: "BOOKMARK", object: ship("", "15") }]),
    () => events([{ type: "ERROR", object: { code: 410 } as unknown as ApiObject }]),
    () => {
      throw new StatusError("Expired", "too old");
    },
    () => {
      ending.abort();
      return events([]);
    },
  ];
  const api = objectApi({
    ...base,
    async ask() {
      sent.push("list");
      return lists.shift()!();
    },
    async watch({ url }) {
      sent.push(`watch ${new URL(url, "https://x").searchParams.get("resourceVersion")}`);
      return watches.shift()!();
    },
  }, clock);
  const seen: string[] = [];
  for await (const { type, object: { metadata } } of api.watch("v1", "ships", "", {}, ending.signal)) {
    seen.push(`${type} ${metadata.name} ${metadata.uid}`);
  }
  const fromTen = ["list", "watch 10", "watch 11", "watch 11", "watch 11", "watch 15"];
  assert.deepEqual(sent, [...fromTen, "list", "list", "watch 20", "list", "watch 30"]);
  assert.deepEqual(seen, [
    "ADDED a a",
    "ADDED b b",
    "MODIFIED a a",
    "ADDED b b",
    "ADDED c c",
    "DELETED a a",
    "DELETED b b",
    "ADDED b other",
    "DELETED c c",
  ]);
  // After the events of the first watch, and after the bookmark, the pauses start over.
  assert.deepEqual(pauses, [1, 2, 1, 2, 4].map((times) => times * watchRetryMs));
});

test("watch() throws the error of the first list, and later ones for which the transport does not retry", async () => {
  const refused = new StatusError("Forbidden", "no");
  const drain = async (transport: ApiTransport) => {
    for await (const _ of objectApi(transport).watch("v1", "ships", "", {}, new AbortController().signal));
  };
  await assert.rejects(drain({ ...base, ask: () => Promise.reject(refused) }), refused);
  let lists = 0;
  const second: ApiTransport = {
    ...base,
    following: { watchSecondsMin: 1, retries: () => false },
    ask: () => lists++ === 0 ? Promise.resolve(listOf("1")) : Promise.reject(refused),
    watch: () => Promise.reject(new StatusError("Expired", "too old")),
  };
  await assert.rejects(drain(second), refused);
});

test("statusErrorOf() has reason, code, details and token of a Status, and a reason by the code without one", () => {
  const details = { kind: "ships", causes: [{ field: "spec" }] };
  const { reason, code, message, ...error } = statusErrorOf({
    kind: "Status",
    reason: "Expired",
    message: "too old",
    code: 410,
    details,
    metadata: { continue: "next" },
  });
  assert.deepEqual([reason, code, message, error.details, error.continue], ["Expired", 410, "too old", details, "next"]);
  for (
    const [body, httpCode, expected] of [
      [undefined, 502, ["Unknown", 502, "the server answers with status 502"]],
      [undefined, 404, ["NotFound", 404, "the server answers with status 404"]],
      [{ kind: "Status", code: 500, message: "m" }, 500, ["Unknown", 500, "m"]],
      [{ kind: "Other", message: 7 }, 503, ["ServiceUnavailable", 503, "the server answers with status 503"]],
      [[1], 400, ["BadRequest", 400, "the server answers with status 400"]],
    ] as const
  ) {
    const made = statusErrorOf(body as never, httpCode); // as never: a readonly tuple is no Json
    assert.deepEqual([made.reason, made.code, made.message], expected);
  }
});
