import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationDecision } from "../../core/access.ts";
import { createRegistry } from "../../metrics/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Exchange, Reply } from "../request/exchange.ts";
import { requestMetrics } from "./metrics.ts";
import { measuredDecision, observer } from "./observe.ts";
import type { Finished } from "./request-log.ts";
import { requestInfo } from "../request/request-info.ts";

// Labels use the endpoints of a catalog only.
const catalog = {
  endpoint: (group: string, version: string, plural: string) => ({ group, version, plural, subresources: new Map() }),
} as unknown as Catalog;
const bytes = (length: number) => new Uint8Array(length);

function world() {
  const { record, text } = createRegistry(requestMetrics);
  const clock = { now: 0 };
  const told: Finished[] = [];
  const observe = observer(record, () => clock.now, (finished) => void told.push(finished));
  return {
    record,
    clock,
    told,
    begin(method: string, url: string, headers: Record<string, string> = {}) {
      const exchange = { method, url, headers } as unknown as Exchange;
      return observe(exchange, requestInfo(method, url)!, catalog, "id-1");
    },
    /** Samples of these metrics, without empty labels. */
    async lines(...names: string[]) {
      const all = (await text()).split("\n").filter((line) => names.some((name) => line.startsWith(`${name}{`)));
      return all.map((line) => line.replaceAll(/\w+="",?/g, ""));
    },
  };
}
const reply = (status: number, body: Reply["body"]): Reply => ({ status, headers: {}, body });
const user = { name: "alice", groups: [] };

test("observer() counts a whole reply when it is passed on", async () => {
  const { begin, clock, lines } = world();
  const seen = begin("PATCH", "/api/v1/namespaces/a/configmaps/b", { "content-type": "application/apply-patch+yaml" });
  seen.user(user);
  clock.now = 30;
  const whole = reply(200, "€");
  assert.equal(seen.end(whole), whole);
  const labels = 'component="apiserver",resource="configmaps",scope="resource",verb="APPLY",version="v1"';
  assert.deepEqual(await lines("apiserver_request_total", "apiserver_request_duration_seconds_sum"), [
    `apiserver_request_duration_seconds_sum{${labels}} 0.03`,
    `apiserver_request_total{code="200",${labels}} 1`,
  ]);
});

test("observer() releases the resources of a request with its last byte, or when the reader stops", async () => {
  const { begin } = world();
  let held = 0;
  const place = (): Disposable => {
    held++;
    return { [Symbol.dispose]: () => void held-- };
  };
  const chunks = async function* () {
    yield bytes(1);
    yield bytes(1);
  };
  for (const read of [1, 3]) {
    const seen = begin("GET", "/api/v1/configmaps");
    seen.holds(place());
    const { body } = seen.end(reply(200, chunks()));
    assert.ok(typeof body === "object" && Symbol.asyncIterator in body);
    const reader = body[Symbol.asyncIterator]();
    for (let count = 1; count <= read; count++) {
      assert.equal(held, 1);
      await reader.next();
    }
    if (read === 1) await reader.return?.();
    assert.equal(held, 0);
  }
  const whole = begin("GET", "/api/v1/configmaps");
  whole.holds(place());
  whole.end(reply(200, ""));
  assert.equal(held, 0);
});

test("observer() measures the size of a list over all chunks", async () => {
  const { begin, lines } = world();
  const { body } = begin("GET", "/api/v1/configmaps").end(reply(
    200,
    (async function* () {
      yield bytes(700);
      yield bytes(50);
    })(),
  ));
  assert.ok(typeof body === "object" && Symbol.asyncIterator in body);
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  assert.equal(length, 750);
  assert.match((await lines("apiserver_response_sizes_sum"))[0]!, /verb="LIST".* 750$/);
});

test("observer() counts a watch while it is open, and records its duration when its reader stops", async () => {
  const { begin, clock, lines } = world();
  let stopped = false;
  const { body } = begin("GET", "/api/v1/configmaps?watch").end(reply(200, {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: async () => {
        stopped = true;
        return { done: true, value: undefined };
      },
    }),
  }));
  assert.ok(typeof body === "object" && Symbol.asyncIterator in body);
  const chunks = body[Symbol.asyncIterator]();
  void chunks.next();
  assert.match((await lines("apiserver_longrunning_requests"))[0]!, / 1$/);
  assert.deepEqual(await lines("apiserver_request_total"), []);
  clock.now = 60_000;
  await chunks.return?.();
  await chunks.return?.();
  assert.ok(stopped);
  assert.match((await lines("apiserver_longrunning_requests"))[0]!, / 0$/);
  assert.match((await lines("apiserver_request_total"))[0]!, /verb="WATCH".* 1$/);
  assert.match((await lines("apiserver_request_duration_seconds_sum"))[0]!, / 60$/);
});

test("observer() counts a reply that fails midway as aborted", async () => {
  const { begin, lines } = world();
  const { body } = begin("GET", "/api/v1/configmaps").end(reply(
    200,
    // deno-lint-ignore require-yield
    (async function* (): AsyncGenerator<Uint8Array> {
      throw new Error("the store is gone");
    })(),
  ));
  assert.ok(typeof body === "object" && Symbol.asyncIterator in body);
  await assert.rejects(body[Symbol.asyncIterator]().next(), /gone/);
  assert.equal((await lines("apiserver_request_aborts_total")).length, 1);
  assert.equal((await lines("apiserver_request_total")).length, 1);
});

test("observer() labels users by kind, never by name", async () => {
  const { begin, lines } = world();
  for (const name of ["alice", "bob", "a@example.com", "b@example.com", "admin"]) begin("GET", "/version").user({ name, groups: [] });
  assert.deepEqual(await lines("authenticated_user_requests", "authentication_duration_seconds_count"), [
    'authenticated_user_requests{username="other"} 2',
    'authenticated_user_requests{username="email_id"} 2',
    'authenticated_user_requests{username="admin"} 1',
    'authentication_duration_seconds_count{result="success"} 5',
  ]);
});

test("observer() measures the latency of authenticated requests only, and counts rejected ones as terminated", async () => {
  const { begin, lines } = world();
  begin("GET", "/api/v1/configmaps").end(reply(401, ""));
  begin("GET", "/api/v1/configmaps").end(reply(500, ""));
  const busy = begin("GET", "/api/v1/configmaps");
  busy.user(user);
  busy.end(reply(429, ""));
  assert.deepEqual(await lines("authentication_duration_seconds_count"), [
    'authentication_duration_seconds_count{result="success"} 1',
  ]);
  const terminated = await lines("apiserver_request_terminations_total");
  assert.equal(terminated.length, 1);
  assert.match(terminated[0]!, /code="429"/);
});

test("measuredDecision() counts allowed, denied, undecided and failed requests, and passes decisions on", async () => {
  const { record, lines } = world();
  const decisions: readonly AuthorizationDecision[] = [
    { verdict: "allow", reason: "" },
    { verdict: "allow", reason: "", error: "a role is missing" },
    { verdict: "deny", reason: "no" },
    { verdict: "noOpinion", reason: "" },
    { verdict: "noOpinion", reason: "", error: "no answer" },
  ];
  const info = requestInfo("GET", "/version")!;
  for (const decision of decisions) {
    assert.equal(await measuredDecision(() => decision, record, () => 0)(user, info), decision);
    assert.equal(await measuredDecision(() => Promise.resolve(decision), record, () => 0)(user, info), decision);
  }
  await assert.rejects(async () => await measuredDecision(() => Promise.reject(new Error("bug")), record, () => 0)(user, info), /bug/);
  assert.deepEqual(await lines("authorization_attempts_total"), [
    'authorization_attempts_total{result="allowed"} 4',
    'authorization_attempts_total{result="denied"} 2',
    'authorization_attempts_total{result="no-opinion"} 2',
    'authorization_attempts_total{result="error"} 3',
  ]);
});

test("observer() logs a request at its end with its steps, and that a watch lasts", async () => {
  const { begin, clock, told } = world();
  const seen = begin("GET", "/api/v1/configmaps?watch");
  clock.now = 5;
  seen.user(user);
  clock.now = 7;
  seen.step("authorized");
  const { body } = seen.end(reply(
    200,
    (async function* () {
      yield bytes(9);
    })(),
  ));
  assert.ok(typeof body === "object" && Symbol.asyncIterator in body);
  assert.equal(told.length, 0);
  clock.now = 9;
  for await (const _ of body);
  const [only] = told;
  assert.ok(only !== undefined);
  const { exchange: _, ...rest } = only;
  assert.deepEqual(rest, {
    verb: "WATCH",
    auditId: "id-1",
    user: "alice",
    code: 200,
    bytes: 9,
    begun: 0,
    ended: 9,
    lasting: true,
    steps: [{ what: "authenticated", at: 5 }, { what: "authorized", at: 7 }],
  });
  assert.equal(told.length, 1);
});
