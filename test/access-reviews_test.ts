// Access reviews on a whole server: the subject of a review, and errors in its request.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes, AuthorizationDecision, UserRules } from "../core/access.ts";
import { definePlugin } from "../core/define/define.ts";
import type { Caller } from "../core/user-info.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask } from "./requests.ts";

interface Question {
  readonly user: Caller;
  readonly attributes: AuthorizationAttributes;
}
const rules: UserRules = {
  resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: ["a"] }],
  nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x/*"] }],
  incomplete: true,
  evaluationError: "a role is missing",
};
const isController = ({ name }: Caller) =>
  name === "system:kube-controller-manager" || name.startsWith("system:serviceaccount:kube-system:");
/** A server whose only authorizer returns `decision` for everything except the creation of reviews, and its requests. */
async function judged(decision: AuthorizationDecision): Promise<{ readonly server: TestServer; readonly asked: Question[] }> {
  const asked: Question[] = [];
  const judge = definePlugin({
    name: "judge",
    summary: "Offers an authorizer.",
    authorizers: [{
      name: "Judge",
      summary: "Allows reviews, and decides the rest as the test says.",
      open: () => ({
        name: "Judge",
        ready: Promise.resolve(),
        authorize(user, attributes) {
          if (attributes.verb === "create" || isController(user)) return { verdict: "allow", reason: "" };
          asked.push({ user, attributes });
          return decision;
        },
        rules: ({ name }, namespace) => name === "alice" && namespace === "default" ? rules : { ...rules, resourceRules: [] },
      }),
    }],
  });
  return { server: await openTestServer({ plugins: [judge], settings: { "authorization-mode": ["Judge"] } }), asked };
}

const alice = { name: "alice", uid: "7", groups: ["system:authenticated"], extra: { scopes: ["a"] } };
function post(server: TestServer, resource: string, body: unknown, user: Caller | null = alice) {
  return ask(server, "POST", `/apis/authorization.k8s.io/v1/${resource}`, body, { user });
}
const resourceAttributes = { verb: "list", resource: "secrets", namespace: "default" };

test("a review of the caller is about the caller, for any user in the body or its status", async () => {
  const { server, asked } = await judged({ verdict: "noOpinion", reason: "" });
  await using _ = server;
  const spec = { resourceAttributes, user: "admin", groups: ["system:masters"] };
  const { status, body } = await post(server, "selfsubjectaccessreviews", { spec, status: { allowed: true, reason: "because" } });
  assert.equal(status, 201);
  assert.deepEqual(body.status, { allowed: false });
  assert.deepEqual(asked.map(({ user }) => user), [alice]);
});

test("a review of another user uses the groups that it names: none is added, and system:masters counts", async () => {
  const { server, asked } = await judged({ verdict: "noOpinion", reason: "" });
  await using _ = server;
  const review = async (spec: object) =>
    (await post(server, "subjectaccessreviews", { spec: { resourceAttributes, ...spec } })).body.status;
  assert.deepEqual(await review({ user: "dave" }), { allowed: false });
  assert.deepEqual(await review({ groups: ["", "a"], uid: "u", extra: { "__proto__x": ["y"] } }), { allowed: false });
  assert.deepEqual(await review({ user: "admin", groups: ["System:Masters", "system:masters "] }), { allowed: false });
  assert.deepEqual(await review({ user: "dave", groups: ["system:masters"] }), { allowed: true });
  assert.deepEqual(asked.map(({ user }) => user), [
    { name: "dave", groups: [] },
    { name: "", groups: ["", "a"], uid: "u", extra: { "__proto__x": ["y"] } },
    { name: "admin", groups: ["System:Masters", "system:masters "] },
  ]);
});

test("messages have the fields of upstream's struct of a request outside of resources", async () => {
  const { server } = await judged({ verdict: "noOpinion", reason: "" });
  await using _ = server;
  const spec = { user: "dave", nonResourceAttributes: { path: "/foo" } }, value = 'Invalid value: {"Path":"/foo","Verb":""}';
  const message = async (path: string, spec: object) => (await post(server, path, { spec })).body.message;
  const prefix = '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes';
  assert.equal(
    await message("namespaces/default/localsubjectaccessreviews", spec),
    `${prefix}: ${value}: disallowed on this kind of request`,
  );
  assert.equal(
    await message("subjectaccessreviews", { ...spec, resourceAttributes }),
    `${prefix}: ${value}: cannot be specified in combination with resourceAttributes`,
  );
});

test("a denial, its reason and an error are returned; an allowed request may have an error, too", async () => {
  const shown = async (decision: AuthorizationDecision) => {
    const { server } = await judged(decision);
    await using _ = server;
    return (await post(server, "selfsubjectaccessreviews", { spec: { resourceAttributes } })).body.status;
  };
  assert.deepEqual(await shown({ verdict: "deny", reason: "not today" }), { allowed: false, denied: true, reason: "not today" });
  assert.deepEqual(await shown({ verdict: "allow", reason: "yes", error: "half" }), {
    allowed: true,
    reason: "yes",
    evaluationError: "half",
  });
  assert.deepEqual(await shown({ verdict: "noOpinion", reason: "", error: "no answer" }), { allowed: false, evaluationError: "no answer" });
});

test("requirements of selectors that cannot be parsed are ignored and reported, before the error of the decision", async () => {
  const { server, asked } = await judged({ verdict: "noOpinion", reason: "", error: "no answer" });
  await using _ = server;
  const fieldSelector = {
    requirements: [
      { key: "a", operator: "In", values: ["b"] },
      { key: "c", operator: "NotIn", values: ["d"] },
      { key: "e", operator: "Exists" },
      { key: "f", operator: "In", values: ["g", "h"] },
    ],
  };
  const labelSelector = { requirements: [{ key: "x", operator: "toString", values: ["y"] }] };
  const { body } = await post(server, "selfsubjectaccessreviews", {
    spec: { resourceAttributes: { ...resourceAttributes, fieldSelector, labelSelector } },
  });
  assert.equal(
    body.status.evaluationError,
    "no answer; spec.resourceAttributes.fieldSelector partially ignored due to parse error; " +
      "spec.resourceAttributes.labelSelector ignored due to parse error",
  );
  const [{ attributes }] = asked as [Question];
  assert.deepEqual(attributes.fieldSelector, [{ field: "a", operator: "=", value: "b" }, { field: "c", operator: "!=", value: "d" }]);
  assert.equal(attributes.labelSelector, undefined);
});

test("a review is for a resource by name, with any version if it names none, or for a path", async () => {
  const { server, asked } = await judged({ verdict: "noOpinion", reason: "" });
  await using _ = server;
  await post(server, "selfsubjectaccessreviews", { spec: { nonResourceAttributes: { path: "metrics", verb: "GET" } } });
  const labelSelector = { requirements: [{ key: "a", operator: "DoesNotExist" }, { key: "b", operator: "NotIn", values: ["c"] }] };
  const attributes = { verb: "get", group: "g", version: "v9", resource: "r", subresource: "s", name: "n", namespace: "ns", labelSelector };
  await post(server, "selfsubjectaccessreviews", { spec: { resourceAttributes: attributes } });
  await post(server, "namespaces/default/localsubjectaccessreviews", { spec: { user: "dave", resourceAttributes } });
  const empty = { group: "", version: "", resource: "", subresource: "", namespace: "", name: "" };
  assert.deepEqual(asked.map(({ attributes }) => attributes), [
    { ...empty, isResourceRequest: false, path: "metrics", verb: "GET" },
    {
      ...attributes,
      isResourceRequest: true,
      path: "",
      labelSelector: [{ key: "a", operator: "!", values: [] }, { key: "b", operator: "notin", values: ["c"] }],
    },
    { ...empty, ...resourceAttributes, isResourceRequest: true, path: "", version: "*" },
  ]);
});

test("a rules review lists the rules of the caller in a namespace, and needs the namespace", async () => {
  const { server } = await judged({ verdict: "noOpinion", reason: "" });
  await using _ = server;
  const { status, body } = await post(server, "selfsubjectrulesreviews", { metadata: { name: "x" }, spec: { namespace: "default" } });
  assert.equal(status, 201);
  assert.deepEqual(body, {
    kind: "SelfSubjectRulesReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.resourceRules,
      nonResourceRules: rules.nonResourceRules,
      incomplete: true,
      evaluationError: "a role is missing",
    },
  });
  const other = await post(server, "selfsubjectrulesreviews", { spec: { namespace: "other" } });
  assert.deepEqual(other.body.status.resourceRules, []);
  const none = await post(server, "selfsubjectrulesreviews", { spec: {} });
  assert.deepEqual([none.status, none.body.message], [400, "no namespace on request"]);
});
