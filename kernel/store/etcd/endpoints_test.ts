import assert from "node:assert/strict";
import { test } from "node:test";
import { Endpoints, etcdSilentMs } from "./endpoints.ts";
import { isUnavailable, isUnsent } from "../../../protocols/etcd/errors.ts";
import { grpcCode, GrpcError, lostError } from "../../../protocols/grpc/errors.ts";
import { manualClock } from "../../../test/store/clock.ts";
import { faultsOf, faultText } from "../fault.ts";

function fixture(addresses: readonly string[]) {
  const clock = manualClock(0);
  const reports: string[] = [];
  const faults = faultsOf(clock, {
    begun: (fault) => reports.push(faultText(fault)),
    ended: ({ over }, afterMs) => reports.push(`${over} after ${afterMs} ms`),
  });
  return { clock, reports, faults, endpoints: new Endpoints(addresses, faults, clock) };
}
const refused = () => lostError("Cannot connect to http://a", new Error("connect ECONNREFUSED"), true, true);
const at = (ms: number) => new Date(ms).toISOString();

test("Endpoints reports an endpoint once when no connection can be made, and once when it answers", () => {
  const { clock, reports, endpoints } = fixture(["http://a"]);
  for (let call = 0; call < 3; call++) endpoints.begin(0)(refused());
  assert.deepEqual(reports, [`etcd at http://a unreachable since ${at(0)}: connect ECONNREFUSED`]);
  clock.advance(5000);
  endpoints.begin(0)();
  endpoints.begin(0)();
  assert.deepEqual(reports.slice(1), ["etcd at http://a is back after 5000 ms"]);
});

test("Endpoints reports missing answers while calls wait, also cancelled ones, and not before the timeout", () => {
  const { clock, reports, endpoints } = fixture(["http://a"]);
  const first = endpoints.begin(0);
  clock.advance(etcdSilentMs - 1);
  assert.deepEqual(reports, []);
  clock.advance(200);
  assert.match(reports.join(), /^etcd at http:\/\/a unreachable since .*: no answer for 2 s$/);
  first(new DOMException("over", "TimeoutError"));
  assert.equal(reports.length, 1);
  assert.equal(clock.waiting, 0);
});

test("Endpoints reports nothing while calls are answered, and leaves no timer", () => {
  const { clock, reports, endpoints } = fixture(["http://a"]);
  const slow = endpoints.begin(0);
  for (let ms = 0; ms < 20_000; ms += 500) {
    endpoints.begin(0)();
    clock.advance(500);
  }
  // A rejection by the server is an answer.
  endpoints.begin(0)(new GrpcError(grpcCode.resourceExhausted, "full", { fromServer: true }));
  slow();
  clock.advance(10_000);
  assert.deepEqual([reports, clock.waiting], [[], 0]);
});

test("a member that has too many writes to apply is not unreachable, and what it refuses may be sent again", () => {
  const { reports, endpoints } = fixture(["http://a"]);
  const busy = new GrpcError(grpcCode.unknown, "etcdserver: too many requests", { fromServer: true });
  endpoints.begin(0)(busy);
  assert.deepEqual(reports, []);
  assert.deepEqual([isUnavailable(busy), isUnsent(busy)], [true, true]);
});

test("Endpoints does not report a broken connection, but a member without a leader", () => {
  const { reports, endpoints } = fixture(["http://a"]);
  endpoints.begin(0)(lostError("The connection was lost", "the connection was closed", false));
  assert.deepEqual(reports, []);
  endpoints.begin(0)(new GrpcError(grpcCode.unavailable, "etcdserver: no leader", { fromServer: true }));
  assert.match(reports.join(), /: etcdserver: no leader$/);
});

test("Endpoints of several reports each, and all of them together", () => {
  const { reports, faults, endpoints } = fixture(["http://a", "http://b"]);
  endpoints.begin(0)(refused());
  assert.deepEqual(faults.current.map(({ kind }) => kind), ["member"]);
  endpoints.begin(1)(refused());
  assert.deepEqual(faults.current.map(({ kind }) => kind), ["member", "member", "unreachable"]);
  assert.match(reports[2]!, /^etcd at http:\/\/a, http:\/\/b unreachable since .*: no member answers$/);
  endpoints.begin(1)();
  assert.deepEqual(faults.current.map(({ kind, of }) => [kind, of]), [["member", "http://a"]]);
});
