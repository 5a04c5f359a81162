// Mutating policies are in force for every way to write: creations, updates, patches, applies, subresources, custom resources, small and
// large bodies.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { responseOf, statusOf, withHeavyThread } from "./heavy-server.ts";
import { until } from "./real-server.ts";
import { ask, send, textOf } from "./requests.ts";
import { mutationLengthMax } from "../cel/mutation/json.ts";
import { inlineBodyBytesMax } from "../kernel/request-context.ts";

const settings = {
  "feature-gates": { MutatingAdmissionPolicy: true },
  "runtime-config": { "admissionregistration.k8s.io/v1beta1": true, "admissionregistration.k8s.io/v1alpha1": true },
};
const home = "/apis/admissionregistration.k8s.io/v1beta1";
const policies = `${home}/mutatingadmissionpolicies`, bindings = `${home}/mutatingadmissionpolicybindings`;
const configMaps = "/api/v1/namespaces/default/configmaps";

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] };
/** A mutation: a JSON patch if the expression makes one. */
const mutation = (expression: string) =>
  expression.includes("JSONPatch{")
    ? { patchType: "JSONPatch", jsonPatch: { expression } }
    : { patchType: "ApplyConfiguration", applyConfiguration: { expression } };
const policy = (name: string, expressions: readonly string[], spec: object = {}) => ({
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: "Never", mutations: expressions.map(mutation), ...spec },
});
const binding = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { policyName: name, ...spec } });
const configMap = (name: string, data: object = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

interface Answer {
  readonly code: number;
  readonly warning: string | null;
  // deno-lint-ignore no-explicit-any -- bodies of several kinds
  readonly body: any;
}

/** A server with the gate, asked as an administrator. */
class Client implements AsyncDisposable {
  readonly #server: TestServer;
  constructor(server: TestServer) {
    this.#server = server;
  }
  static async open(): Promise<Client> {
    return new Client(await openTestServer({ settings }));
  }
  async ask(method: string, path: string, body?: object, type?: string): Promise<Answer> {
    const reply = await send(this.#server, method, path, body, type);
    return { code: reply.status, warning: reply.headers.get("warning"), body: await reply.json().catch(() => undefined) };
  }
  async bind(name: string, expressions: readonly string[], spec: object = {}, of: object = {}): Promise<void> {
    const made = await this.ask("POST", policies, policy(name, expressions, spec));
    assert.equal(made.code, 201, JSON.stringify(made.body));
    assert.equal((await this.ask("POST", bindings, binding(name, of))).code, 201);
  }
  /** Creates an object in a dry run until `check` holds. */
  async tried(check: (answer: Answer) => void, object: object = configMap("x"), path = configMaps): Promise<void> {
    await until(async () => check(await this.ask("POST", `${path}?dryRun=All`, object)));
  }
  async metrics(): Promise<string> {
    return await textOf(this.#server, "/metrics");
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.close();
  }
}

test("a configuration is merged at creation, update, patch and apply, and its fields have no owner", async () => {
  await using client = await Client.open();
  await client.bind("labels", [
    "Object{metadata: Object.metadata{labels: {'mutated': request.operation}, finalizers: ['a.example.com/b']}}",
  ]);
  await client.tried(({ body }) => assert.equal(body.metadata.labels?.mutated, "CREATE"));
  const created = await client.ask(
    "POST",
    configMaps,
    configMap("a", { x: "y" }, { labels: { own: "1" }, finalizers: ["a.example.com/c"] }),
  );
  assert.deepEqual(created.body.metadata.labels, { mutated: "CREATE", own: "1" });
  assert.deepEqual(created.body.metadata.finalizers, ["a.example.com/c", "a.example.com/b"]);
  const [{ fieldsV1 }] = created.body.metadata.managedFields;
  assert.deepEqual(fieldsV1["f:metadata"]["f:labels"], { ".": {}, "f:own": {} });
  const put = await client.ask("PUT", `${configMaps}/a`, configMap("a", { x: "z" }));
  assert.deepEqual(put.body.metadata.labels, { mutated: "UPDATE" });
  assert.equal(put.code, 200);
  const patched = await client.ask("PATCH", `${configMaps}/a`, { metadata: { labels: { mutated: null, more: "1" } } });
  assert.deepEqual(patched.body.metadata.labels, { more: "1", mutated: "UPDATE" });
  const applied = await client.ask("PATCH", `${configMaps}/b?fieldManager=m`, configMap("b", { k: "v" }), "application/apply-patch+yaml");
  assert.equal(applied.code, 201);
  assert.deepEqual(applied.body.metadata.labels, { mutated: "CREATE" });
  assert.deepEqual(applied.body.metadata.managedFields[0].fieldsV1, { "f:data": { "f:k": {} } });
  // The policy sets the same values again: nothing changes.
  const again = await client.ask("PUT", `${configMaps}/a`, configMap("a", { x: "z" }, { labels: { more: "1" } }));
  assert.equal(again.body.metadata.resourceVersion, patched.body.metadata.resourceVersion);
});

test("a stale update conflicts, an apply does not conflict with a policy, and of two policies the last by name wins", async () => {
  await using client = await Client.open();
  const label = (value: string) => `Object{metadata: Object.metadata{labels: {'mutated': '${value}'}}}`;
  await client.bind("z", [label("z")]);
  await client.bind("y", [label("y")]);
  await client.tried(({ body }) => assert.equal(body.metadata.labels?.mutated, "z"));
  const { body: created } = await client.ask("POST", configMaps, configMap("a", { first: "1" }));
  const { resourceVersion } = created.metadata;
  assert.equal((await client.ask("PATCH", `${configMaps}/a`, { data: { k: "v" } })).code, 200);
  assert.equal((await client.ask("PUT", `${configMaps}/a`, configMap("a", {}, { resourceVersion }))).code, 409);
  const document = configMap("a", { own: "1" }, { labels: { mutated: "mine" } });
  const applied = await client.ask("PATCH", `${configMaps}/a?fieldManager=m`, document, "application/apply-patch+yaml");
  assert.equal(applied.code, 200);
  assert.deepEqual(applied.body.metadata.labels, { mutated: "z" });
  // Each of several writers at once sees the changes of the others.
  const names = Array.from({ length: 8 }, (_, index) => `k${index}`);
  const codes = await Promise.all(names.map((name) => client.ask("PATCH", `${configMaps}/a`, { data: { [name]: "v" } })));
  assert.deepEqual(codes.map(({ code }) => code), names.map(() => 200));
  const { body } = await client.ask("GET", `${configMaps}/a`);
  assert.deepEqual(Object.keys(body.data), ["first", "k", ...names, "own"]);
});

test("policies run in the order of their names; one that may run again sees what a later one made", async () => {
  await using client = await Client.open();
  const add = (word: string) => `Object{data: {'trace': object.?data.?trace.orValue('') + '${word}'}}`;
  await client.bind("b", [add("b")]);
  await client.bind("a", [add("a"), `[JSONPatch{op: 'replace', path: '/data/trace', value: object.data.trace + '!'}]`], {
    reinvocationPolicy: "IfNeeded",
  });
  await client.tried(({ body }) => assert.equal(body.data?.trace, "a!ba!"));
  await client.bind("c", [add("c")], { reinvocationPolicy: "IfNeeded" });
  await client.tried(({ body }) => assert.equal(body.data?.trace, "a!bca!c"));
});

test("a JSON patch is applied by operations, a failed test leaves the object, and another failure rejects the request", async () => {
  await using client = await Client.open();
  await client.bind("patched", [
    `object.metadata.name == 'x' ? [
      JSONPatch{op: 'test', path: '/metadata/name', value: 'x'},
      JSONPatch{op: 'add', path: '/metadata/annotations', value: {jsonpatch.escapeKey('a'): 'b'}},
      JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('example.com/c'), value: 'e'}
    ] : object.metadata.name == 'owned' ? [
      JSONPatch{op: 'add', path: '/metadata/ownerReferences', value: [Object.metadata.ownerReferences{apiVersion: 'v1', kind: 'C', name: 'n', uid: 'u'}]}
    ] : object.metadata.name == 'other' ? [
      JSONPatch{op: 'test', path: '/data/a', value: 'no'}, JSONPatch{op: 'remove', path: '/data/a'}
    ] : object.metadata.name == 'strict' ? [JSONPatch{op: 'add', path: '/nope', value: 1}]
      : [JSONPatch{op: 'remove', path: '/data/nope'}]`,
  ]);
  await client.tried(({ body }) => assert.deepEqual(body.metadata?.annotations, { a: "b", "example.com/c": "e" }));
  const create = (name: string) => client.ask("POST", `${configMaps}?dryRun=All`, configMap(name, { a: "1" }));
  assert.deepEqual((await create("owned")).body.metadata.ownerReferences, [{ apiVersion: "v1", kind: "C", name: "n", uid: "u" }]);
  assert.deepEqual((await create("other")).body.data, { a: "1" });
  const strict = await create("strict");
  assert.equal(strict.code, 500);
  assert.equal(strict.body.message, `Internal error occurred: strict decoding error: unknown field "nope"`);
  const failed = await create("failed");
  assert.equal(failed.code, 403);
  assert.equal(failed.body.reason, "Invalid");
  assert.equal(
    failed.body.message,
    "policy 'patched' with binding 'patched' denied request: JSON Patch: error in remove for path: '/data/nope': " +
      "Unable to remove nonexistent key: nope: missing value",
  );
});

test("an error rejects the request with the messages of all policies, or is ignored; mutations are counted", async () => {
  await using client = await Client.open();
  await client.bind("missing", ["Object{data: {'a': string(object.data.missing)}}"]);
  await client.bind("params", ["Object{}"], { paramKind: { apiVersion: "v1", kind: "Secret" } }, {
    paramRef: { name: "none", namespace: "default", parameterNotFoundAction: "Deny" },
  });
  const config = "policy 'params' with binding 'params' denied request: failed to configure binding: " +
    "no params found for policy binding with `Deny` parameterNotFoundAction";
  const evaluation = "policy 'missing' with binding 'missing' denied request: " +
    "expression 'Object{data: {'a': string(object.data.missing)}}' resulted in error: no such key: data";
  await client.tried(({ code, body }) => {
    assert.equal(code, 403);
    assert.deepEqual(body.details.causes, [{ message: config }, { message: evaluation }]);
    assert.equal(body.message, config);
    assert.equal(body.reason, "Forbidden");
    assert.deepEqual([body.details.name, body.details.kind], ["x", "configmaps"]);
  });
  assert.equal((await client.ask("DELETE", `${bindings}/params`)).code, 200);
  await client.tried(({ body }) => assert.deepEqual([body.code, body.reason, body.message], [403, "Invalid", evaluation]));
  assert.equal((await client.ask("PATCH", `${policies}/missing`, { spec: { failurePolicy: "Ignore" } })).code, 200);
  await client.tried(({ code }) => assert.equal(code, 201));
  await client.tried(({ body }) => assert.equal(body.data?.a, "m"), configMap("x", { missing: "m" }));
  const metrics = await client.metrics();
  for (const error of ["invalid_error", "no_error"]) {
    const series = `{policy="missing",policy_binding="missing",error_type="${error}"}`;
    assert.ok(metrics.includes(`apiserver_mutating_admission_policy_check_total${series} `), series);
    assert.ok(metrics.includes(`apiserver_mutating_admission_policy_check_duration_seconds_count${series} `), series);
  }
});

test("parameters come from objects by name or by label, and a policy runs once for each", async () => {
  await using client = await Client.open();
  for (const [name, word] of [["one", "1"], ["two", "2"]] as const) {
    const values = configMap(name, { word }, { labels: { values: "yes" } });
    assert.equal((await client.ask("POST", configMaps, values)).code, 201);
  }
  const paramRef = { selector: { matchLabels: { values: "yes" } }, parameterNotFoundAction: "Allow" };
  const expression = "Object{data: {'word-' + params.metadata.name: params.data.word}}";
  await client.bind("params", [expression], {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    matchConditions: [{ name: "unlabelled", expression: "!has(object.metadata.labels)" }],
    variables: [{ name: "unused", expression: "object.nope" }],
  }, { paramRef });
  await client.tried(({ body }) => assert.deepEqual(body.data, { "word-one": "1", "word-two": "2" }));
  const labelled = await client.ask("POST", `${configMaps}?dryRun=All`, configMap("x", {}, { labels: { a: "b" } }));
  assert.equal(labelled.body.data, undefined);
});

test("managed fields that a policy makes invalid are restored, with a warning", async () => {
  await using client = await Client.open();
  await client.bind("owners", ["[JSONPatch{op: 'add', path: '/metadata/managedFields', value: [{'manager': 'x'}]}]"]);
  await client.tried(({ code, warning }) => {
    assert.equal(code, 201);
    assert.match(warning ?? "", /managedFields was in an invalid state after admission; .*: operation must be `Apply` or `Update`/);
  });
  const { body } = await client.ask("POST", configMaps, configMap("a", { k: "v" }));
  assert.deepEqual(body.metadata.managedFields[0].fieldsV1, { "f:data": { ".": {}, "f:k": {} } });
});

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "things", kind: "Thing" },
    scope: "Namespaced",
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                n: { type: "integer", maximum: 9 },
                list: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                usual: { type: "string", default: "d" },
              },
            },
            status: { type: "object", properties: { n: { type: "integer" } } },
          },
        },
      },
      subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
    })),
  },
};

test("custom resources are mutated in the version that the policy names, and so are their status and scale", async () => {
  await using client = await Client.open();
  const things = "/apis/example.com/v1/namespaces/default/things";
  const made = await client.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  assert.equal(made.code, 201);
  const thing = (name: string, spec: object) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name }, spec });
  await until(async () => assert.equal((await client.ask("POST", things, thing("kept", { n: 1 }))).code, 201));
  const rules = (resources: readonly string[], apiVersions = ["v2"]) => ({
    matchConstraints: { resourceRules: [{ ...rule, apiGroups: ["example.com"], apiVersions, resources }] },
  });
  await client.bind("things", [
    "Object{spec: Object.spec{list: ['b']}}",
    "[JSONPatch{op: 'add', path: '/spec/n', value: 7}, JSONPatch{op: 'add', path: '/spec/unknown', value: 1}]",
  ], rules(["things"]));
  await client.tried(
    ({ body }) => {
      assert.equal(body.apiVersion, "example.com/v1");
      assert.deepEqual(body.spec, { list: ["a", "b"], n: 7, usual: "d" });
    },
    thing("x", { list: ["a"] }),
    things,
  );
  await client.bind("scales", ["Object{spec: Object.spec{replicas: object.spec.replicas + 1}}"], rules(["things/scale"], ["*"]));
  await client.bind("states", ["Object{status: Object.status{n: 5}}"], rules(["things/status"], ["*"]));
  await until(async () => {
    const { body } = await client.ask("PATCH", `${things}/kept/scale?dryRun=All`, { spec: { replicas: 3 } });
    assert.equal(body.spec.replicas, 4);
  });
  await until(async () => {
    const { body } = await client.ask("PATCH", `${things}/kept/status?dryRun=All`, { metadata: {}, status: { n: 1 } });
    assert.deepEqual([body.status, body.spec.n], [{ n: 5 }, 1]);
  });
  const scaled = await client.ask("PATCH", `${things}/kept/scale`, { spec: { replicas: 3 } });
  assert.equal(scaled.body.spec.replicas, 4);
  assert.equal((await client.ask("GET", `${things}/kept`)).body.spec.n, 4);
  // Validation comes after the mutations.
  const large = await client.ask("PATCH", `${things}/kept/scale`, { spec: { replicas: 9 } });
  assert.equal(large.code, 422);
});

test("expressions see the authorizer, the namespace, the request, its options and the old object", async () => {
  await using client = await Client.open();
  await client.bind("seen", [
    `Object{data: {
      'read': string(authorizer.group('').resource('secrets').namespace('default').check('get').allowed()),
      'own': string(authorizer.requestResource.check('create').allowed()),
      'namespace': namespaceObject.metadata.name,
      'request': request.operation + ' ' + request.kind.kind + ' ' + request.options.kind + ' ' + request.userInfo.username,
      'old': oldObject == null ? 'none' : string(oldObject.data.a)
    }}`,
  ]);
  const common = { read: "true", own: "true", namespace: "default" };
  await client.tried(
    ({ body }) => assert.deepEqual(body.data, { a: "1", ...common, request: "CREATE ConfigMap CreateOptions admin", old: "none" }),
    configMap("x", { a: "1" }),
  );
  assert.equal((await client.ask("POST", configMaps, configMap("x", { a: "1" }))).code, 201);
  const { body } = await client.ask("PUT", `${configMaps}/x`, configMap("x", { a: "2" }));
  assert.deepEqual(body.data, { a: "2", ...common, request: "UPDATE ConfigMap UpdateOptions admin", old: "1" });
});

test("the request of an action is mutated, in both runs", async () => {
  await using client = await Client.open();
  const token = "/api/v1/namespaces/default/serviceaccounts/default/token";
  await client.bind("tokens", ["Object{spec: Object.spec{expirationSeconds: object.spec.expirationSeconds + 600}}"], {
    matchConstraints: { resourceRules: [{ ...rule, resources: ["serviceaccounts/token"] }] },
    reinvocationPolicy: "IfNeeded",
  });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 1200 } };
  await until(async () => assert.equal((await client.ask("POST", token, request)).body.spec?.expirationSeconds, 2400));
});

test("policies of the alpha version are in force if only that is served", async () => {
  const alpha = { "runtime-config": { "admissionregistration.k8s.io/v1alpha1": true } };
  await using client = new Client(await openTestServer({ settings: { ...settings, ...alpha } }));
  const made = policy("labels", ["Object{metadata: Object.metadata{labels: {'mutated': 'yes'}}}"]);
  assert.equal((await client.ask("POST", policies.replace("v1beta1", "v1alpha1"), made)).code, 201);
  assert.equal((await client.ask("POST", bindings.replace("v1beta1", "v1alpha1"), binding("labels"))).code, 201);
  await client.tried(({ body }) => assert.equal(body.metadata.labels?.mutated, "yes"));
});

test("without the gate policies are stored only, and policies are not mutated", async () => {
  await using client = new Client(await openTestServer({ settings: { "runtime-config": settings["runtime-config"] } }));
  await client.bind("labels", ["Object{metadata: Object.metadata{labels: {'mutated': 'yes'}}}"]);
  const { body } = await client.ask("POST", `${configMaps}?dryRun=All`, configMap("x"));
  assert.equal(body.metadata.labels, undefined);
  await using other = await Client.open();
  await other.bind("all", ["Object{metadata: Object.metadata{labels: {'mutated': 'yes'}}}"], {
    matchConstraints: { resourceRules: [{ ...rule, apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }] },
  });
  await other.tried(({ body }) => assert.deepEqual(body.metadata.labels, { mutated: "yes" }));
  const made = await other.ask("POST", `${policies}?dryRun=All`, policy("q", ["Object{}"]));
  assert.equal(made.code, 201);
  assert.equal(made.body.metadata.labels, undefined);
});

test("writers of policies need the right to read the parameters", { timeout: 60_000 }, async () => {
  await using server = await openTestServer({ settings: { ...settings, "authorization-mode": ["RBAC"] } });
  const post = async (path: string, policy: object, user?: { readonly name: string; readonly groups: readonly string[] }) => {
    const { status, body } = await ask(server, "POST", path, policy, user === undefined ? {} : { user });
    return [status, body.message] as const;
  };
  const jane = { name: "jane", groups: [] }, group = "rbac.authorization.k8s.io", rbac = `/apis/${group}/v1`;
  const rules = [{ apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] }];
  assert.equal((await post(`${rbac}/clusterroles`, { metadata: { name: "writer" }, rules }))[0], 201);
  const roleRef = { apiGroup: group, kind: "ClusterRole", name: "writer" }, subjects = [{ apiGroup: group, kind: "User", name: "jane" }];
  assert.equal((await post(`${rbac}/clusterrolebindings`, { metadata: { name: "writer" }, roleRef, subjects }))[0], 201);
  await until(async () => assert.equal((await post(`${policies}?dryRun=All`, policy("free", ["Object{}"]), jane))[0], 201));
  const secrets = policy("secrets", ["Object{}"], { paramKind: { apiVersion: "v1", kind: "Secret" } });
  assert.deepEqual(await post(policies, secrets, jane), [
    422,
    'MutatingAdmissionPolicy.admissionregistration.k8s.io "secrets" is invalid: spec.paramKind: Forbidden: user &{jane  [] map[]} ' +
    'must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
  ]);
  assert.equal((await post(policies, secrets))[0], 201);
  const paramRef = { name: "s", namespace: "default", parameterNotFoundAction: "Deny" };
  assert.deepEqual(await post(bindings, binding("secrets", { paramRef }), jane), [
    422,
    'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io "secrets" is invalid: spec.paramRef: Forbidden: ' +
    'user get does not have "&{jane  [] map[]}" permission on the object referenced by paramRef',
  ]);
});

test(
  "an expression that makes much JSON is rejected, also where failures are ignored, and other requests go on",
  { timeout: 120_000 },
  async () => {
    await using client = await Client.open();
    /** Variables that are made of the one before. */
    const chain = (name: string, times: number, next: (before: string) => string) =>
      Array.from(
        { length: times },
        (_, i) => ({ name: `${name}${i}`, expression: next(i === 0 ? "object.data.a" : `variables.${name}${i - 1}`) }),
      );
    await client.bind("huge", [
      `object.metadata.name == 'patch'
      ? [JSONPatch{op: 'add', path: '/data/x', value: variables.list9}] : [JSONPatch{op: 'test', path: '/kind', value: 'no'}]`,
      "object.metadata.name == 'apply' ? Object{data: {'a': variables.text11}} : Object{}",
    ], {
      failurePolicy: "Ignore",
      variables: [
        ...chain("list", 10, (before) => `[${before}, ${before}, ${before}, ${before}]`),
        ...chain("text", 12, (before) => `${before} + ${before}`),
      ],
    });
    const message = `Request entity too large: the mutation or its result is larger than ${mutationLengthMax} characters of JSON`;
    for (const name of ["patch", "apply"]) {
      await client.tried(({ code, body }) => {
        assert.equal(code, 413);
        assert.equal(body.message, message);
      }, configMap(name, { a: "x".repeat(1000) }));
    }
    assert.equal((await client.ask("POST", `${configMaps}?dryRun=All`, configMap("x", { a: "b" }))).code, 201);
  },
);

test(
  "large objects are mutated in the heavy thread",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      const words = "Object{metadata: Object.metadata{labels: {'mutated': 'yes'}}, data: {'size': string(size(object.data.long))}}";
      assert.equal(await statusOf(server, "POST", policies, policy("long", [words])), 201);
      assert.equal(await statusOf(server, "POST", bindings, binding("long")), 201);
      await until(async () => assert.equal(await statusOf(server, "POST", `${configMaps}?dryRun=All`, configMap("small")), 403));
      assert.equal(jobs(), 0);
      const long = "x".repeat(inlineBodyBytesMax + 1);
      assert.equal(await statusOf(server, "POST", configMaps, configMap("large", { long })), 201);
      assert.equal(jobs(), 1);
      assert.equal(await statusOf(server, "PATCH", `${configMaps}/large`, { metadata: { labels: { mutated: null } } }), 200);
      const listed = await responseOf(server, "GET", `${configMaps}?labelSelector=mutated%3Dyes`);
      assert.equal(listed.status, 200);
      const chunks = typeof listed.body === "string" || listed.body instanceof Uint8Array
        ? [listed.body]
        : await Array.fromAsync(listed.body);
      const { items } = JSON.parse(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).toString());
      assert.deepEqual(items.map(({ data }: { data: { size: string } }) => data.size), [String(long.length)]);
    }, settings),
);
