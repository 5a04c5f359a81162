import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject, Caller } from "../../plugin.ts";
import type { AuthorizationAttributes, AuthorizerContext, UserRules } from "../../toolbox.ts";
import { fakeApi } from "../../testing/fakes.ts";
import { noMetric } from "../../core/test-context.ts";
import { defaultNames } from "../../core/names.ts";
import { defaultBindings, defaultRoles } from "./policy.ts";
import { authorizerOf, rbacAuthorizer } from "./authorizer.ts";
import { RuleIndex } from "./rule-index.ts";
import type { Binding, Role, Subject } from "./schema.ts";

const group = "rbac.authorization.k8s.io";
const attributes = (verb: string, resource: string, namespace = "", name = ""): AuthorizationAttributes => ({
  isResourceRequest: true,
  path: "",
  verb,
  group: "",
  version: "v1",
  resource,
  subresource: "",
  namespace,
  name,
});
const role = (name: string, verbs: string[], resources: string[], namespace = "") =>
  ({
    kind: namespace === "" ? "ClusterRole" : "Role",
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
    rules: [{ verbs, apiGroups: [""], resources }],
  }) as unknown as Role;
const binding = (
  name: string,
  roleName: string,
  subjects: Partial<Subject>[],
  namespace = "",
  kind = namespace === "" ? "ClusterRole" : "Role",
) =>
  ({
    kind: namespace === "" ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
    roleRef: { apiGroup: group, kind, name: roleName },
    subjects,
  }) as unknown as Binding;
const user = (name: string, ...groups: string[]): Caller => ({ name, groups });

function decisionOf(index: RuleIndex) {
  const authorizer = authorizerOf(index);
  return async (caller: Caller, wanted: AuthorizationAttributes) => {
    const { verdict, reason } = await authorizer.authorize(caller, wanted);
    return reason === "" ? verdict : `${verdict}: ${reason}`;
  };
}

test("RBAC allows the rights of bindings to users, groups and service accounts, and names the binding", async () => {
  const index = new RuleIndex(group);
  index.setRole(role("view", ["get"], ["pods"]));
  index.setRole(role("local", ["list"], ["secrets"], "a"));
  index.setBinding(binding("all", "view", [{ kind: "User", name: "x" }, { kind: "Group", name: "dev" }]));
  index.setBinding(binding("own", "local", [{ kind: "ServiceAccount", name: "robot" }], "a"));
  index.setBinding(binding("far", "view", [{ kind: "ServiceAccount", name: "robot", namespace: "b" }], "a", "ClusterRole"));
  const decide = decisionOf(index);
  assert.equal(
    await decide(user("ann", "dev"), attributes("get", "pods", "a")),
    'allow: RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "view" to Group "dev"',
  );
  assert.equal(
    await decide(user("system:serviceaccount:a:robot"), attributes("list", "secrets", "a")),
    'allow: RBAC: allowed by RoleBinding "own/a" of Role "local" to ServiceAccount "robot/a"',
  );
  assert.equal(
    await decide(user("system:serviceaccount:b:robot"), attributes("get", "pods", "a")),
    'allow: RBAC: allowed by RoleBinding "far/a" of ClusterRole "view" to ServiceAccount "robot/b"',
  );
  assert.equal(await decide(user("system:serviceaccount:a:robot"), attributes("list", "secrets", "b")), "noOpinion", "another namespace");
  assert.equal(await decide(user("system:serviceaccount:a:robot"), attributes("list", "secrets")), "noOpinion", "all namespaces");
  assert.equal(await decide(user("dev"), attributes("get", "pods", "a")), "noOpinion", "a user is no group");
  assert.equal(await decide(user("ann", "x"), attributes("get", "pods", "a")), "noOpinion", "a group is no user");
});

test("RBAC names the subject of a binding without comparing every subject with every group", async () => {
  const many = 20_000, index = new RuleIndex(group);
  index.setRole(role("view", ["get"], ["pods"]));
  const others = Array.from({ length: many }, (_, at) => ({ kind: "Group", name: `other-${at}` }));
  index.setBinding(binding("all", "view", [...others, { kind: "Group", name: "last" }]));
  let scans = 0;
  class Counted extends Array<string> {
    override includes(name: string): boolean {
      scans++;
      return super.includes(name);
    }
  }
  const groups = Counted.from([...Array.from({ length: many }, (_, at) => `own-${at}`), "last"]);
  assert.equal(
    await decisionOf(index)({ name: "ann", groups }, attributes("get", "pods", "a")),
    'allow: RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "view" to Group "last"',
  );
  assert.ok(scans < 10, `${scans} scans of ${groups.length} groups`);
});

test("RBAC takes turns with other requests while it looks up very many groups", async () => {
  const index = new RuleIndex(group);
  index.setRole(role("view", ["get"], ["pods"]));
  index.setBinding(binding("all", "view", [{ kind: "Group", name: "last" }]));
  const many = Array.from({ length: 100_000 }, (_, at) => `g${at}`), last = user("ann", ...many.slice(0, 50_000), "last");
  const found = index.find(last, attributes("get", "pods", "a"));
  assert.ok(found instanceof Promise);
  assert.match((await found).allowedBy ?? "", /to Group "last"$/);
  assert.equal((await index.find({ name: "ann", groups: many }, attributes("get", "pods", "a"))).allowedBy, undefined);
  assert.equal(index.rules(last, "a").rules.length, 1);
  assert.ok(!(index.find(user("ann", ...many.slice(0, 1_000)), attributes("get", "pods", "a")) instanceof Promise));
});

test("RBAC lists a bounded number of rules, however many bindings repeat a large role", () => {
  const index = new RuleIndex(group), ann = user("ann");
  const large = (name: string, rules: number) => ({
    ...role(name, ["get"], ["pods"], "a"),
    rules: Array.from({ length: rules }, (_, at) => ({ verbs: ["get"], apiGroups: [""], resources: [`r${at}`] })),
  });
  index.setRole(large("small", 2));
  for (const name of ["one", "two"]) index.setBinding(binding(name, "small", [{ kind: "User", name: "ann" }], "a"));
  const rulesOf = (caller: Caller) => authorizerOf(index).rules!(caller, "a") as UserRules; // it does not wait
  assert.equal(rulesOf(ann).resourceRules.length, 4, "once for each binding, as upstream");
  assert.equal(rulesOf(ann).incomplete, false);
  index.setRole(large("large", 20_000));
  for (let at = 0; at < 300; at++) index.setBinding(binding(`b${at}`, "large", [{ kind: "User", name: "ann" }], "a"));
  assert.equal(rulesOf(ann).resourceRules.length, 20_004);
  for (let at = 0; at < 10; at++) {
    index.setRole(large(`more-${at}`, 20_000));
    index.setBinding(binding(`m${at}`, `more-${at}`, [{ kind: "User", name: "ann" }], "a"));
  }
  const { resourceRules, incomplete, evaluationError } = rulesOf(ann);
  assert.ok(resourceRules.length > 40_000 && resourceRules.length <= 50_000, `${resourceRules.length}`);
  assert.deepEqual([incomplete, evaluationError], [true, "the list is cut off after 200000 values of rules"]);
});

test("RBAC drops deleted and changed objects, and names missing roles", async () => {
  const index = new RuleIndex(group);
  const decide = decisionOf(index), ann = user("ann", "dev", "ops");
  const given = binding("one", "view", [{ kind: "User", name: "ann" }, { kind: "Group", name: "dev" }, { kind: "Group", name: "ops" }]);
  index.setBinding(given);
  index.setBinding(binding("two", "gone", [{ kind: "Group", name: "ops" }], "a"));
  assert.equal(
    await decide(ann, attributes("get", "pods", "a")),
    `noOpinion: RBAC: [clusterrole.${group} "view" not found, role.${group} "gone" not found]`,
    "each binding is met once",
  );
  index.setRole(role("view", ["get"], ["pods"]));
  assert.match(await decide(ann, attributes("get", "pods", "a")), /^allow/);
  index.setBinding(binding("one", "view", [{ kind: "User", name: "bob" }]));
  assert.doesNotMatch(await decide(ann, attributes("get", "pods", "b")), /^allow/);
  assert.match(await decide(user("bob"), attributes("get", "pods", "b")), /^allow/);
  index.deleteBinding(given);
  assert.equal(await decide(user("bob"), attributes("get", "pods", "b")), "noOpinion");
  index.setBinding(given);
  index.deleteRole(role("view", [], []));
  assert.match(await decide(ann, attributes("get", "pods")), /^noOpinion/);
});

test("RBAC lists the rules of a user: those of the cluster first", () => {
  const index = new RuleIndex(group);
  index.setRole(role("view", ["get"], ["pods"]));
  index.setRole({ ...role("paths", [], []), rules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }] });
  index.setRole(role("local", ["list"], ["secrets"], "a"));
  index.setBinding(binding("local", "local", [{ kind: "User", name: "ann" }], "a"));
  index.setBinding(binding("view", "view", [{ kind: "User", name: "ann" }]));
  index.setBinding(binding("paths", "paths", [{ kind: "User", name: "ann" }]));
  const authorizer = authorizerOf(index);
  assert.deepEqual(authorizer.rules!(user("ann"), "a"), {
    resourceRules: [
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [] },
      { verbs: ["list"], apiGroups: [""], resources: ["secrets"], resourceNames: [] },
    ],
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }],
    incomplete: false,
    evaluationError: "",
  });
});

test("a decision looks at the bindings of its user only, whatever others there are", async () => {
  const index = new RuleIndex(group);
  for (let at = 0; at < 2_000; at++) {
    const one = role(`role-${at}`, ["get"], ["pods"]);
    index.setRole({
      ...one,
      get rules() {
        return one.rules;
      },
    });
    index.setBinding(binding(`binding-${at}`, `role-${at}`, [{ kind: "User", name: `user-${at}` }]));
  }
  const { spied, compared } = spy(attributes("get", "pods", "a"));
  assert.match((await index.find(user("user-1999"), spied)).allowedBy ?? "", /binding-1999/);
  assert.equal(compared(), 1, "one rule was compared");
});

test("a role with several bindings for a user is compared once", async () => {
  const index = new RuleIndex(group);
  index.setRole(role("view", ["get"], ["pods"]));
  for (let at = 0; at < 1_000; at++) index.setBinding(binding(`binding-${at}`, "view", [{ kind: "Group", name: "dev" }]));
  const { spied, compared } = spy(attributes("list", "pods", "a"));
  assert.equal((await index.find(user("ann", "dev"), spied)).allowedBy, undefined);
  assert.equal(compared(), 1);
  index.deleteBinding(binding("binding-0", "view", []));
  assert.match((await index.find(user("ann", "dev"), attributes("get", "pods"))).allowedBy ?? "", /binding-1"/);
});

test("a search through many rules yields, so that other requests are served meanwhile", async () => {
  const index = new RuleIndex(group);
  const rules = Array.from({ length: 50_000 }, (_, at) => ({
    verbs: ["get"],
    apiGroups: [""],
    resources: ["pods"],
    resourceNames: [`pod-${at}`],
  }));
  index.setRole({ ...role("large", [], []), rules });
  index.setBinding(binding("large", "large", [{ kind: "User", name: "ann" }]));
  const last = attributes("get", "pods", "a", "pod-49999");
  const [first, searching] = [index.find(user("ann"), attributes("get", "pods", "a", "pod-0")), index.find(user("ann"), last)];
  assert.ok(!(first instanceof Promise) && searching instanceof Promise);
  let turns = 0, isOver = false;
  void searching.then(() => isOver = true);
  while (!isOver) {
    turns++;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assert.ok(turns > 1, `${turns}`);
  assert.match((await searching).allowedBy ?? "", /"large"/);
  const abandoned = index.find(user("ann"), last);
  index.deleteBinding(binding("large", "large", []));
  assert.equal((await abandoned).allowedBy, undefined, "the binding has gone meanwhile");
});

test("a decision names at most 100 missing roles", async () => {
  const index = new RuleIndex(group);
  for (let at = 0; at < 1_000; at++) index.setBinding(binding(`binding-${at}`, `role-${at}`, [{ kind: "User", name: "ann" }]));
  assert.equal((await index.find(user("ann"), attributes("get", "pods"))).errors.length, 100);
});

function spy(of: AuthorizationAttributes) {
  let count = 0;
  const spied = new Proxy(of, {
    get(target, key, receiver) {
      if (key === "verb") count++;
      return Reflect.get(target, key, receiver);
    },
  });
  return { spied, compared: () => count };
}

test("the authorizer follows the API, is ready with the initial state, and drops objects that were deleted during a disconnection", async () => {
  type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };
  const ending = new AbortController(), errors: string[] = [];
  const again = Promise.withResolvers<void>();
  let round = 0;
  const bindings = (name: string): Change => ({ type: "ADDED", object: binding(name, "view", [{ kind: "User", name }]) as ApiObject });
  const api = fakeApi({
    collections: () =>
      ["clusterroles", "roles", "clusterrolebindings", "rolebindings"].map((resource) => ({
        groupVersion: `${group}/v1`,
        resource,
        kind: "",
        namespaced: false,
      })),
    async *watch(_version, resource, _namespace, _query, signal, _scope, synced): AsyncGenerator<Change> {
      const defaults = { clusterroles: defaultRoles(defaultNames), clusterrolebindings: defaultBindings(defaultNames) };
      for (const object of defaults[resource as keyof typeof defaults] ?? []) yield { type: "ADDED", object };
      if (resource === "clusterroles") yield { type: "ADDED", object: role("view", ["get"], ["pods"]) as ApiObject };
      if (resource === "clusterrolebindings") {
        round++;
        yield bindings("stays");
        if (round === 1) yield bindings("goes");
        synced?.();
        if (round === 1) throw new Error("history is gone");
        again.resolve();
      } else synced?.();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
  });
  const context: AuthorizerContext = {
    names: defaultNames,
    api,
    metric: noMetric,
    logError: (text) => void errors.push(text),
    signal: ending.signal,
  };
  const opened = rbacAuthorizer.open(context);
  await opened.ready;
  const verdict = async (name: string) => (await opened.authorize(user(name), attributes("get", "pods", "a"))).verdict;
  assert.deepEqual([await verdict("stays"), await verdict("goes")], ["allow", "allow"]);
  await again.promise;
  assert.deepEqual([await verdict("stays"), await verdict("goes")], ["allow", "noOpinion"]);
  assert.deepEqual(errors, ["cannot follow clusterrolebindings; it tries again"]);
  ending.abort();
});

test("the authorizer is ready without kinds that are switched off, and reports no error", async () => {
  const ending = new AbortController(), errors: string[] = [];
  const api = fakeApi({ collections: () => [], watch: () => assert.fail("404") });
  const logError = (text: string) => void errors.push(text);
  const opened = rbacAuthorizer.open({ names: defaultNames, api, metric: noMetric, logError, signal: ending.signal });
  await opened.ready;
  assert.equal((await opened.authorize(user("ann"), attributes("get", "pods", "a"))).verdict, "noOpinion");
  const controller = user("system:serviceaccount:kube-system:namespace-controller");
  assert.equal((await opened.authorize(controller, attributes("delete", "pods", "a"))).verdict, "allow", "the default roles count");
  ending.abort();
  assert.deepEqual(errors, []);
});
