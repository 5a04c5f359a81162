// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ExpressionWork } from "../../../core/admission/expression-work.ts";
import type { PolicyInput } from "../../../cel/policy/policy.ts";
import type { ValidatingAdmissionPolicy } from "../schema.ts";
import { compiledPolicy } from "./compiled-policy.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";

type Spec = ValidatingAdmissionPolicy["spec"];
const input: PolicyInput = { object: { spec: { replicas: 7, text: "a" } }, oldObject: null, request: null, namespaceObject: null };

function evaluated(spec: Partial<Spec>, given: PolicyInput = input, work = new ExpressionWork()): Promise<Evaluation> {
  const policy = {
    kind: "",
    apiVersion: "",
    metadata: { name: "p" },
    spec: { failurePolicy: "Fail", ...spec },
    status: {},
  } as ValidatingAdmissionPolicy;
  return evaluate(work, policy, compiledPolicy(policy), given);
}
const messagesOf = ({ decisions }: Evaluation): readonly (string | undefined)[] =>
  decisions.map((decision) => decision.tag === "deny" ? decision.message : undefined);

test("a validation that is false denies, with its message, the computed message, or its text", async () => {
  const found = await evaluated({
    validations: [
      { expression: "object.spec.replicas > 5" },
      { expression: " object.spec.replicas < 5 " },
      { expression: "false", message: " too many " },
      { expression: "false", message: "unused", messageExpression: "'not ' + string(object.spec.replicas)" },
      { expression: "false", message: "used", messageExpression: "object.spec.missing" },
      { expression: "false", messageExpression: "'two\\nlines'", reason: "Forbidden" },
    ],
  });
  assert.deepEqual(messagesOf(found), [
    undefined,
    "failed expression: object.spec.replicas < 5",
    "too many",
    "not 7",
    "used",
    "failed expression: false",
  ]);
  const last = found.decisions.at(-1)!;
  assert.equal(last.tag === "deny" && last.reason, "Forbidden");
});

test("an error denies, or admits if failures are ignored", async () => {
  const validations = [{ expression: "object.spec.missing == 1" }, { expression: "false", message: "no" }];
  assert.deepEqual(messagesOf(await evaluated({ validations })), [
    "expression 'object.spec.missing == 1' resulted in error: no such key: missing",
    "no",
  ]);
  const ignoring = await evaluated({ validations, failurePolicy: "Ignore" });
  const [first] = ignoring.decisions;
  assert.equal(first?.tag === "admit" && first.error, "expression 'object.spec.missing == 1' resulted in error: no such key: missing");
  assert.deepEqual(messagesOf(ignoring), [undefined, "no"]);
});

test("match conditions: false beats an error, and errors count as failures", async () => {
  const validations = [{ expression: "false", message: "denied" }];
  const wrong = { name: "wrong", expression: "object.spec.missing == 1" }, no = { name: "no", expression: "false" };
  assert.deepEqual((await evaluated({ validations, matchConditions: [wrong, no] })).decisions, []);
  assert.deepEqual(messagesOf(await evaluated({ validations, matchConditions: [wrong] })), [
    "expression 'object.spec.missing == 1' resulted in error: no such key: missing",
  ]);
  assert.deepEqual((await evaluated({ validations, matchConditions: [wrong], failurePolicy: "Ignore" })).decisions, []);
  assert.deepEqual(messagesOf(await evaluated({ validations, matchConditions: [{ name: "yes", expression: "true" }] })), ["denied"]);
});

test("variables are evaluated once and pass on their errors", async () => {
  const found = await evaluated({
    variables: [{ name: "n", expression: "object.spec.replicas" }, { name: "twice", expression: "variables.n * 2" }, {
      name: "bad",
      expression: "object.spec.missing",
    }],
    validations: [{ expression: "variables.twice == 14" }, { expression: "variables.bad == 1" }],
  });
  assert.equal(found.decisions[0]!.tag, "admit");
  assert.match(messagesOf(found)[1]!, /composited variable "bad" fails to evaluate: no such key: missing$/);
});

test("audit annotations: texts are values, null and blank ones are left out, errors reject", async () => {
  const auditAnnotations = [
    { key: "a", valueExpression: "'replicas: ' + string(object.spec.replicas)" },
    { key: "b", valueExpression: "null" },
    { key: "c", valueExpression: "'  '" },
    { key: "d", valueExpression: "string(object.spec.missing)" },
  ];
  assert.deepEqual((await evaluated({ auditAnnotations })).annotations, [
    { tag: "value", key: "a", value: "replicas: 7" },
    { tag: "error", message: "expression 'string(object.spec.missing)' resulted in error: no such key: missing" },
  ]);
  assert.deepEqual((await evaluated({ auditAnnotations, failurePolicy: "Ignore" })).annotations.length, 1);
});

test("parameters are a variable of policies with a kind of parameters", async () => {
  const spec: Partial<Spec> = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "object.spec.replicas <= int(params.data.max)", messageExpression: "'at most ' + params.data.max" }],
  };
  assert.deepEqual(messagesOf(await evaluated(spec, { ...input, params: { data: { max: "5" } } })), ["at most 5"]);
  assert.deepEqual(messagesOf(await evaluated(spec, { ...input, params: { data: { max: "7" } } })), [undefined]);
});

test("the budget of a policy ends its evaluation with one failure", async () => {
  const long = {
    expression:
      "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a+b+c+d+e > 0)))))",
  };
  const validations = Array.from({ length: 30 }, () => long);
  const found = await evaluated({ validations });
  assert.ok(found.decisions.length >= 1);
  assert.match(messagesOf(found).find((message) => message !== undefined) ?? "", /budget|cost/);
});

test("above the budget of a request it is rejected, whatever the failure policies", async () => {
  const items = `[${Array(90).fill("1").join(",")}]`, expression = `${items}.all(a, ${items}.all(b, a + b > 0))`;
  const spec = { failurePolicy: "Ignore", validations: [{ expression }] } as const, work = new ExpressionWork();
  let before = 0;
  await assert.rejects(async () => {
    for (;; before++) assert.deepEqual(messagesOf(await evaluated(spec, input, work)), [undefined]);
  }, { code: 413 });
  // Some hundred policies of this cost.
  assert.ok(before > 100, `${before} policies`);
});

test("after some milliseconds of expressions other work gets a turn", async () => {
  const items = `[${Array(90).fill("1").join(",")}]`, expression = `${items}.all(a, ${items}.all(b, a + b > 0))`;
  let turns = 0, isOver = false;
  const turn = (): void => {
    if (isOver) return;
    turns++;
    setTimeout(turn, 0);
  };
  setTimeout(turn, 0);
  await evaluated({ validations: Array.from({ length: 60 }, () => ({ expression })) });
  isOver = true;
  assert.ok(turns > 0);
});
