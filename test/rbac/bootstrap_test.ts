// The default roles and bindings, on a whole server.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../core/api.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { notFoundError, StatusError } from "../../core/status-error.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import { openTestServer, type TestServer } from "../../testing.ts";
import { until } from "../real-server.ts";
import { bootstrapRoles } from "../../plugins/rbac/bootstrap.ts";
import { defaultBindings, defaultBindingsInNamespaces, defaultRoles, defaultRolesInNamespaces } from "../../plugins/rbac/policy.ts";
import { covers } from "../../plugins/rbac/rules.ts";
import { type Binding, type ClusterRole, groupVersion, type PolicyRule } from "../../plugins/rbac/schema.ts";
import { send } from "../requests.ts";

const roles = "clusterroles", bindings = "clusterrolebindings", autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";
const signal = new AbortController().signal;
/** Every default object by its resource. */
const defaultsBy = (names: Parameters<typeof defaultRoles>[0]): readonly (readonly [resource: string, objects: readonly ApiObject[]])[] => [
  [roles, defaultRoles(names)],
  [bindings, defaultBindings(names)],
  ["roles", defaultRolesInNamespaces(names)],
  ["rolebindings", defaultBindingsInNamespaces(names)],
];
const reconcile = (api: Api) => bootstrapRoles.run(fakeContext({ api }), signal);

/** A server with completed hook and aggregated rules. */
async function started(): Promise<TestServer> {
  const server = await openTestServer();
  await until(async () => assert.equal((await send(server, "GET", "/readyz")).status, 200));
  for (const [name, sources] of aggregated) await until(() => assertAggregated(server.api, name, sources));
  return server;
}
/** Roles that a controller builds from others, in an order in which each is complete after those before it. */
const aggregated: readonly (readonly [name: string, sources: readonly string[]])[] = [
  ["view", ["system:aggregate-to-view"]],
  ["edit", ["system:aggregate-to-edit", "view"]],
  ["admin", ["system:aggregate-to-admin", "edit"]],
];
async function assertAggregated(api: Api, name: string, sources: readonly string[]): Promise<void> {
  const rulesOf = async (of: string) => ((await role(api, of)).rules ?? []).map((rule) => JSON.stringify(rule));
  const rules = await rulesOf(name), wanted = (await Promise.all(sources.map(rulesOf))).flat();
  assert.deepEqual(wanted.filter((rule) => !rules.includes(rule)), [], name);
}
const role = async (api: Api, name: string) => await api.get(groupVersion, roles, "", name) as ClusterRole; // `as`: the API returns that resource.
const binding = async (api: Api, name: string) => await api.get(groupVersion, bindings, "", name) as Binding; // `as`: the API returns that resource.
/** Resource versions by name. */
async function versions(api: Api): Promise<ReadonlyMap<string, string>> {
  const lists = await Promise.all([roles, bindings, "roles", "rolebindings"].map((resource) => api.list(groupVersion, resource, "")));
  return new Map(
    lists.flatMap(({ items }, index) =>
      items.map(({ metadata }) => [`${index} ${metadata.namespace} ${metadata.name}`, metadata.resourceVersion!] as const)
    ),
  );
}

test("every default role and binding is created once; a second run writes nothing", async () => {
  await using server = await started();
  const { names } = fakeContext({}), { api } = server;
  for (const [resource, wanted] of defaultsBy(names)) {
    const { items } = await api.list(groupVersion, resource, "");
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name).toSorted(),
      wanted.map(({ metadata }) => metadata.name).toSorted(),
    );
    for (const { metadata } of items) {
      assert.equal(metadata.labels?.["kubernetes.io/bootstrapping"], "rbac-defaults");
      assert.equal(metadata.annotations?.[autoUpdate], "true");
    }
  }
  const before = await versions(api);
  await reconcile(api);
  assert.deepEqual(await versions(api), before);
});

test("missing rules, subjects, labels and selectors are added; operators' additions stay", async () => {
  await using server = await started();
  const { api } = server;
  const mine: PolicyRule = { verbs: ["get"], apiGroups: ["example.com"], resources: ["things"] };
  const basic = await role(api, "system:basic-user");
  const { labels: _, ...metadata } = basic.metadata;
  await api.update(groupVersion, roles, "", "system:basic-user", {
    ...basic,
    metadata: { ...metadata, annotations: { ...metadata.annotations, mine: "1" }, labels: { "kubernetes.io/bootstrapping": "other" } },
    rules: [mine, { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews"] }],
  });
  const discovery = await binding(api, "system:discovery"), apiGroup = "rbac.authorization.k8s.io";
  await api.update(groupVersion, bindings, "", "system:discovery", { ...discovery, subjects: [{ kind: "User", apiGroup, name: "ann" }] });
  const own = { matchLabels: { mine: "1" } };
  await api.patch(groupVersion, roles, "", "view", { merge: { aggregationRule: { clusterRoleSelectors: [own] } } });
  await reconcile(api);
  const merged = await role(api, "system:basic-user");
  assert.deepEqual(merged.metadata.labels, { "kubernetes.io/bootstrapping": "other" });
  assert.deepEqual(merged.metadata.annotations, { mine: "1", [autoUpdate]: "true" });
  const create = (group: string, resource: string) => ({ verbs: ["create"], apiGroups: [group], resources: [resource] });
  assert.deepEqual(merged.rules, [
    mine,
    create("authorization.k8s.io", "selfsubjectaccessreviews"),
    create("authorization.k8s.io", "selfsubjectrulesreviews"),
    create("authentication.k8s.io", "selfsubjectreviews"),
  ]);
  assert.deepEqual((await binding(api, "system:discovery")).subjects, [
    { kind: "User", apiGroup, name: "ann" },
    { kind: "Group", apiGroup, name: "system:authenticated" },
  ]);
  const { aggregationRule } = await role(api, "view");
  assert.deepEqual(aggregationRule?.clusterRoleSelectors, [own, {
    matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" },
  }]);
});

test('an object with the annotation autoupdate "false" is not changed, a deleted one is created again', async () => {
  await using server = await started();
  const { api } = server;
  const kept = { metadata: { annotations: { [autoUpdate]: "false" } } };
  await api.patch(groupVersion, roles, "", "system:basic-user", { merge: { ...kept, rules: [] } });
  await api.patch(groupVersion, bindings, "", "system:discovery", { merge: { ...kept, subjects: null } });
  await api.delete(groupVersion, bindings, "", "system:basic-user");
  await api.delete(groupVersion, roles, "", "system:discovery");
  await reconcile(api);
  assert.deepEqual((await role(api, "system:basic-user")).rules ?? [], []);
  assert.equal((await binding(api, "system:discovery")).subjects, undefined);
  assert.equal((await binding(api, "system:basic-user")).subjects?.length, 1);
  assert.equal((await role(api, "system:discovery")).rules?.length, 1);
});

test("a binding of another role is replaced", async () => {
  await using server = await started();
  const { api } = server;
  const { metadata: { uid }, ...rest } = await binding(api, "system:monitoring");
  await api.delete(groupVersion, bindings, "", "system:monitoring");
  const metadata = { name: "system:monitoring" };
  await api.create(groupVersion, bindings, "", { ...rest, metadata, roleRef: { ...rest.roleRef, name: "cluster-admin" } });
  await reconcile(api);
  const made = await binding(api, "system:monitoring");
  assert.equal(made.roleRef.name, "system:monitoring");
  assert.notEqual(made.metadata.uid, uid);
});

test("several servers that start at the same time create every object once, and none fails", async () => {
  await using server = await started();
  const { api } = server;
  const { names } = fakeContext({});
  for (const [resource, objects] of defaultsBy(names).toReversed()) {
    const namespaces = new Set(objects.map(({ metadata: { namespace = "" } }) => namespace));
    for (const namespace of namespaces) await api.deleteCollection(groupVersion, resource, namespace);
  }
  const created: string[] = [];
  const counting: Api = {
    ...api,
    async create(version, resource, namespace, object, options) {
      const made = await api.create(version, resource, namespace, object, options);
      created.push(`${resource} ${namespace} ${made.metadata.name}`);
      return made;
    },
    async createEach(version, resource, namespace, objects) {
      const ends = await api.createEach(version, resource, namespace, objects);
      ends.forEach(({ status }, at) => {
        const { metadata } = objects[at] as ApiObject; // a default object
        if (status === "fulfilled") created.push(`${resource} ${namespace} ${metadata.name}`);
      });
      return ends;
    },
  };
  await Promise.all([reconcile(counting), reconcile(counting), reconcile(counting)]);
  assert.equal(created.length, defaultsBy(names).flatMap(([, objects]) => objects).length);
  assert.equal(new Set(created).size, created.length);
});

test("an object that others change repeatedly ends the run with a conflict, after a bounded number of attempts", async () => {
  await using server = await started();
  let tries = 0;
  await server.api.patch(groupVersion, roles, "", "system:basic-user", { merge: { rules: [] } });
  const update = () => {
    tries++;
    return Promise.reject(new StatusError("Conflict", "changed"));
  };
  await assert.rejects(reconcile({ ...server.api, update }), /changed/);
  assert.equal(tries, 10);
});

test("under another group domain the default objects have its groups, labels and annotations", async () => {
  const names = { domain: "plumbing.example", platform: "acme" };
  const settings = { "group-domain": names.domain, "platform-name": names.platform };
  await using server = await openTestServer({ settings });
  await until(async () => assert.equal((await send(server, "GET", "/readyz")).status, 200));
  const { api } = server;
  await until(async () => assert.ok((await role(api, "admin")).rules!.length > 5));
  const { metadata, aggregationRule } = await role(api, "edit");
  assert.deepEqual(metadata.labels, {
    "acme.io/bootstrapping": "rbac-defaults",
    "rbac.authorization.plumbing.example/aggregate-to-admin": "true",
  });
  assert.deepEqual(metadata.annotations, { "rbac.authorization.acme.io/autoupdate": "true" });
  assert.deepEqual(aggregationRule?.clusterRoleSelectors, [{
    matchLabels: { "rbac.authorization.plumbing.example/aggregate-to-edit": "true" },
  }]);
  const { roleRef, subjects } = await binding(api, "system:basic-user");
  assert.deepEqual([roleRef.apiGroup, subjects?.[0]?.apiGroup], Array(2).fill("rbac.authorization.plumbing.example"));
  const texts = JSON.stringify(defaultsBy(names));
  assert.doesNotMatch(texts, /k8s\.io|kubernetes\.io|\{domain|\{platform/);
  const review = { metadata: {}, spec: {} }, ann = { name: "ann", groups: ["system:authenticated"] };
  const answer = await send(server, "POST", "/apis/authentication.plumbing.example/v1/selfsubjectreviews", review, { user: ann });
  assert.equal(answer.status, 201, "by the default role for every user");
});

test("a default role or binding that cannot be written keeps no other from being written, and is named", async () => {
  const { names } = fakeContext({}), all = defaultsBy(names).flatMap(([, objects]) => objects);
  const key = ({ kind, metadata }: ApiObject) => `${kind} ${metadata.namespace} ${metadata.name}`;
  for (const broken of all) {
    const made: string[] = [];
    const api = fakeApi({
      list: () => Promise.resolve({ kind: "List", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] }),
      create(_groupVersion, _resource, _namespace, object) {
        const asked = key(object as ApiObject); // the hook creates objects
        if (asked === key(broken)) return Promise.reject(new StatusError("InternalError", "failed calling webhook"));
        made.push(asked);
        return Promise.resolve(object as ApiObject);
      },
      collections: () =>
        [roles, bindings, "roles", "rolebindings"].map((resource) => ({
          groupVersion: "rbac.authorization.k8s.io/v1",
          resource,
          kind: "",
          namespaced: false,
        })),
    });
    await assert.rejects(reconcile(api), (error: Error) => error.message.includes(` ${broken.metadata.name}: failed calling webhook`));
    assert.deepEqual(made.toSorted(), all.filter((each) => each !== broken).map(key).toSorted());
  }
});

test("the hook makes a namespace that a role needs", async () => {
  const made: string[] = [], gone = { group: "", name: "namespaces" };
  const api = fakeApi({
    list: () => Promise.resolve({ kind: "List", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] }),
    get: (_groupVersion, resource, _namespace, name) => Promise.reject(notFoundError({ group: "", name: resource }, name)),
    create(_groupVersion, resource, namespace, object) {
      const { metadata: { name } } = object as ApiObject; // the hook creates objects
      if (namespace !== "" && !made.includes(`namespaces ${namespace}`)) return Promise.reject(notFoundError(gone, namespace));
      made.push(`${resource} ${name}`);
      return Promise.resolve(object as ApiObject);
    },
    collections: () =>
      ["roles", "rolebindings"].map((resource) => ({ groupVersion: "rbac.authorization.k8s.io/v1", resource, kind: "", namespaced: true })),
  });
  await reconcile(api);
  for (const each of ["namespaces kube-public", "namespaces kube-system", "roles system:controller:token-cleaner"]) {
    assert.ok(made.includes(each), each);
  }
});

test("programs beside the server have the rights that a kube-apiserver gives them", () => {
  const { names } = fakeContext({});
  const allowed = (name: string, verb: string, apiGroup: string, resource: string) =>
    defaultRoles(names).find(({ metadata }) => metadata.name === name)!.rules!.some((each) => covers(each, { verb, apiGroup, resource }));
  const rights: readonly (readonly [role: string, verb: string, group: string, resource: string])[] = [
    ["system:kube-scheduler", "create", "", "pods/binding"],
    ["system:node", "patch", "", "nodes/status"],
    ["system:controller:node-controller", "get", "", "nodes"],
    ["system:controller:job-controller", "update", "batch", "jobs/status"],
    ["system:controller:persistent-volume-binder", "get", "", "services"],
    ["system:controller:expand-controller", "get", "", "services"],
    ["system:controller:endpointslice-controller", "create", "discovery.k8s.io", "endpointslices"],
    ["system:aggregate-to-view", "get", "apps", "deployments"],
    ["system:aggregate-to-edit", "create", "", "pods/eviction"],
  ];
  for (const [name, ...right] of rights) assert.ok(allowed(name, ...right), `${name} ${right.join(" ")}`);
  assert.ok(!allowed("system:aggregate-to-view", "get", "", "secrets"));
});

test("rules of default roles that need a gate are there with it only", () => {
  const { names } = fakeContext({});
  const rules = (role: string, on: readonly string[]) =>
    defaultRoles(names, (gate) => on.includes(gate)).find(({ metadata }) => metadata.name === role)!.rules!;
  const gated: readonly (readonly [role: string, gate: string, verb: string, group: string, resource: string])[] = [
    ["system:kube-scheduler", "GenericWorkload", "watch", "scheduling.k8s.io", "workloads"],
    ["system:kube-scheduler", "DRAExtendedResource", "create", "resource.k8s.io", "resourceclaims"],
    ["system:kube-scheduler", "DRADeviceTaintRules", "list", "resource.k8s.io", "devicetaintrules"],
    ["system:node", "ClusterTrustBundle", "get", "certificates.k8s.io", "clustertrustbundles"],
    ["system:node", "PodCertificateRequest", "create", "certificates.k8s.io", "podcertificaterequests"],
  ];
  for (const [role, gate, verb, apiGroup, resource] of gated) {
    const has = (on: readonly string[]) => rules(role, on).some((each) => covers(each, { verb, apiGroup, resource }));
    assert.deepEqual([has([gate]), has([])], [true, false], `${role} ${gate}`);
  }
});

test("default roles that need a gate are bound while it is on only", () => {
  const { names } = fakeContext({});
  const found = (on: readonly string[]) =>
    [defaultRoles, defaultBindings].map((of) => of(names, (gate) => on.includes(gate)).map(({ metadata }) => metadata.name!));
  const [roles, bound] = found([]) as [string[], string[]];
  for (
    const [gate, ...own] of [
      ["DRADeviceTaints", "system:controller:device-taint-eviction-controller"],
      ["PodCertificateRequest", "system:controller:podcertificaterequestcleaner"],
      ["StorageVersionAPI", "system:controller:storage-version-garbage-collector"],
      [
        "ClusterTrustBundle",
        "system:controller:kube-apiserver-serving-clustertrustbundle-publisher",
        "system:cluster-trust-bundle-discovery",
      ],
    ] as const
  ) {
    assert.deepEqual(found([gate]), [[...roles, ...own], [...bound, ...own]], gate);
  }
  const subjects = defaultBindings(names, () => true).slice(-5).map(({ subjects: [whom] = [] }) => `${whom?.kind} ${whom?.name}`);
  assert.deepEqual(subjects, [
    "ServiceAccount device-taint-eviction-controller",
    "ServiceAccount podcertificaterequestcleaner",
    "ServiceAccount kube-apiserver-serving-clustertrustbundle-publisher",
    "ServiceAccount storage-version-garbage-collector",
    "Group system:serviceaccounts",
  ]);
});

test("default roles are made on a server without the plugins whose gates they need", async () => {
  await using server = await openTestServer({ settings: { preset: "control-plane" } });
  assert.deepEqual(server.logged.filter((each) => each.includes("bootstrap-roles")), []);
  const { metadata } = await server.api.get(groupVersion, roles, "", "system:kube-scheduler") as ApiObject;
  assert.equal(metadata.name, "system:kube-scheduler");
});
