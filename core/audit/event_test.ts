// Events as text, and source addresses of requests. Input of clients never starts a new line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuditEvent, eventMembers, legacyLine } from "./event.ts";
import { sourceIps } from "../../kernel/access/audit/source-ips.ts";

const event: AuditEvent = {
  level: "Metadata",
  auditId: "id",
  stage: "ResponseComplete",
  requestUri: "/api/v1/pods",
  verb: "list",
  user: { name: "ann", uid: "1", groups: ["g"], extra: { b: ["2"], a: ["1", "<"] } },
  impersonatedUser: undefined,
  sourceIps: ["10.0.0.1"],
  userAgent: "kubectl",
  objectRef: { resource: "pods", namespace: "", name: "", uid: "", apiGroup: "", apiVersion: "v1", resourceVersion: "", subresource: "" },
  responseStatus: { code: 200 },
  requestObject: undefined,
  responseObject: undefined,
  requestReceived: Date.UTC(2030, 0, 2, 3, 4, 5, 60),
  stageReached: Date.UTC(2030, 0, 2, 3, 4, 6),
  annotations: new Map([["b", "2"], ["a", ""]]),
};

test("eventMembers() is Go's JSON: keys in upstream's order, empty members omitted, maps sorted", () => {
  assert.equal(
    eventMembers(event),
    '"level":"Metadata","auditID":"id","stage":"ResponseComplete","requestURI":"/api/v1/pods","verb":"list",' +
      '"user":{"username":"ann","uid":"1","groups":["g"],"extra":{"a":["1","\\u003c"],"b":["2"]}},"sourceIPs":["10.0.0.1"],' +
      '"userAgent":"kubectl","objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},' +
      '"requestReceivedTimestamp":"2030-01-02T03:04:05.060000Z","stageTimestamp":"2030-01-02T03:04:06.000000Z",' +
      '"annotations":{"a":"","b":"2"}',
  );
  const refused = eventMembers({
    ...event,
    user: undefined,
    responseStatus: { status: "Failure", message: "m", reason: "Gone", code: 410 },
  });
  assert.ok(refused.includes('"user":{},'), refused);
  assert.ok(refused.includes('"responseStatus":{"metadata":{},"status":"Failure","message":"m","reason":"Gone","code":410}'), refused);
});

test("legacyLine() is upstream's line", () => {
  assert.equal(
    legacyLine(event),
    '2030-01-02T03:04:05.06Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="list" user="ann" groups="\\"g\\"" as="<self>" ' +
      'asgroups="<lookup>" user-agent="kubectl" namespace="<none>" uri="/api/v1/pods" response="200"',
  );
});

test("eventMembers() and legacyLine() escape control characters of names, URIs, agents and annotations", () => {
  const hostile = 'x\n{"kind":"Event"}\r\u2028\u0000"\u001b[31m\ud800';
  const made = {
    ...event,
    auditId: hostile,
    requestUri: hostile,
    verb: hostile,
    user: { name: hostile, uid: hostile, groups: [hostile], extra: { [hostile]: [hostile] } },
    impersonatedUser: { name: hostile, groups: [hostile] },
    userAgent: hostile,
    objectRef: { ...event.objectRef!, namespace: hostile, name: hostile },
    responseStatus: { status: "Failure", message: hostile } as const,
    annotations: new Map([[hostile, hostile]]),
  };
  const members = eventMembers(made);
  // deno-lint-ignore no-control-regex -- these are the characters that must be absent
  const raw = /[\u0000-\u001f\u2028\u2029]/;
  assert.doesNotMatch(members, raw);
  assert.equal(JSON.parse(`{${members}}`).user.username, hostile.toWellFormed());
  assert.doesNotMatch(legacyLine(made), raw);
});

test("sourceIps() are the valid addresses of the headers, and that of the connection", () => {
  const of = (remote: string, forwarded?: string, real?: string) =>
    sourceIps({
      remote,
      headers: {
        ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
        ...(real === undefined ? {} : { "x-real-ip": real }),
      },
    });
  assert.deepEqual(of("10.0.0.9:4711"), ["10.0.0.9"]);
  assert.deepEqual(of("[::1]:4711", "10.0.0.1, ::ffff:10.0.0.2, bad, 2001:DB8:0:0::1", "192.168.1.1"), [
    "10.0.0.1",
    "10.0.0.2",
    "2001:db8::1",
    "192.168.1.1",
    "::1",
  ]);
  assert.deepEqual(of("10.0.0.1:1", "010.0.0.1", "10.0.0.1"), ["10.0.0.1"]);
  for (const bad of ["1.2.3", "1.2.3.256", "1.2.3.4.5", "::1%eth0", "[::1]", "1:2", "", "a:b\n", "9".repeat(100), "::ffff:1.2.3.4.5"]) {
    assert.deepEqual(of("10.0.0.9:1", bad, bad), ["10.0.0.9"], bad);
  }
  assert.deepEqual(of("local"), []);
});
