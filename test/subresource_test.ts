// Subresources with their own kinds: scale and actions, in a plugin.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  definePlugin,
  defineResource,
  field,
  type Infer,
  int32,
  invalid,
  object,
  record,
  scaleSubresource,
  string,
  struct,
} from "../plugin.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const home = "example.com/v1", old = "example.com/v1beta1";

const Thing = object("Thing", {
  spec: field(
    2,
    struct("ThingSpec", {
      size: field(1, struct("Size", { n: field(1, int32, "Wanted."), unit: field(2, string, "Unit.") }), "Size."),
      restartedAt: field(2, string, "When it was restarted."),
    }),
    "Spec.",
    { written: "always" },
  ),
  status: field(3, struct("ThingStatus", { n: field(1, int32, "Observed."), selector: field(2, string, "Selector.") }), "Status."),
}, { doc: "A thing.", package: home });
type Thing = Infer<typeof Thing>;

const Restart = object("Restart", {
  spec: field(2, struct("RestartSpec", { reason: field(1, string, "Why.") }), "What.", { written: "always" }),
}, { doc: "Asks for a restart.", package: home });
type Restart = Infer<typeof Restart>;

const Report = object("Report", {
  status: field(2, struct("ReportStatus", { labels: field(1, record(string), "Labels."), by: field(2, string, "Who asked.") }), "Answer."),
}, { doc: "A report.", package: home });

const scale = scaleSubresource<Thing>({
  specReplicasPath: ".spec.size.n",
  statusReplicasPath: ".status.n",
  labelSelectorPath: ".status.selector",
});
const restarted = (prior: Thing, restartedAt: string): Thing => ({ ...prior, spec: { ...prior.spec, restartedAt } });
const subresources = {
  scale,
  restart: {
    create: {
      request: { groupVersion: home, schema: Restart },
      validate: ({ spec }: Restart) => spec.reason === "none" ? [invalid("spec.reason", spec.reason, "must be a reason")] : [],
      write: (_request: Restart, prior: Thing) => restarted(prior, "now"),
    },
  },
  touch: { create: { write: (_request: undefined, prior: Thing) => restarted(prior, "touched") } },
  report: {
    create: {
      response: { groupVersion: home, schema: Report },
      respond: (_request: undefined, { metadata }: Thing, { caller: { name } }: { caller: { name: string } }) => ({
        status: { labels: { of: metadata.name ?? "" }, by: name },
      }),
    },
  },
};
const things = defineResource<Thing>({
  kind: "Thing",
  scope: "Namespaced",
  summary: "A thing.",
  storedAs: home,
  storedUnder: "example.com/things",
  strategy: { generation: true },
  served: {
    [home]: { schema: Thing, introduced: "1.0", subresources },
    [old]: { schema: Thing, introduced: "1.0", subresources },
  },
});
const plugin = definePlugin({ name: "things", summary: "Things.", resources: [things] });

let server: TestServer;
before(async () => {
  server = await openTestServer({ plugins: [plugin], settings: { "runtime-config": { [old]: true } } });
});
after(() => server.close());

const change = (method: string, path: string, body?: unknown, type = "application/json", accept = "application/json") =>
  ask(server, method, path, body, { type, accept, headers: { "user-agent": "transcript/1" } });
const path = `/apis/${home}/namespaces/default/things`;
const merge = "application/merge-patch+json", applyType = "application/apply-patch+yaml";
const scaleOf = (name: string, replicas?: number, more: object = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name, ...more },
  ...(replicas === undefined ? {} : { spec: { replicas } }),
});
async function make(name: string, spec: object) {
  const made = await change("POST", path, { metadata: { name, labels: { x: "z" } }, spec });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
const ownersOf = (object: any) =>
  object.metadata.managedFields.map((
    { manager, operation, subresource, apiVersion, fieldsV1, time }: any,
  ) => [manager, operation, subresource ?? "", apiVersion, JSON.stringify(fieldsV1), time !== undefined]);

test("scale is read and written as autoscaling/v1, by PUT and by PATCH; the generation increases", async () => {
  const made = await make("a", { size: { n: 3, unit: "small" } });
  await change("PATCH", `${path}/a/status`, { status: { n: 2, selector: "app=one" } }, merge);
  const got = (await change("GET", `${path}/a/scale`)).body;
  const { uid, creationTimestamp } = made.metadata;
  const { resourceVersion } = got.metadata;
  assert.deepEqual(got, {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "a", namespace: "default", uid, resourceVersion, creationTimestamp },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: "app=one" },
  });
  const body = { ...scaleOf("a", 5, { namespace: "default", resourceVersion, labels: { ignored: "yes" } }), status: { replicas: 9 } };
  const put = await change("PUT", `${path}/a/scale`, body);
  assert.equal(put.status, 200, put.text);
  assert.deepEqual([put.body.spec, put.body.status, put.body.metadata.labels], [
    { replicas: 5 },
    { replicas: 2, selector: "app=one" },
    undefined,
  ]);
  const patched = await change("PATCH", `${path}/a/scale`, { spec: { replicas: 7 } }, merge);
  assert.deepEqual([patched.status, patched.body.spec], [200, { replicas: 7 }]);
  const object = (await change("GET", `${path}/a`)).body;
  assert.deepEqual([object.spec, object.status, object.metadata.generation], [
    { size: { n: 7, unit: "small" } },
    { n: 2, selector: "app=one" },
    3,
  ]);
  assert.deepEqual(ownersOf(object), [
    ["transcript", "Update", "scale", home, '{"f:spec":{"f:size":{"f:n":{}}}}', false],
    [
      "transcript",
      "Update",
      "",
      home,
      '{"f:metadata":{"f:labels":{".":{},"f:x":{}}},"f:spec":{"f:size":{"f:unit":{}}}}',
      true,
    ],
    ["transcript", "Update", "status", home, '{"f:status":{"f:n":{},"f:selector":{}}}', true],
  ]);
});

test("writes of scale that are stale, negative, of another kind or for a missing object are rejected", async () => {
  const { resourceVersion } = (await make("b", { size: { n: 3 } })).metadata;
  const first = await change("PUT", `${path}/b/scale`, scaleOf("b", 4));
  assert.deepEqual([first.status, first.body.spec, first.body.status], [200, { replicas: 4 }, { replicas: 0 }]);
  const refusals: readonly (readonly [string, string, unknown, number, RegExp])[] = [
    [
      "PUT",
      "b",
      scaleOf("b", 5, { resourceVersion }),
      409,
      /^Operation cannot be fulfilled on things\.example\.com "b": the object has been/,
    ],
    ["PUT", "b", scaleOf("b", -1), 422, /^Scale\.autoscaling "b" is invalid: spec\.replicas: Invalid value: -1: must be greater than or/],
    ["PUT", "b", { apiVersion: home, kind: "Thing", metadata: { name: "b" } }, 400, /cannot be handled as a Scale/],
    ["PUT", "b", scaleOf("c", 1), 400, /^the name of the object \(c\) does not match the name on the URL \(b\)$/],
    ["PATCH", "none", { spec: { replicas: 7 } }, 404, /^things\.example\.com "none" not found$/],
    ["DELETE", "b", undefined, 405, /does not allow this method/],
    ["POST", "b", scaleOf("b", 1), 405, /does not allow this method/],
  ];
  for (const [method, name, body, status, message] of refusals) {
    const got = await change(method, `${path}/${name}/scale`, body, method === "PATCH" ? merge : "application/json");
    assert.equal(got.status, status, got.text);
    assert.match(got.body.message, message);
  }
});

test("a write of the object itself does not change the status, also without prepare()", async () => {
  await make("status", {});
  const put = await change("PUT", `${path}/status`, { metadata: { name: "status" }, spec: {}, status: { n: 5 } });
  assert.deepEqual([put.status, put.body.status], [200, {}]);
  assert.equal((await change("PATCH", `${path}/status/status`, { status: { n: 6 } }, merge)).body.status.n, 6);
  assert.equal((await change("PATCH", `${path}/status`, { status: { n: 7 } }, merge)).body.status.n, 6);
});

test("an absent number is 0, also after a scale to 0", async () => {
  await make("d", {});
  assert.deepEqual((await change("GET", `${path}/d/scale`)).body.spec, {});
  assert.deepEqual((await change("PATCH", `${path}/d/scale`, { spec: { replicas: 2 } }, merge)).body.spec, { replicas: 2 });
  const put = await change("PUT", `${path}/d/scale`, scaleOf("d"));
  assert.deepEqual([put.status, put.body.spec, put.body.status], [200, {}, { replicas: 0 }]);
});

test("a write of scale owns the object's field through the subresource, and conflicts with an apply of another number", async () => {
  const document = (n: number) => ({ apiVersion: home, kind: "Thing", metadata: { name: "e" }, spec: { size: { n } } });
  assert.equal((await change("PATCH", `${path}/e?fieldManager=alpha`, document(1), applyType)).status, 201);
  assert.equal((await change("PUT", `${path}/e/scale?fieldManager=scaler`, scaleOf("e", 3))).status, 200);
  const object = (await change("GET", `${path}/e`)).body;
  assert.deepEqual(ownersOf(object), [["scaler", "Update", "scale", home, '{"f:spec":{"f:size":{"f:n":{}}}}', false]]);
  const conflict = await change("PATCH", `${path}/e?fieldManager=alpha`, document(1), applyType);
  assert.deepEqual([conflict.status, conflict.body.details.causes], [409, [{
    reason: "FieldManagerConflict",
    message: 'conflict with "scaler" with subresource "scale" using example.com/v1',
    field: ".spec.size.n",
  }]]);
  // In another version of the resource the owner keeps its entry.
  assert.equal((await change("PUT", `/apis/${old}/namespaces/default/things/e/scale?fieldManager=scaler`, scaleOf("e", 3))).status, 200);
  assert.deepEqual(ownersOf((await change("GET", `${path}/e`)).body), ownersOf(object));
});

test("an apply to scale conflicts with the owner of the field, and takes it by force", async () => {
  const document = { apiVersion: home, kind: "Thing", metadata: { name: "f" }, spec: { size: { n: 1 } } };
  assert.equal((await change("PATCH", `${path}/f?fieldManager=alpha`, document, applyType)).status, 201);
  const apply = (replicas: number, query: string) =>
    change("PATCH", `${path}/f/scale?fieldManager=beta${query}`, scaleOf("f", replicas), applyType);
  const conflict = await apply(4, "");
  assert.deepEqual([conflict.status, conflict.body.message], [
    409,
    'Apply failed with 1 conflict: conflict with "alpha": .spec.replicas',
  ]);
  const same = await apply(1, "");
  assert.deepEqual([same.status, same.body.spec], [200, { replicas: 1 }]);
  const field = '{"f:spec":{"f:size":{"f:n":{}}}}';
  assert.deepEqual(ownersOf((await change("GET", `${path}/f`)).body), [
    ["beta", "Apply", "scale", home, field, false],
    ["alpha", "Apply", "", home, '{"f:spec":{"f:size":{"f:n":{}}}}', true],
  ]);
  assert.equal((await apply(4, "&force=true")).status, 200);
  assert.deepEqual(ownersOf((await change("GET", `${path}/f`)).body), [["beta", "Apply", "scale", home, field, false]]);
  const other = await change("PATCH", `${path}/f/scale?fieldManager=beta`, document, applyType);
  assert.deepEqual([other.status, other.body.message], [400, "invalid object type: example.com/v1, Kind=Thing"]);
  assert.equal((await change("PATCH", `${path}/none/scale?fieldManager=beta`, scaleOf("none", 4), applyType)).status, 404);
});

test("scale is available as a table, as YAML and as protobuf", async () => {
  await make("g", { size: { n: 3 } });
  const table = (await change("GET", `${path}/g/scale`, undefined, "", "application/json;as=Table;v=v1;g=meta.k8s.io")).body;
  assert.deepEqual(table.columnDefinitions.map(({ name, type }: any) => [name, type]), [
    ["Name", "string"],
    ["Desired", "integer"],
    ["Available", "integer"],
    ["Age", "string"],
  ]);
  assert.deepEqual(table.rows[0].cells.slice(0, 3), ["g", 3, 0]);
  assert.match((await change("GET", `${path}/g/scale`, undefined, "", "application/yaml")).text, /^kind: Scale$/m);
  assert.match(
    (await change("GET", `${path}/g/scale`, undefined, "", "application/vnd.kubernetes.protobuf")).text,
    /^k8s\0\n.*autoscaling\/v1/s,
  );
});

test("a POST of an action changes the object and returns 201 with it, or with another kind", async () => {
  await make("h", { size: { n: 3 } });
  const done = await change("POST", `${path}/h/restart`, { apiVersion: home, kind: "Restart", spec: { reason: "new certificate" } });
  assert.equal(done.status, 201, done.text);
  const { kind, spec, metadata } = done.body;
  assert.deepEqual([kind, spec, metadata.generation], ["Thing", { size: { n: 3 }, restartedAt: "now" }, 2]);
  assert.deepEqual(ownersOf(done.body).map((each: unknown[]) => each.slice(0, 5)), [
    [
      "transcript",
      "Update",
      "",
      home,
      '{"f:metadata":{"f:labels":{".":{},"f:x":{}}},"f:spec":{"f:size":{"f:n":{}}}}',
    ],
    ["transcript", "Update", "restart", home, '{"f:spec":{"f:restartedAt":{}}}'],
  ]);
  const touched = await change("POST", `${path}/h/touch?dryRun=All`);
  assert.deepEqual([touched.status, touched.body.spec.restartedAt], [201, "touched"]);
  assert.equal((await change("GET", `${path}/h`)).body.spec.restartedAt, "now", "a dry run stores nothing");
  const report = await change("POST", `${path}/h/report`);
  assert.deepEqual([report.status, report.body], [201, {
    kind: "Report",
    apiVersion: home,
    metadata: {},
    status: { labels: { of: "h" }, by: "admin" },
  }]);
});

test("an action rejects invalid requests, other kinds, other names and other verbs", async () => {
  await make("i", {});
  const refusals: readonly (readonly [string, string, unknown, number, RegExp])[] = [
    ["POST", "i/restart", { spec: { reason: "none" } }, 422, /^Restart\.example\.com "i" is invalid: spec\.reason: Invalid value: "none"/],
    ["POST", "i/restart", { apiVersion: home, kind: "Thing" }, 400, /cannot be handled as a Restart/],
    ["POST", "i/restart", { metadata: { name: "j" } }, 400, /^name in URL does not match name in Restart object$/],
    ["POST", "i/restart", { metadata: { namespace: "other" } }, 400, /^the namespace of the provided object does not match/],
    ["POST", "none/touch", undefined, 404, /^things\.example\.com "none" not found$/],
    ["GET", "i/restart", undefined, 405, /does not allow this method/],
    ["PUT", "i/restart", {}, 405, /does not allow this method/],
  ];
  for (const [method, url, body, status, message] of refusals) {
    const got = await change(method, `${path}/${url}`, body);
    assert.equal(got.status, status, got.text);
    assert.match(got.body.message, message);
  }
  assert.equal((await change("POST", `${path}/i/restart?fieldValidation=Strict`, { spec: { no: 1 } })).status, 400);
});

test("discovery has the kinds of subresources", async () => {
  const { resources } = (await change("GET", `/apis/${home}`)).body;
  const of = (name: string) => resources.find((each: any) => each.name === name);
  const part = { singularName: "", namespaced: true };
  assert.deepEqual(of("things/scale"), {
    name: "things/scale",
    ...part,
    group: "autoscaling",
    version: "v1",
    kind: "Scale",
    verbs: ["get", "patch", "update"],
  });
  assert.deepEqual(of("things/restart"), { name: "things/restart", ...part, kind: "Restart", verbs: ["create"] });
  assert.deepEqual(of("things/touch"), { name: "things/touch", ...part, kind: "Thing", verbs: ["create"] });
  assert.deepEqual(of("things/report"), { name: "things/report", ...part, kind: "Report", verbs: ["create"] });
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const { items } = (await change("GET", "/apis", undefined, "", accept)).body;
  const { subresources } = items.find((each: any) => each.metadata.name === "example.com").versions[0].resources[0];
  assert.deepEqual(subresources.find((each: any) => each.subresource === "scale"), {
    subresource: "scale",
    responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
    verbs: ["get", "patch", "update"],
  });
});

test("OpenAPI describes the paths of subresources with their kinds", async () => {
  const v3 = (await change("GET", `/openapi/v3/apis/${home}`)).body;
  const v2 = (await change("GET", "/openapi/v2")).body;
  const scalePath = `/apis/${home}/namespaces/{namespace}/things/{name}/scale`;
  const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
  for (const { paths } of [v2, v3]) {
    for (const [method, verb] of [["get", "read"], ["put", "replace"], ["patch", "patch"]] as const) {
      const operation = paths[scalePath][method];
      assert.deepEqual(operation["x-kubernetes-group-version-kind"], kind);
      assert.equal(operation["x-kubernetes-action"], method);
      assert.equal(operation.operationId, `${verb}ExampleComV1NamespacedThingScale`);
    }
    const restart = paths[scalePath.replace("scale", "restart")];
    assert.deepEqual(Object.keys(restart).filter((key) => key !== "parameters"), ["post"]);
    assert.equal(restart.post.operationId, "createExampleComV1NamespacedThingRestart");
    assert.deepEqual(restart.post["x-kubernetes-group-version-kind"], { group: "example.com", version: "v1", kind: "Restart" });
    assert.equal(restart.post["x-kubernetes-action"], "post");
  }
  const { schemas } = v3.components;
  const name = Object.keys(schemas).find((each) => each.endsWith(".autoscaling.v1.Scale"));
  assert.ok(name, Object.keys(schemas).join());
  assert.deepEqual(schemas[name]["x-kubernetes-group-version-kind"], [kind]);
  const answer = v3.paths[scalePath].get.responses["200"].content["application/json"].schema;
  assert.deepEqual(answer, { $ref: `#/components/schemas/${name}` });
});

test("a creation does not store a status that has its own path", async () => {
  const made = await change("POST", path, { metadata: { name: "born" }, spec: { size: { n: 1 } }, status: { n: 5, selector: "a=b" } });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(made.body.status, {});
  assert.deepEqual(ownersOf(made.body).map(([, , , , fields]: readonly string[]) => fields), ['{"f:spec":{"f:size":{"f:n":{}}}}']);
});
