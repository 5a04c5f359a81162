// Validating policies are in force for every way to write: small and large bodies, updates, patches, applies, deletions and subresources.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Server } from "../kernel/server.ts";
import { statusOf, withHeavyThread } from "./heavy-server.ts";
import { openTestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { ask as request, send, textOf } from "./requests.ts";
import { inlineBodyBytesMax } from "../kernel/request-context.ts";

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const configMaps = "/api/v1/namespaces/default/configmaps";

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };
const policy = (name: string, expression: string) => ({
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
});
const binding = (name: string, changes: object = {}) => ({
  metadata: { name },
  spec: { policyName: name, validationActions: ["Deny"], ...changes },
});
const configMap = (name: string, data: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

async function bound(server: Server, name: string, expression: string): Promise<void> {
  assert.equal(await statusOf(server, "POST", policies, policy(name, expression)), 201);
  assert.equal(await statusOf(server, "POST", bindings, binding(name)), 201);
}

test(
  "a policy rejects every operation that it covers, in the heavy thread too",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      assert.equal(await statusOf(server, "POST", configMaps, configMap("kept", { locked: "yes" })), 201);
      await bound(server, "locked", "!(request.operation == 'DELETE' ? oldObject : object).?data.locked.hasValue()");
      const long = "x".repeat(inlineBodyBytesMax + 1);
      await until(async () => assert.equal(await statusOf(server, "POST", configMaps, configMap("small", { locked: "yes" })), 422));
      assert.equal(jobs(), 0);
      assert.equal(await statusOf(server, "POST", configMaps, configMap("large", { locked: "yes", long })), 422);
      assert.equal(jobs(), 1);
      assert.equal(await statusOf(server, "POST", configMaps, configMap("free", { long })), 201);
      assert.equal(await statusOf(server, "PATCH", `${configMaps}/free`, { data: { locked: "yes" } }), 422);
      assert.equal(await statusOf(server, "PUT", `${configMaps}/kept`, configMap("kept", { locked: "no" })), 422);
      assert.equal(await statusOf(server, "DELETE", `${configMaps}/kept`), 422);
      assert.equal(await statusOf(server, "DELETE", configMaps), 422);
      assert.equal(await statusOf(server, "GET", `${configMaps}/kept`), 200);
      // Without its binding the policy has no effect.
      assert.equal(await statusOf(server, "DELETE", `${bindings}/locked`), 200);
      await until(async () => assert.equal(await statusOf(server, "DELETE", `${configMaps}/kept?dryRun=All`), 200));
      assert.equal(await statusOf(server, "POST", configMaps, configMap("later", { locked: "yes", long })), 201);
    }),
);

test(
  "a changed policy is compiled again, and a binding narrows what it covers",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server) => {
      await bound(server, "short", "size(object.metadata.name) < 5");
      const create = (name: string) => statusOf(server, "POST", `${configMaps}?dryRun=All`, configMap(name));
      await until(async () => assert.equal(await create("longer"), 422));
      const longer = { spec: { validations: [{ expression: "size(object.metadata.name) < 10" }] } };
      assert.equal(await statusOf(server, "PATCH", `${policies}/short`, longer), 200);
      await until(async () => assert.equal(await create("longer"), 201));
      assert.equal(await create("much-longer-name"), 422);
      const narrow = { spec: { matchResources: { namespaceSelector: { matchLabels: { team: "a" } } } } };
      assert.equal(await statusOf(server, "PATCH", `${bindings}/short`, narrow), 200);
      await until(async () => assert.equal(await create("much-longer-name"), 201));
      assert.equal(await statusOf(server, "PATCH", "/api/v1/namespaces/default", { metadata: { labels: { team: "a" } } }), 200);
      await until(async () => assert.equal(await create("much-longer-name"), 422));
    }),
);

test(
  "a policy that matches everything cannot lock out the removal of policies",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server) => {
      const all = { ...rule, apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
      const never = {
        metadata: { name: "never" },
        spec: { matchConstraints: { resourceRules: [all] }, validations: [{ expression: "false" }] },
      };
      assert.equal(await statusOf(server, "POST", policies, never), 201);
      assert.equal(await statusOf(server, "POST", bindings, binding("never")), 201);
      await until(async () => assert.equal(await statusOf(server, "POST", `${configMaps}?dryRun=All`, configMap("a")), 422));
      assert.equal(await statusOf(server, "PATCH", `${policies}/never`, { metadata: { labels: { a: "b" } } }), 200);
      assert.equal(await statusOf(server, "DELETE", `${bindings}/never`), 200);
      await until(async () => assert.equal(await statusOf(server, "POST", configMaps, configMap("a")), 201));
    }),
);

test("a rule covers the POST of a subresource by its name", { timeout: 120_000 }, () =>
  withHeavyThread(async (server) => {
    const token = { ...rule, resources: ["serviceaccounts/token"] };
    const short = {
      metadata: { name: "short-tokens" },
      spec: { matchConstraints: { resourceRules: [token] }, validations: [{ expression: "object.spec.expirationSeconds <= 600" }] },
    };
    const ask = (seconds: number) =>
      statusOf(server, "POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: seconds },
      });
    await until(async () => assert.equal(await ask(3600), 201));
    assert.equal(await statusOf(server, "POST", policies, short), 201);
    assert.equal(await statusOf(server, "POST", bindings, binding("short-tokens")), 201);
    await until(async () => assert.equal(await ask(3600), 422));
    assert.equal(await ask(600), 201);
  }));

test("the status has the checked generation and warnings of types, of custom kinds too", { timeout: 60_000 }, async () => {
  await using server = await openTestServer();
  const group = "shop.example.com", policyVersion = "admissionregistration.k8s.io/v1", resource = "validatingadmissionpolicies";
  const { api } = server;
  const statusOnce = (name: string, generation: number) =>
    until(async () => {
      const { status } = await api.get(policyVersion, resource, "", name) as { status?: Record<string, unknown> };
      assert.equal(status?.["observedGeneration"], generation);
      return status;
    });
  await api.create(policyVersion, resource, "", policy("fitting", "object.data.all(key, key != '')"));
  assert.deepEqual(await statusOnce("fitting", 1), { observedGeneration: 1, typeChecking: {} });
  const changed = { spec: { validations: [{ expression: "object.spec.x == 1" }] } };
  await api.patch(policyVersion, resource, "", "fitting", { merge: changed });
  const place = "ERROR: <input>:1:7: undefined field 'spec'\n | object.spec.x == 1\n | ......^\n";
  assert.deepEqual(await statusOnce("fitting", 2), {
    observedGeneration: 2,
    typeChecking: {
      expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: `/v1, Kind=ConfigMap: ${place}` }],
    },
  });
  await api.create("apiextensions.k8s.io/v1", "customresourcedefinitions", "", {
    metadata: { name: `carts.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "carts", singular: "cart", kind: "Cart", listKind: "CartList" },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } },
        },
      }],
    },
  });
  await until(() => api.list(`${group}/v1`, "carts", "default"));
  const custom = policy("carts", "object.spec.size == 'large' && params.data.x == ''");
  const resourceRules = [{ ...rule, apiGroups: [group], resources: ["carts"] }];
  const spec = { ...custom.spec, matchConstraints: { resourceRules }, paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
  await api.create(policyVersion, resource, "", { ...custom, spec });
  const { typeChecking } = await statusOnce("carts", 1) as { typeChecking: { expressionWarnings: { warning: string }[] } };
  assert.match(typeChecking.expressionWarnings[0]!.warning, /^shop\.example\.com\/v1, Kind=Cart: .*'_==_' applied to '\(int, string\)'/);
});

test("warnings, audit annotations and ignored errors pass, and are counted", async () => {
  const server = await openTestServer();
  const ask = (method: string, path: string, body?: object) => send(server, method, path, body);
  try {
    const warned = policy("warned", "object.metadata.name != 'x'");
    const ignored = policy("ignored", "object.data.missing == 'y'");
    assert.equal((await ask("POST", policies, warned)).status, 201);
    assert.equal((await ask("POST", policies, { ...ignored, spec: { ...ignored.spec, failurePolicy: "Ignore" } })).status, 201);
    assert.equal((await ask("POST", bindings, binding("warned", { validationActions: ["Warn", "Audit"] }))).status, 201);
    assert.equal((await ask("POST", bindings, binding("ignored"))).status, 201);
    const answer = await until(async () => {
      const created = await ask("POST", `${configMaps}?dryRun=All`, configMap("x"));
      assert.equal(created.status, 201);
      assert.ok(created.headers.get("warning") !== null);
      return created;
    });
    assert.equal(
      answer.headers.get("warning"),
      `299 - "Validation failed for ValidatingAdmissionPolicy 'warned' with binding 'warned': failed expression: object.metadata.name != 'x'"`,
    );
    const metrics = await (await ask("GET", "/metrics")).text();
    for (const [name, action] of [["warned", "warn"], ["warned", "audit"], ["ignored", "allow"]]) {
      const series = `{policy="${name}",policy_binding="${name}",error_type="invalid_error",enforcement_action="${action}"}`;
      assert.ok(metrics.includes(`apiserver_validating_admission_policy_check_total${series} `), series);
      assert.ok(metrics.includes(`apiserver_validating_admission_policy_check_duration_seconds_count${series} `), series);
    }
  } finally {
    await server.close();
  }
});

test("evaluations of match conditions that are not all true are counted", async () => {
  await using server = await openTestServer();
  const { api } = server, group = "admissionregistration.k8s.io/v1";
  const matchConditions = [{ name: "fails", expression: "object.data.missing == 'y'" }, {
    name: "named",
    expression: "object.metadata.name != 'other'",
  }];
  const conditional = policy("conditional", "object.metadata.name == 'never'");
  await api.create(group, "validatingadmissionpolicies", "", { ...conditional, spec: { ...conditional.spec, matchConditions } });
  await api.create(group, "validatingadmissionpolicybindings", "", binding("conditional"));
  const create = (name: string, data: object) => api.create("v1", "configmaps", "default", configMap(name, data), { dryRun: true });
  const isTrue = { missing: "y" };
  // All are true: the rule rejects, and no duration is recorded.
  await until(() => assert.rejects(create("x", isTrue), /denied request: failed expression/));
  const samples = async () => {
    const metrics = await textOf(server, "/metrics");
    const series = '{name="conditional",kind="policy",type="validate",operation="CREATE"}';
    return ["errors_total", "seconds_count"].map((name) => {
      const line = metrics.split("\n").find((each) => each.startsWith(`apiserver_admission_match_condition_evaluation_${name}${series} `));
      return Number(line?.split(" ")[1] ?? 0);
    });
  };
  assert.deepEqual(await samples(), [0, 0]);
  await assert.rejects(create("x", {}), /no such key: data/);
  assert.deepEqual(await samples(), [1, 1]);
  // One that is false wins over the error before it.
  await create("other", {});
  assert.deepEqual(await samples(), [2, 2]);
});

test("what a policy rejects is not charged to a quota", { timeout: 60_000 }, async () => {
  const server = await openTestServer();
  try {
    const { api } = server, quotas = "resourcequotas", home = "v1";
    await api.create(home, quotas, "default", { metadata: { name: "few" }, spec: { hard: { "count/secrets": "5" } } } as never);
    const used = async () =>
      (await api.get(home, quotas, "default", "few") as { readonly status?: { readonly used?: Record<string, string> } }).status?.used;
    await until(async () => assert.deepEqual(await used(), { "count/secrets": "0" }));
    const secrets = { ...rule, resources: ["secrets"] };
    const denied = { ...policy("no-secrets", "object.metadata.name == 'allowed'") };
    const spec = { ...denied.spec, matchConstraints: { resourceRules: [secrets] } };
    await api.create("admissionregistration.k8s.io/v1", "validatingadmissionpolicies", "", { ...denied, spec } as never);
    await api.create("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", "", binding("no-secrets") as never);
    const create = (name: string, dryRun = false) =>
      send(server, "POST", `/api/v1/namespaces/default/secrets${dryRun ? "?dryRun=All" : ""}`, { metadata: { name } });
    await until(async () => assert.equal((await create("other", true)).status, 422));
    assert.equal((await create("other")).status, 422);
    assert.deepEqual(await used(), { "count/secrets": "0" });
    assert.equal((await create("allowed")).status, 201);
    assert.deepEqual(await used(), { "count/secrets": "1" });
  } finally {
    await server.close();
  }
});

test("a user who writes a policy or a binding must be able to read the parameters", { timeout: 60_000 }, async () => {
  const server = await openTestServer();
  const alice = { name: "alice", groups: ["system:authenticated"] };
  const ask = (method: string, path: string, body: object, user?: typeof alice) =>
    request(server, method, path, body, user === undefined ? {} : { user });
  try {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const rules = [{ apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] }];
    assert.equal((await ask("POST", `${rbac}/clusterroles`, { metadata: { name: "policies" }, rules })).status, 201);
    const subjects = [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }];
    const roleRef = { kind: "ClusterRole", name: "policies", apiGroup: "rbac.authorization.k8s.io" };
    assert.equal((await ask("POST", `${rbac}/clusterrolebindings`, { metadata: { name: "policies" }, subjects, roleRef })).status, 201);
    const own = policy("own", "true"), parametrised = { ...own, spec: { ...own.spec, paramKind: { apiVersion: "v1", kind: "ConfigMap" } } };
    await until(async () => assert.equal((await ask("POST", `${policies}?dryRun=All`, own, alice)).status, 201));
    const refused = await ask("POST", policies, parametrised, alice);
    assert.equal(refused.status, 422);
    assert.match(
      refused.body.message,
      /spec\.paramKind: Forbidden: user &\{alice .*\} must have "get" permission on all objects of the referenced paramKind \(kind=ConfigMap, apiVersion=v1\)$/,
    );
    assert.equal((await ask("POST", policies, parametrised)).status, 201);
    const ref = binding("own", { paramRef: { name: "a", namespace: "default", parameterNotFoundAction: "Allow" } });
    const unbound = await ask("POST", bindings, ref, alice);
    assert.equal(unbound.status, 422);
    assert.match(
      unbound.body.message,
      /spec\.paramRef: Forbidden: user &\{alice .*\} does not have "get" permission on the object referenced by paramRef$/,
    );
    assert.equal((await ask("POST", bindings, ref)).status, 201);
  } finally {
    await server.close();
  }
});
