import assert from "node:assert/strict";
import { test } from "node:test";
import { auditIdLengthMax, auditIdOf } from "../request/audit-id.ts";
import type { Exchange } from "../request/exchange.ts";
import { jsonLog, verbosityOf } from "./log.ts";
import { type Finished, loggedUrl, requestLog } from "./request-log.ts";

// The fields of an exchange that the log uses.
const exchange = {
  method: "GET",
  url: "/api/v1/secrets?limit=5",
  headers: { "user-agent": "curl/8" },
  remote: "10.0.0.7:4444",
} as unknown as Exchange;
const finished: Finished = {
  exchange,
  verb: "LIST",
  auditId: "id-1",
  user: "alice",
  code: 200,
  bytes: 12,
  begun: 1000,
  ended: 1499.5,
  lasting: false,
  steps: [{ what: "authenticated", at: 1001 }, { what: "verb done", at: 1480 }],
};

function world(vmodule: readonly string[] = []) {
  const lines: any[] = [];
  const log = jsonLog((line) => lines.push(JSON.parse(line)), () => 0, verbosityOf(0, vmodule, []));
  return { lines, tell: requestLog(log, () => 500) };
}

test("requestLog() writes a line for each request at level 3 of httplog, and none for other modules", () => {
  const { tell, lines } = world(["httplog=3"]);
  tell(finished);
  assert.deepEqual(lines, [{
    time: "1970-01-01T00:00:00.000Z",
    level: "info",
    v: 3,
    logger: "httplog",
    message: "HTTP",
    verb: "LIST",
    URI: "/api/v1/secrets?limit=5",
    latency: "499.5ms",
    userAgent: "curl/8",
    "audit-ID": "id-1",
    srcIP: "10.0.0.7:4444",
    user: "alice",
    resp: 200,
    bytes: 12,
  }]);
  const quiet = world(["httplog=2"]);
  quiet.tell(finished);
  assert.deepEqual(quiet.lines, []);
});

test("requestLog() traces a request from the threshold on, with the time of each step, and never a watch", () => {
  const { tell, lines } = world();
  tell(finished);
  tell({ ...finished, ended: 1500 });
  tell({ ...finished, ended: 99_000, lasting: true });
  assert.equal(lines.length, 1);
  const { message, logger, steps, latency } = lines[0];
  assert.deepEqual([message, logger, latency], ["a request was slow", "trace", "500ms"]);
  assert.deepEqual(steps, ["authenticated 1ms", "verb done 479ms", "answer sent 20ms"]);
  const never: string[] = [];
  requestLog(jsonLog((line) => never.push(line), () => 0), () => 0)({ ...finished, ended: 1e9 });
  assert.deepEqual(never, []);
});

test("loggedUrl() omits values that may be secrets, in every spelling of the parameter's name", () => {
  assert.equal(loggedUrl("/a?token=t0ken&limit=5"), "/a?token=REDACTED&limit=5");
  assert.equal(
    loggedUrl("/a?access_TOKEN=x&%74oken=x&client+secret=x&Password=x&=&b"),
    "/a?access_TOKEN=REDACTED&%74oken=REDACTED&client+secret=REDACTED&Password=REDACTED&=&b",
  );
  assert.equal(loggedUrl("/a?%zz=1&continue=abc"), "/a?%zz=1&continue=abc");
  assert.equal(loggedUrl("/token"), "/token");
});

test("auditIdOf() uses the client's id up to the bound, else a new one", () => {
  const of = (id: string | readonly string[] | undefined) => auditIdOf({ headers: { "audit-id": id } });
  assert.equal(of("mine"), "mine");
  assert.equal(of(["first", "second"]), "first");
  const longest = "x".repeat(auditIdLengthMax);
  assert.equal(of(longest), longest);
  for (const none of [undefined, "", `${longest}x`]) assert.match(of(none), /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
});
