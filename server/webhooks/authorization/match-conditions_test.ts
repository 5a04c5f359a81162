import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes } from "../../../core/access.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import { requestInfo } from "../../../kernel/request/request-info.ts";
import { accessReviews } from "./access-review.ts";
import { attributesOf } from "../../../kernel/access/authorization/attributes.ts";
import { matchConditions } from "./match-conditions.ts";

const alice: UserInfo = { name: "alice", groups: ["dev"] };
const requested = (path: string) => attributesOf(requestInfo("GET", path)!);
const pods = requested("/api/v1/namespaces/a/pods/b"), version = requested("/version");

/** Conditions, and what was recorded of them. */
function world(...expressions: readonly string[]) {
  const records: string[] = [];
  let now = 0;
  const matches = matchConditions(expressions, {
    evaluated: (seconds) => records.push(`evaluated ${seconds}`),
    failed: () => records.push("failed"),
    excluded: () => records.push("excluded"),
  }, () => now += 500);
  return { records, matches: (user: UserInfo = alice, of: AuthorizationAttributes = pods) => matches(user, of) };
}

test("matchConditions() matches requests for which every expression is true", () => {
  const both = world("request.user == 'alice'", "request.resourceAttributes.namespace == 'a'");
  assert.equal(both.matches(), true);
  assert.deepEqual(both.records, ["evaluated 0.5"]);
  assert.equal(both.matches({ ...alice, name: "bob" }), false);
  assert.deepEqual(both.records.slice(1), ["excluded", "evaluated 0.5"]);
});

test("an expression sees every field of the review, also empty ones, and the selectors", () => {
  const holds = (text: string, of: AuthorizationAttributes = pods, user = alice) => world(text).matches(user, of);
  const all = ["uid == ''", "extra.size() == 0", "'dev' in request.groups", "resourceAttributes.subresource == ''"];
  for (const each of all) assert.equal(holds(each.startsWith("'") ? each : `request.${each}`), true, each);
  const about = "request.resourceAttributes";
  assert.equal(holds(`${about}.verb == 'get' && ${about}.group == '' && ${about}.version == 'v1' && ${about}.resource == 'pods'`), true);
  assert.equal(holds(`${about}.name == 'b' && !has(request.nonResourceAttributes)`), true);
  assert.equal(holds(`!has(${about}) && request.nonResourceAttributes.path == '/version'`, version), true);
  assert.equal(holds("request.extra['example.com/a'] == ['1']", pods, { ...alice, extra: { "example.com/a": ["1"] } }), true);
  const selected = requested("/api/v1/pods?fieldSelector=spec.nodeName%3Dn&labelSelector=app%20in%20(a,b)");
  const field = "{'key': 'spec.nodeName', 'operator': 'In', 'values': ['n']}";
  assert.equal(
    holds(`has(${about}.fieldSelector) && ${about}.fieldSelector.requirements.all(r, r.key == 'spec.nodeName')`, selected),
    true,
    field,
  );
  assert.equal(holds(`${about}.labelSelector.requirements.exists(r, r.key == 'app' && r.values == ['a', 'b'])`, selected), true);
  assert.equal(holds(`!has(${about}.fieldSelector) && !has(${about}.labelSelector)`), true);
});

test("a failed expression is an error, unless another one is false", () => {
  const fails = "request.nonResourceAttributes.path == '/a'";
  const alone = world(fails);
  assert.throws(() => alone.matches(), {
    message: `cel evaluation error: expression '${fails}' resulted in error: no such key: nonResourceAttributes`,
  });
  assert.deepEqual(alone.records, ["evaluated 0.5", "failed"]);
  const excluded = world(fails, "request.user == 'bob'");
  assert.equal(excluded.matches(), false);
  assert.deepEqual(excluded.records, ["excluded", "evaluated 0.5"]);
  assert.throws(
    () => world(fails, `${fails} || 1 / 0 > 1`, "true").matches(),
    /^Error: \[cel evaluation error: .*, cel evaluation error: .*\]$/,
  );
});

test("an expression that costs too much fails", () => {
  const groups = Array.from({ length: 300 }, (_, index) => String(index));
  const costly = world("request.groups.all(a, request.groups.all(b, request.groups.all(c, a != b + c + 'x')))");
  assert.throws(() => costly.matches({ ...alice, groups }), /actual cost limit exceeded/);
});

test("accessReviews() calls no webhook for requests that do not match, and decides by the failure policy when conditions fail", async () => {
  const decided = async (expression: string, onError: "deny" | "noOpinion") => {
    const sent: unknown[] = [], logged: string[] = [];
    const authorizer = accessReviews({
      name: "hook",
      server: {
        client: {
          send(request) {
            sent.push(request);
            return Promise.resolve({
              status: 201,
              body: { kind: "SubjectAccessReview", status: { allowed: true } },
              retryAfter: undefined,
            });
          },
        },
        path: "",
        version: "v1",
        timeoutMs: 1000,
      },
      cached: { allowedMs: 0, deniedMs: 0 },
      onError,
      matches: matchConditions([expression], { evaluated() {}, failed() {}, excluded() {} }, () => 0),
      reports: { log: (sentence) => logged.push(sentence) },
      clock: { now: () => 0, after: () => () => {} },
      random: () => 0,
    });
    const { verdict, error } = await authorizer.authorize(alice, pods);
    return { verdict, error, sent: sent.length, logged: logged.length };
  };
  assert.deepEqual(await decided("request.user == 'alice'", "deny"), { verdict: "allow", error: undefined, sent: 1, logged: 0 });
  assert.deepEqual(await decided("request.user == 'bob'", "deny"), { verdict: "noOpinion", error: undefined, sent: 0, logged: 0 });
  const fails = "request.extra['a'] == ['b']";
  const error = `hook: cel evaluation error: expression '${fails}' resulted in error: no such key: a`;
  assert.deepEqual(await decided(fails, "deny"), { verdict: "deny", error, sent: 0, logged: 1 });
  assert.deepEqual(await decided(fails, "noOpinion"), { verdict: "noOpinion", error, sent: 0, logged: 1 });
});
