import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes } from "../../toolbox.ts";
import { covers, describeRights, rightsOf, ruleAllows, sizeOf } from "./rules.ts";
import type { PolicyRule } from "./schema.ts";

const rule = (members: Partial<PolicyRule>): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources: ["pods"], ...members });
const request = (members: Partial<AuthorizationAttributes>): AuthorizationAttributes => ({
  isResourceRequest: true,
  path: "",
  verb: "get",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "a",
  name: "",
  ...members,
});
const path = (verb: string, path: string) => request({ isResourceRequest: false, verb, path, resource: "" });

test("ruleAllows() compares verb, group, resource and name, and supports stars", () => {
  for (
    const [members, wanted, allowed] of [
      [{}, {}, true],
      [{}, { verb: "list" }, false],
      [{ verbs: ["*"] }, { verb: "anything" }, true],
      [{}, { group: "apps" }, false],
      [{ apiGroups: ["*"] }, { group: "apps" }, true],
      [{ resources: ["*"] }, { resource: "secrets", subresource: "x" }, true],
      [{}, { subresource: "status" }, false],
      [{ resources: ["pods/status"] }, { subresource: "status" }, true],
      [{ resources: ["pods/status"] }, {}, false],
      [{ resources: ["*/status"] }, { resource: "nodes", subresource: "status" }, true],
      [{ resources: ["*/status"] }, { resource: "nodes", subresource: "scale" }, false],
      [{ resources: ["pods/*"] }, { subresource: "status" }, false],
      [{ resourceNames: ["one"] }, { name: "one" }, true],
      [{ resourceNames: ["one"] }, { name: "two" }, false],
      [{ resourceNames: ["one"] }, { name: "", verb: "get" }, false],
      [{ verbs: ["create"], resourceNames: ["one"] }, { verb: "create" }, false],
      [{ verbs: ["deletecollection"], resourceNames: ["one"] }, { verb: "deletecollection" }, false],
    ] as const
  ) assert.equal(ruleAllows(rule(members), request(wanted)), allowed, JSON.stringify([members, wanted]));
});

test("ruleAllows() compares paths: exactly, or by the prefix before a final star", () => {
  const urls = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ["get"], nonResourceURLs });
  for (
    const [owned, wanted, allowed] of [
      ["/metrics", "/metrics", true],
      ["/metrics", "/metrics/", false],
      ["/livez/*", "/livez/etcd", true],
      ["/livez/*", "/livez", false],
      ["/li*vez", "/livez", false],
      ["*", "/anything", true],
      ["/a**", "/abc", true],
    ] as const
  ) assert.equal(ruleAllows(urls(owned), path("get", wanted)), allowed, `${owned} ${wanted}`);
  assert.equal(ruleAllows(urls("/metrics"), path("post", "/metrics")), false);
  assert.equal(ruleAllows(urls("*"), request({ path: "/x" })), false, "no resource");
  assert.equal(ruleAllows(rule({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }), path("get", "/metrics")), false);
});

test("covers() compares a right with a rule, including name and subresource", () => {
  const right = { verb: "get", apiGroup: "", resource: "pods/log" };
  assert.ok(covers(rule({ resources: ["*/log"] }), right));
  assert.ok(covers(rule({ resources: ["*"] }), right));
  assert.ok(!covers(rule({}), right));
  assert.ok(!covers(rule({ resources: ["pods/log"], resourceNames: ["a"] }), right), "a name is less than every name");
  assert.ok(covers(rule({ resources: ["pods/log"], resourceNames: ["a"] }), { ...right, resourceName: "a" }));
  assert.ok(covers(rule({ resources: ["pods/log"] }), { ...right, resourceName: "a" }));
  assert.ok(!covers(rule({}), { verb: "get", nonResourceURL: "/x" }));
  assert.ok(covers({ verbs: ["*"], nonResourceURLs: ["/x/*"] }, { verb: "get", nonResourceURL: "/x/*" }));
  assert.ok(!covers({ verbs: ["*"], nonResourceURLs: ["/x"] }, { verb: "get", nonResourceURL: "/x/*" }));
  assert.ok(!covers(rule({ verbs: ["get"] }), { ...right, verb: "*" }), "everything is more than one verb");
});

test("rightsOf() divides a rule; sizeOf() counts its values", () => {
  const wide = rule({ verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["a", "b", "c"], resourceNames: ["x", "y"] });
  assert.equal([...rightsOf(wide)].length, 24);
  assert.equal(sizeOf(wide), 10);
  assert.equal(sizeOf({ verbs: ["get", "put"], nonResourceURLs: ["/a", "/b"] }), 5);
  const many = Array.from({ length: 10_000 }, (_, index) => `${index}`);
  assert.equal(sizeOf(rule({ verbs: many, apiGroups: many, resources: many, resourceNames: many })), 40_001);
});

test("describeRights() joins verbs and sorts, in Go's quotes", () => {
  assert.deepEqual(
    describeRights([
      { verb: "list", apiGroup: "", resource: "secrets" },
      { verb: "get", nonResourceURL: "/x" },
      { verb: "get", apiGroup: "", resource: "secrets" },
      { verb: "get", apiGroup: "", resource: "pods", resourceName: "a\nb" },
    ]),
    [
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a\\nb"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["list" "get"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ],
  );
});
