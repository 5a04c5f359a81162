import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationDecision } from "../../../core/access.ts";
import { CelError, type Value } from "../../values.ts";
import { called, valueOf } from "../test-call.ts";
import { AuthorizerValue, ResourceCheck } from "./authorizer.ts";
import { type AccessCheck, DecisionTable } from "./decisions.ts";

const alice = { name: "alice", groups: ["dev"] };
const allow: AuthorizationDecision = { verdict: "allow", reason: "ok" };

/** A port that decides at once and records the checks. */
function decidingAll(decision: AuthorizationDecision) {
  const asked: AccessCheck[] = [];
  const authorizer = new AuthorizerValue(alice, {
    decide(check) {
      asked.push(check);
      return decision;
    },
  });
  return { asked, authorizer };
}

function pods(authorizer: Value): Value {
  return valueOf("resource", valueOf("group", authorizer, ""), "pods");
}

test("check() asks for a resource with all that was set", () => {
  const { asked, authorizer } = decidingAll(allow);
  let check = pods(authorizer);
  for (const [name, value] of [["subresource", "log"], ["namespace", "prod"], ["name", "web"]] as const) {
    check = valueOf(name, check, value);
  }
  check = valueOf("fieldSelector", valueOf("labelSelector", check, "app=web"), "a==b");
  const decision = valueOf("check", check, "get");
  assert.equal(valueOf("allowed", decision), true);
  assert.equal(valueOf("reason", decision), "ok");
  assert.equal(valueOf("errored", decision), false);
  assert.equal(valueOf("error", decision), "");
  assert.deepEqual(asked, [{
    user: alice,
    attributes: {
      isResourceRequest: true,
      path: "",
      version: "*",
      verb: "get",
      group: "",
      resource: "pods",
      subresource: "log",
      namespace: "prod",
      name: "web",
      fieldSelector: [{ field: "a", operator: "=", value: "b" }],
      labelSelector: [{ key: "app", operator: "=", values: ["web"] }],
    },
  }]);
});

test("check() asks for a path, for a service account, and with the errors of selectors", () => {
  const { asked, authorizer } = decidingAll({ verdict: "noOpinion", reason: "partial", error: "boom" });
  const decision = valueOf("check", valueOf("path", valueOf("serviceAccount", authorizer, "ns1", "sa1"), "/healthz"), "get");
  assert.deepEqual([valueOf("allowed", decision), valueOf("errored", decision), valueOf("error", decision)], [false, true, "boom"]);
  assert.deepEqual(asked[0]?.user, {
    name: "system:serviceaccount:ns1:sa1",
    groups: ["system:serviceaccounts", "system:serviceaccounts:ns1"],
  });
  assert.equal(asked[0]?.attributes.path, "/healthz");
  assert.equal(asked[0]?.attributes.isResourceRequest, false);
  valueOf("check", valueOf("fieldSelector", valueOf("labelSelector", pods(authorizer), "(bad"), "bad selector"), "list");
  assert.equal(asked[1]?.fieldSelectorError, "invalid selector: 'bad selector'; can't understand 'bad selector'");
  assert.match(asked[1]?.labelSelectorError ?? "", /^found '\(', expected/);
  assert.equal(asked[1]?.attributes.labelSelector, undefined);
});

test("empty paths and resources and invalid service accounts are errors", () => {
  const { authorizer } = decidingAll(allow);
  const message = (value: Value) => (value as CelError).message;
  assert.equal(message(valueOf("path", authorizer, " \t")), "path must not be empty");
  assert.equal(message(valueOf("resource", valueOf("group", authorizer, ""), "\u00a0")), "resource must not be empty");
  assert.equal(message(valueOf("serviceAccount", authorizer, "ns", "A")), "Invalid service account name");
  assert.equal(message(valueOf("serviceAccount", authorizer, "n.s", "a")), "Invalid service account namespace");
  assert.equal(message((authorizer as AuthorizerValue).equals()), "no such overload");
});

test("a check costs 350,000 units, a selector by its length", () => {
  const { authorizer } = decidingAll(allow);
  const request = new ResourceCheck(authorizer, { group: "apps", resource: "deployments", name: "web" });
  assert.equal(called("check", request, "create").cost, 350_000);
  assert.equal(called("labelSelector", request, "app=web").cost, 211);
  assert.equal(called("fieldSelector", request, "").cost, 10);
});

test("DecisionTable evaluates until it knows every check that is asked for", async () => {
  const table = new DecisionTable();
  const authorizer = new AuthorizerValue(alice, table);
  const may = (verb: string): Value => valueOf("allowed", valueOf("check", pods(authorizer), verb));
  let runs = 0;
  const decided: string[] = [];
  const authorize = ({ attributes }: AccessCheck): Promise<AuthorizationDecision> => {
    decided.push(attributes.verb);
    return Promise.resolve(attributes.verb === "get" ? allow : { verdict: "deny", reason: "no" });
  };
  // `get || list` of an evaluator: an error on the left does not keep the right from being evaluated.
  const either = () => {
    runs++;
    const left = may("get");
    if (left === true) return left;
    const right = may("list");
    return right === true || !(left instanceof CelError) ? right : left;
  };
  assert.equal(await table.evaluate(either, authorize), true);
  assert.deepEqual([runs, decided], [2, ["get"]], "the right side is not needed");
  const both = () => {
    runs++;
    const left = may("get");
    return left === false ? left : may("delete");
  };
  assert.equal(await table.evaluate(both, authorize), false);
  assert.deepEqual([runs, decided], [4, ["get", "delete"]], "a known decision is not asked for again");
});
