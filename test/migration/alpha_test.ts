// StorageVersionMigration v1alpha1 alone: v1beta1 is not served.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { until } from "../real-server.ts";
import { ask } from "../requests.ts";

const apiVersion = "storagemigration.k8s.io/v1alpha1";
const path = `/apis/${apiVersion}/storageversionmigrations`;
const settings = {
  "runtime-config": { "api/alpha": true },
  "feature-gates": { StorageVersionMigrator: true },
};

const migration = (name: string, resource: object, more: object = {}) => ({
  apiVersion,
  kind: "StorageVersionMigration",
  metadata: { name },
  spec: { resource, ...more },
});
// The controller waits for a group that no server has, so that the object stays unchanged.
const absent = { group: "absent.example.com", version: "v1", resource: "things" };

test("v1alpha1 is served only if both its gate and api/alpha enable it", async () => {
  const { "runtime-config": runtime, "feature-gates": gates } = settings;
  for (
    const [some, status] of [
      [settings, 200],
      [{ "runtime-config": runtime }, 404],
      [{ "feature-gates": gates }, 404],
      [{ ...settings, "runtime-config": { "api/alpha": true, [apiVersion]: false } }, 404],
      [{ "runtime-config": { [apiVersion]: true } }, 200],
    ] as const
  ) {
    await using server = await openTestServer({ settings: some });
    assert.equal((await ask(server, "GET", path)).status, status);
  }
});

test("a migration of v1alpha1 runs without v1beta1, and its conditions have v1alpha1's fields", async () => {
  await using server = await openTestServer({ settings });
  const before = await server.api.create("v1", "configmaps", "default", { metadata: { name: "one" } });
  assert.equal((await ask(server, "POST", path, migration("maps", { version: "v1", resource: "configmaps" }))).status, 201);
  const done = await until(async () => {
    const { body } = await ask(server, "GET", `${path}/maps`);
    assert.equal(body.status.conditions?.at(-1)?.type, "Succeeded");
    return body;
  }, 20_000);
  assert.equal(done.apiVersion, apiVersion);
  assert.deepEqual(done.spec, { resource: { version: "v1", resource: "configmaps" } });
  assert.match(done.status.resourceVersion, /^[1-9]\d*$/);
  for (const condition of done.status.conditions) {
    assert.deepEqual(Object.keys(condition).filter((key) => key !== "message"), ["type", "status", "lastUpdateTime", "reason"]);
  }
  assert.deepEqual(await server.api.get("v1", "configmaps", "default", "one"), before, "what is stored as now stays as it was");
});

test("spec.resource.version and spec.continueToken survive storage, update, patch and apply", async () => {
  await using server = await openTestServer({ settings });
  const spec = { resource: absent, continueToken: "t1" };
  const created = await ask(server, "POST", path, migration("kept", absent, { continueToken: "t1" }));
  assert.deepEqual([created.status, created.body.spec], [201, spec]);
  assert.equal(created.body.metadata.annotations, undefined);
  const read = await ask(server, "GET", `${path}/kept`);
  assert.deepEqual(read.body.spec, spec);
  const listed = await ask(server, "GET", path);
  assert.deepEqual(listed.body.items[0].spec, spec);

  const put = (continueToken: string) =>
    until(async () => {
      const { body } = await ask(server, "GET", `${path}/kept`);
      const answer = await ask(server, "PUT", `${path}/kept`, { ...body, spec: { ...body.spec, continueToken } });
      assert.equal(answer.status, 200); // The controller may have written meanwhile.
      return answer;
    }, 10_000);
  assert.deepEqual((await put("t2")).body.spec, { ...spec, continueToken: "t2" });
  const patched = await ask(server, "PATCH", `${path}/kept`, { spec: { continueToken: "t3" } }, "application/merge-patch+json");
  assert.deepEqual([patched.status, patched.body.spec], [200, { ...spec, continueToken: "t3" }]);
  const strategic = await ask(
    server,
    "PATCH",
    `${path}/kept`,
    { metadata: { labels: { a: "b" } } },
    "application/strategic-merge-patch+json",
  );
  assert.deepEqual([strategic.status, strategic.body.spec], [200, { ...spec, continueToken: "t3" }]);
  const pointer = await ask(
    server,
    "PATCH",
    `${path}/kept`,
    [{ op: "test", path: "/spec/resource/version", value: "v1" }, { op: "replace", path: "/spec/continueToken", value: "t4" }],
    "application/json-patch+json",
  );
  assert.deepEqual([pointer.status, pointer.body.spec], [200, { ...spec, continueToken: "t4" }]);
  const apply = (name: string, body: object, query = "") =>
    ask(server, "PATCH", `${path}/${name}?fieldManager=tester${query}`, JSON.stringify(body), "application/apply-patch+yaml");
  const applied = await apply("kept", migration("kept", absent, { continueToken: "t5" }), "&force=true");
  assert.deepEqual([applied.status, applied.body.spec], [200, { ...spec, continueToken: "t5" }]);
  const made = await apply("made", migration("made", absent, { continueToken: "t6" }));
  assert.deepEqual([made.status, made.body.spec], [201, { ...spec, continueToken: "t6" }]);
  const own = made.body.metadata.managedFields.find(({ manager }: { manager: string }) => manager === "tester");
  assert.equal(own.apiVersion, apiVersion);
  assert.ok(own.fieldsV1["f:spec"]["f:continueToken"], "the applier owns the token by its path in v1alpha1");
  const dropped = await apply("made", migration("made", absent));
  assert.deepEqual([dropped.status, dropped.body.spec], [200, { resource: absent }], "a removed token is rejected");
});

test("the status of v1alpha1 accepts its own fields: lastUpdateTime and optionally a reason", async () => {
  await using server = await openTestServer({ settings: { "runtime-config": { [apiVersion]: true } } });
  await ask(server, "POST", path, migration("told", absent));
  const condition = { type: "Running", status: "True", lastUpdateTime: "2024-01-02T03:04:05Z" };
  for (const wanted of [condition, { ...condition, reason: "Because", message: "m" }]) {
    const current = (await ask(server, "GET", `${path}/told`)).body;
    const answer = await ask(server, "PUT", `${path}/told/status`, { ...current, status: { conditions: [wanted], resourceVersion: "7" } });
    assert.deepEqual([answer.status, answer.body.status], [200, { conditions: [wanted], resourceVersion: "7" }]);
    assert.deepEqual((await ask(server, "GET", `${path}/told/status`)).body.status, answer.body.status);
  }
  const applied = await ask(
    server,
    "PATCH",
    `${path}/told/status?fieldManager=tester&force=true`,
    JSON.stringify({ apiVersion, kind: "StorageVersionMigration", metadata: { name: "told" }, status: { conditions: [condition] } }),
    "application/apply-patch+yaml",
  );
  assert.equal(applied.status, 200);
  const patched = await ask(
    server,
    "PATCH",
    `${path}/told/status`,
    { status: { conditions: [{ type: "Running", status: "False" }] } },
    "application/strategic-merge-patch+json",
  );
  assert.equal(patched.status, 200);
  assert.equal(patched.body.status.conditions[0].lastUpdateTime, condition.lastUpdateTime, "merged by type");
  const { body: current } = await ask(server, "GET", `${path}/told`);
  const refused = await ask(server, "PUT", `${path}/told/status`, {
    ...current,
    status: { ...current.status, conditions: [{ ...condition, status: "Perhaps", reason: "not a reason" }] },
  });
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.body.details.causes.map(({ field }: { field: string }) => field), [
    "status.conditions[0].status",
    "status.conditions[0].reason",
  ]);
});

test("a condition of v1alpha1 needs neither time nor reason, whatever the write; v1beta1 keeps it, and requires both of another one", async () => {
  await using server = await openTestServer({
    settings: { "runtime-config": { [apiVersion]: true, [apiVersion.replace("alpha", "beta")]: true } },
  });
  const condition = { type: "Odd", status: "True" }, shown = { ...condition, lastUpdateTime: null };
  const conditionsOf = (
    { status, body }: { readonly status: number; readonly body: any },
  ) => [status, body.status?.conditions ?? body.message];
  const created = await ask(server, "POST", path, { ...migration("m", absent), status: { conditions: [condition] } });
  assert.deepEqual([created.status, created.body.status], [201, {}], "a create drops the status");
  const at = `${path}/m`, status = `${at}/status`, current = async (url = at) => (await ask(server, "GET", url)).body;
  const put = await ask(server, "PUT", status, { ...await current(), status: { conditions: [condition] } });
  assert.deepEqual(conditionsOf(put), [200, [shown]]);
  assert.deepEqual(conditionsOf(await ask(server, "PUT", at, await current())), [200, [shown]]);
  for (
    const [type, change] of [
      ["merge-patch+json", { status: { conditions: [{ ...condition, lastUpdateTime: null }] } }],
      ["strategic-merge-patch+json", { status: { conditions: [condition] } }],
      ["json-patch+json", [{ op: "replace", path: "/status/conditions", value: [condition] }]],
      ["apply-patch+yaml", { ...migration("m", absent), status: { conditions: [condition] } }],
    ] as const
  ) {
    const url = `${status}?fieldManager=me${type.startsWith("apply") ? "&force=true" : ""}`;
    assert.deepEqual(conditionsOf(await ask(server, "PATCH", url, JSON.stringify(change), `application/${type}`)), [200, [shown]], type);
  }

  const beta = status.replace("v1alpha1", "v1beta1"), stored = await current(beta);
  assert.deepEqual(stored.status.conditions, [{ ...condition, lastTransitionTime: null, reason: "", message: "" }]);
  const full = { type: "Running", status: "True", lastTransitionTime: "2024-01-02T03:04:05Z", reason: "R", message: "" };
  const added = await ask(server, "PUT", beta, { ...stored, status: { conditions: [...stored.status.conditions, full] } });
  assert.deepEqual(conditionsOf(added), [200, [...stored.status.conditions, full]]);
  const [odd] = stored.status.conditions, changed = { ...odd, status: "False" };
  const refused = await ask(server, "PUT", beta, { ...added.body, status: { conditions: [changed, full] } });
  assert.deepEqual(refused.body.details?.causes?.map(({ field }: { readonly field: string }) => field), [
    "status.conditions[0].lastTransitionTime",
    "status.conditions[0].reason",
  ]);
});
