import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../../core/limits.ts";
import { causeText, endpointsOf } from "./endpoints.ts";
import { grpcCode, GrpcError, lost } from "./grpc/errors.ts";
import { manualClock } from "../testing/clock.ts";
import { troublesOf, troubleText } from "../trouble.ts";

function world(addresses: readonly string[]) {
  const clock = manualClock(0);
  const told: string[] = [];
  const troubles = troublesOf(clock, {
    begun: (trouble) => told.push(troubleText(trouble)),
    ended: ({ over }, afterMs) => told.push(`${over} after ${afterMs} ms`),
  });
  return { clock, told, troubles, endpoints: endpointsOf(addresses, troubles, clock) };
}
const refused = () => lost("Cannot connect to http://a", new Error("connect ECONNREFUSED"), true, true);
const at = (ms: number) => new Date(ms).toISOString();

test("endpointsOf() reports an endpoint once when no connection can be made, and once when it answers", () => {
  const { clock, told, endpoints } = world(["http://a"]);
  for (let call = 0; call < 3; call++) endpoints.begin(0)(refused());
  assert.deepEqual(told, [`etcd at http://a unreachable since ${at(0)}: connect ECONNREFUSED`]);
  clock.advance(5000);
  endpoints.begin(0)();
  endpoints.begin(0)();
  assert.deepEqual(told.slice(1), ["etcd at http://a is back after 5000 ms"]);
});

test("endpointsOf() reports silence while calls wait, also calls that are given up, and not before its time", () => {
  const { clock, told, endpoints } = world(["http://a"]);
  const first = endpoints.begin(0);
  clock.advance(limits.etcdSilentMs - 1);
  assert.deepEqual(told, []);
  clock.advance(200);
  assert.match(told.join(), /^etcd at http:\/\/a unreachable since .*: no answer for 2 s$/);
  first(new DOMException("over", "TimeoutError"));
  assert.equal(told.length, 1);
  assert.equal(clock.waiting, 0);
});

test("endpointsOf() reports nothing while something is answered, and none of its timers stays", () => {
  const { clock, told, endpoints } = world(["http://a"]);
  const slow = endpoints.begin(0);
  for (let ms = 0; ms < 20_000; ms += 500) {
    endpoints.begin(0)();
    clock.advance(500);
  }
  // What the server refuses for a reason of its own is an answer.
  endpoints.begin(0)(new GrpcError(grpcCode.resourceExhausted, "full", { fromServer: true }));
  slow();
  clock.advance(10_000);
  assert.deepEqual([told, clock.waiting], [[], 0]);
});

test("endpointsOf() takes a connection that breaks for no failure, and a member without a leader for one", () => {
  const { told, endpoints } = world(["http://a"]);
  endpoints.begin(0)(lost("The connection was lost", "the connection was closed", false));
  assert.deepEqual(told, []);
  endpoints.begin(0)(new GrpcError(grpcCode.unavailable, "etcdserver: no leader", { fromServer: true }));
  assert.match(told.join(), /: etcdserver: no leader$/);
});

test("endpointsOf() of several reports each, and all of them together", () => {
  const { told, troubles, endpoints } = world(["http://a", "http://b"]);
  endpoints.begin(0)(refused());
  assert.deepEqual(troubles.current.map(({ kind }) => kind), ["member"]);
  endpoints.begin(1)(refused());
  assert.deepEqual(troubles.current.map(({ kind }) => kind), ["member", "member", "unreachable"]);
  assert.match(told[2]!, /^etcd at http:\/\/a, http:\/\/b unreachable since .*: no member answers$/);
  endpoints.begin(1)();
  assert.deepEqual(troubles.current.map(({ kind, of }) => [kind, of]), [["member", "http://a"]]);
});

test("causeText() has words for errors without any", () => {
  assert.equal(causeText(new AggregateError([Object.assign(new Error(""), { code: "ECONNREFUSED" })], "")), "ECONNREFUSED");
  assert.equal(causeText(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })), "no such name (ENOTFOUND)");
  assert.equal(causeText("the connection was closed"), "the connection was closed");
});
