// A store that servers of this release and of emulated ones use in turn: upgrade, rollback and back.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../kernel/store/store.ts";
import type { Client } from "../https.ts";
import { until } from "../real-server.ts";
import { stores, within } from "../stores.ts";

const classes = (version: string) => `/apis/storage.k8s.io/${version}/volumeattributesclasses`;
const drivers = "/apis/storage.k8s.io/v1/csidrivers";
const policies = (version: string) => `/apis/admissionregistration.k8s.io/${version}/mutatingadmissionpolicies`;
const bindings = (version: string) => `/apis/admissionregistration.k8s.io/${version}/mutatingadmissionpolicybindings`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const configMaps = "/api/v1/namespaces/default/configmaps";

async function make(client: Client, path: string, body: object): Promise<any> {
  const { status, text, json } = await client.ask(path, { method: "POST", body });
  assert.equal(status, 201, text);
  return json();
}
async function read(client: Client, path: string): Promise<any> {
  const { status, text, json } = await client.ask(path);
  assert.equal(status, 200, text);
  return json();
}
async function patch(client: Client, path: string, body: object): Promise<any> {
  const { status, text, json } = await client.ask(path, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body,
  });
  assert.equal(status, 200, text);
  return json();
}
async function storedVersion(open: () => Promise<Store>, key: string): Promise<string> {
  const store = await open();
  try {
    const { entry } = await store.get(`/registry/${key}`);
    return JSON.parse(new TextDecoder().decode(entry!.value)).apiVersion;
  } finally {
    await store.close();
  }
}

for (const { store, on, skip } of stores) {
  test(
    `rule round-trip: ${store}: kinds are served, and stored, in versions of the emulated release, and read by each release`,
    { skip },
    () =>
      on(async (open, args) => {
        const old = [...args, "--emulated-version=1.33", "--runtime-config=storage.k8s.io/v1beta1=true"];
        const body = (name: string) => ({ metadata: { name }, driverName: "disks.example.com", parameters: { speed: "high" } });
        await within(args, async (client) => void await make(client, classes("v1"), body("new")));
        assert.equal(await storedVersion(open, "volumeattributesclasses/new"), "storage.k8s.io/v1");
        await within(old, async (client) => {
          assert.equal((await client.ask(classes("v1"))).status, 404);
          const { apiVersion, parameters, metadata } = await read(client, `${classes("v1beta1")}/new`);
          assert.deepEqual([apiVersion, parameters], ["storage.k8s.io/v1beta1", { speed: "high" }]);
          const made = await make(client, classes("v1beta1"), body("old"));
          assert.equal((await read(client, `${classes("v1beta1")}/old`)).metadata.uid, made.metadata.uid);
          const list = await read(client, classes("v1beta1"));
          assert.deepEqual(list.items.map((each: any) => each.metadata.name), ["new", "old"]);
          const watched = (await client.ask(`${classes("v1beta1")}?watch=1&resourceVersion=0&timeoutSeconds=1`)).text.trim().split("\n");
          assert.deepEqual(watched.slice(0, 2).map((line) => JSON.parse(line).object.apiVersion), [
            "storage.k8s.io/v1beta1",
            "storage.k8s.io/v1beta1",
          ]);
          // A write that changes nothing rewrites a value of the newer version, once.
          const rewritten = await patch(client, `${classes("v1beta1")}/new`, {});
          assert.notEqual(rewritten.metadata.resourceVersion, metadata.resourceVersion);
          assert.equal((await patch(client, `${classes("v1beta1")}/new`, {})).metadata.resourceVersion, rewritten.metadata.resourceVersion);
          assert.equal((await client.ask(`${classes("v1beta1")}/new`)).headers["warning"], undefined, "1.33 did not deprecate it");
        });
        for (const name of ["new", "old"]) {
          assert.equal(await storedVersion(open, `volumeattributesclasses/${name}`), "storage.k8s.io/v1beta1", name);
        }
        await within(args, async (client) => {
          const list = await read(client, classes("v1"));
          assert.deepEqual(list.items.map(({ metadata, parameters }: any) => [metadata.name, parameters.speed]), [
            ["new", "high"],
            ["old", "high"],
          ]);
          await patch(client, `${classes("v1")}/old`, { metadata: { labels: { a: "b" } } });
        });
        assert.equal(await storedVersion(open, "volumeattributesclasses/old"), "storage.k8s.io/v1");
      }),
  );
}

const [{ on }] = stores as [typeof stores[0] & object];

test("rule fields-after-rollback: an object keeps a stored field that the emulated release lacks, and new objects do not get it", () =>
  on(async (_open, args) => {
    const spec = { tokenRequests: [{ audience: "disks" }], serviceAccountTokenInSecrets: true };
    const field = async (client: Client, name: string) => (await read(client, `${drivers}/${name}`)).spec.serviceAccountTokenInSecrets;
    await within(args, async (client) => {
      await make(client, drivers, { metadata: { name: "new.example.com" }, spec });
      assert.equal(await field(client, "new.example.com"), true);
    });
    await within([...args, "--emulated-version=1.34"], async (client) => {
      assert.equal(await field(client, "new.example.com"), true);
      const changed = await patch(client, `${drivers}/new.example.com`, {
        metadata: { labels: { a: "b" } },
        spec: { storageCapacity: true },
      });
      assert.deepEqual([changed.spec.serviceAccountTokenInSecrets, changed.spec.storageCapacity], [true, true]);
      await make(client, drivers, { metadata: { name: "old.example.com" }, spec });
      assert.equal(await field(client, "old.example.com"), undefined);
      assert.equal((await patch(client, `${drivers}/old.example.com`, { spec })).spec.serviceAccountTokenInSecrets, undefined);
    });
    await within(args, async (client) => {
      assert.deepEqual([await field(client, "new.example.com"), await field(client, "old.example.com")], [true, undefined]);
      await patch(client, `${drivers}/old.example.com`, { spec });
      assert.equal(await field(client, "old.example.com"), true);
    });
  }));

test("as in kube-apiserver, a write in the emulated release drops owners of fields through versions that it lacks", () =>
  on(async (_open, args) => {
    const apply = (client: Client, version: string, manager: string, labels: object) =>
      client.ask(`${classes(version)}/fast?fieldManager=${manager}`, {
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: {
          apiVersion: `storage.k8s.io/${version}`,
          kind: "VolumeAttributesClass",
          metadata: { name: "fast", labels },
          driverName: "disks.example.com",
          parameters: { speed: "high" },
        },
      });
    const ownersOf = (object: any) => object.metadata.managedFields.map(({ manager, apiVersion }: any) => `${manager} ${apiVersion}`);
    await within(args, async (client) => {
      const made = await apply(client, "v1", "one", { color: "red" });
      assert.deepEqual(ownersOf(made.json()), ["one storage.k8s.io/v1"], made.text);
    });
    await within([...args, "--emulated-version=1.33", "--runtime-config=storage.k8s.io/v1beta1=true"], async (client) => {
      assert.deepEqual(ownersOf(await read(client, `${classes("v1beta1")}/fast`)), ["one storage.k8s.io/v1"]);
      const next = await apply(client, "v1beta1", "two", { color: "blue" });
      assert.deepEqual([next.status, next.json().metadata.labels], [200, { color: "blue" }], next.text);
      assert.deepEqual(ownersOf(next.json()), ["two storage.k8s.io/v1beta1"]);
    });
  }));

test("rule round-trip: a kind whose only common version is alpha is converted to it and back", () =>
  on(async (open, args) => {
    const gate = "--feature-gates=StorageVersionMigrator=true";
    const path = (version: string) => `/apis/storagemigration.k8s.io/${version}/storageversionmigrations`;
    const on35 = [...args, gate, "--runtime-config=storagemigration.k8s.io/v1beta1=true"];
    const on34 = [...args, gate, "--runtime-config=storagemigration.k8s.io/v1alpha1=true", "--emulated-version=1.34"];
    const isDone = (object: any) => object.status?.conditions?.some(({ type, status }: any) => type === "Succeeded" && status === "True");
    await within(on35, async (client) => {
      await make(client, path("v1beta1"), { metadata: { name: "all" }, spec: { resource: { group: "", resource: "configmaps" } } });
      await until(async () => assert.ok(isDone(await read(client, `${path("v1beta1")}/all`))));
    });
    await within(on34, async (client) => {
      assert.equal((await client.ask(path("v1beta1"))).status, 404);
      const old = await read(client, `${path("v1alpha1")}/all`);
      assert.deepEqual([old.spec.resource.resource, isDone(old)], ["configmaps", true]);
      const resource = { group: "", version: "v1", resource: "configmaps" };
      await make(client, path("v1alpha1"), { metadata: { name: "again" }, spec: { resource } });
      await until(async () => assert.ok(isDone(await read(client, `${path("v1alpha1")}/again`))));
      assert.equal((await read(client, `${path("v1alpha1")}/again`)).spec.resource.version, "v1");
    });
    assert.equal(await storedVersion(open, "storageversionmigrations/again"), "storagemigration.k8s.io/v1alpha1");
    await within(on35, async (client) => {
      for (const name of ["all", "again"]) {
        const found = await read(client, `${path("v1beta1")}/${name}`);
        assert.deepEqual([found.spec.resource, isDone(found)], [{ group: "", resource: "configmaps" }, true], name);
      }
    });
  }));

test("a policy of this release has effect in the emulated release that has its kind as alpha, and is stored as that", () =>
  on(async (open, args) => {
    const on35 = [...args, "--runtime-config=admissionregistration.k8s.io/v1beta1=true", "--feature-gates=MutatingAdmissionPolicy=true"];
    const on33 = [
      ...args,
      "--emulated-version=1.33",
      "--runtime-config=admissionregistration.k8s.io/v1alpha1=true",
      "--feature-gates=MutatingAdmissionPolicy=true",
    ];
    const policy = {
      metadata: { name: "mark" },
      spec: {
        matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }] },
        mutations: [{
          patchType: "ApplyConfiguration",
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"marked": "yes"}}}' },
        }],
        reinvocationPolicy: "Never",
      },
    };
    const isMarked = async (client: Client, name: string) => {
      const made = await make(client, configMaps, { metadata: { name } });
      return made.metadata.labels?.marked === "yes";
    };
    await within(on35, async (client) => {
      await make(client, policies("v1beta1"), policy);
      await make(client, bindings("v1beta1"), { metadata: { name: "mark" }, spec: { policyName: "mark" } });
      assert.equal(await isMarked(client, "a"), true);
    });
    assert.equal(await storedVersion(open, "mutatingadmissionpolicies/mark"), "admissionregistration.k8s.io/v1beta1");
    await within(on33, async (client) => {
      assert.equal((await client.ask(policies("v1beta1"))).status, 404);
      assert.equal(await isMarked(client, "b"), true);
      await patch(client, `${policies("v1alpha1")}/mark`, { spec: { failurePolicy: "Ignore" } });
      assert.equal(await isMarked(client, "c"), true);
    });
    assert.equal(await storedVersion(open, "mutatingadmissionpolicies/mark"), "admissionregistration.k8s.io/v1alpha1");
    await within(on35, async (client) => {
      assert.equal((await read(client, `${policies("v1beta1")}/mark`)).spec.failurePolicy, "Ignore");
      assert.equal(await isMarked(client, "d"), true);
    });
  }));

test("rule expressions-after-rollback: new expressions have the libraries of the oldest compatible release, and stored ones those of all", () =>
  on(async (_open, args) => {
    const definition = (kind: string, rule: string) => ({
      metadata: { name: `${kind.toLowerCase()}s.example.com` },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { plural: `${kind.toLowerCase()}s`, kind },
        versions: [{
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                sizes: {
                  type: "array",
                  maxItems: 3,
                  items: { type: "integer" },
                  "x-kubernetes-validations": [{ rule, message: "must be sorted" }],
                },
              },
            },
          },
        }],
      },
    });
    const sorted = "self.sort() == self"; // 1.34
    const create = (client: Client, path: string, body: object) => client.ask(path, { method: "POST", body });
    await within(args, async (client) => void await make(client, definitions, definition("Tree", sorted)));
    for (const flags of [["--emulated-version=1.34"], ["--min-compatibility-version=1.33"]]) {
      await within([...args, ...flags], async (client) => {
        const refused = await create(client, definitions, definition("Bush", sorted));
        assert.equal(refused.status, 422, flags.join());
        assert.match(refused.json().message, /undeclared reference to 'sort'/);
        await patch(client, `${definitions}/trees.example.com`, {
          metadata: { labels: { seen: String(flags).replaceAll(/[^a-z]/g, "") } },
        });
        const unsorted = await create(client, "/apis/example.com/v1/trees", {
          kind: "Tree",
          apiVersion: "example.com/v1",
          metadata: { name: "a" },
          sizes: [2, 1],
        });
        assert.equal(unsorted.status, 422, unsorted.text);
        assert.match(unsorted.json().message, /must be sorted/);
      });
    }
    await within([...args, "--emulated-version=1.34", "--min-compatibility-version=1.34"], async (client) => {
      await make(client, definitions, definition("Bush", sorted));
    });
  }));
