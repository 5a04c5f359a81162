// Kinds of plugins that are never stored, and subresources of plugins.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definePlugin, defineResource } from "../core/define/define.ts";
import { invalid } from "../core/field-error.ts";
import { object } from "../core/meta/object.ts";
import { field, type Infer, int32, string, struct } from "../core/schema.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const Sum = object("Sum", {
  spec: field(2, struct("SumSpec", { a: field(1, int32, "One number."), b: field(2, int32, "Another.") }), "The question.", {
    written: "always",
  }),
  status: field(3, struct("SumStatus", { total: field(1, int32, "Both together."), asker: field(2, string, "Who asked.") }), "The answer."),
}, { doc: "Adds two numbers." });
type Sum = Infer<typeof Sum>;

const sums = defineResource<Sum>({
  kind: "Sum",
  scope: "Namespaced",
  summary: "Adds two numbers.",
  storedAs: "sums.example.com/v1",
  served: { "sums.example.com/v1": { schema: Sum, introduced: "1.0" } },
  create: ({ spec }) => spec.a !== undefined && spec.a < 0 ? [invalid("spec.a", spec.a, "must not be negative")] : [],
  handleCreate: (next, { caller }) => ({ ...next, status: { total: (next.spec.a ?? 0) + (next.spec.b ?? 0), asker: caller.name } }),
});

const Door = object("Door", {
  spec: field(
    2,
    struct("DoorSpec", { colour: field(1, string, "Its paint."), locked: field(2, string, "Who has locked it.") }),
    "The door.",
    {
      written: "always",
    },
  ),
}, { doc: "A way in." });
type Door = Infer<typeof Door>;

const doors = defineResource<Door>({
  kind: "Door",
  scope: "Namespaced",
  summary: "A way in.",
  storedAs: "sums.example.com/v1",
  storedUnder: "sums.example.com/doors",
  served: {
    "sums.example.com/v1": {
      schema: Door,
      introduced: "1.0",
      subresources: {
        lock: {
          verbs: ["get", "update"],
          write: (next: Door, prior: Door) => ({
            ...prior,
            metadata: next.metadata,
            spec: { ...prior.spec, ...(next.spec.locked === undefined ? {} : { locked: next.spec.locked }) },
          }),
        },
      },
    },
  },
});

const Bell = object("Bell", {}, { doc: "Makes a sound." });
const bells = defineResource<Infer<typeof Bell>>({
  kind: "Bell",
  scope: "Namespaced",
  summary: "Makes a sound.",
  storedAs: "sums.example.com/v1",
  storedUnder: "sums.example.com/bells",
  served: { "sums.example.com/v1": { schema: Bell, introduced: "1.0" } },
});

const rung: string[] = [];
const plugin = definePlugin({
  name: "sums",
  summary: "Shows what plugins may bring.",
  resources: [sums, doors, bells],
  admission: [
    {
      name: "careful",
      resources: [doors],
      effect: (next) => void rung.push(`careful ${next.metadata.name}`),
      supportsDryRun: true,
    },
    { name: "careless", resources: [bells], effect: (next) => void rung.push(`careless ${next.metadata.name}`) },
    { name: "strict", resources: [bells], refuse: (next) => next.metadata.name === "broken" ? "it is broken" : undefined },
  ],
});
const place = "/apis/sums.example.com/v1/namespaces/default";
let server: TestServer;
before(async () => {
  server = await openTestServer({ plugins: [plugin] });
});
after(() => server.close());

const post = (path: string, body: unknown) => ask(server, "POST", path, body);

test("a create of a kind that is never stored, without a name, returns 201", async () => {
  const got = await post(`${place}/sums`, { spec: { a: 2, b: 3 } });
  assert.equal(got.status, 201, got.text);
  const { kind, apiVersion, metadata, status } = got.body;
  assert.deepEqual([kind, apiVersion, status], ["Sum", "sums.example.com/v1", { total: 5, asker: "admin" }]);
  assert.equal(metadata.name, undefined);
  assert.equal(metadata.uid, undefined);
});

test("a dry run of a kind that is never stored returns the same response, also as YAML and protobuf", async () => {
  assert.deepEqual((await post(`${place}/sums?dryRun=All`, { spec: { a: 2, b: 3 } })).body.status.total, 5);
  const accepting = (accept: string) => ask(server, "POST", `${place}/sums`, { spec: { a: 1 } }, { accept });
  assert.match((await accepting("application/yaml")).text, /^ {2}total: 1$/m);
  assert.deepEqual([...(await accepting("application/vnd.kubernetes.protobuf")).bytes.slice(0, 4)], [0x6b, 0x38, 0x73, 0]);
});

test("a kind that is never stored is validated, and unknown fields are reported", async () => {
  const refused = await post(`${place}/sums`, { spec: { a: -1 } });
  assert.equal(refused.status, 422, refused.text);
  assert.deepEqual(refused.body.details.causes, [{
    reason: "FieldValueInvalid",
    message: "Invalid value: -1: must not be negative",
    field: "spec.a",
  }]);
  assert.equal((await post(`${place}/sums?fieldValidation=Strict`, { spec: { c: 1 } })).status, 400);
  assert.equal((await post(`${place}/sums`, { spec: { c: 1 } })).headers.get("warning"), '299 - "unknown field \\"spec.c\\""');
});

test("a kind that is never stored has no other verb and no single objects", async () => {
  for (const method of ["GET", "DELETE"]) assert.equal((await ask(server, method, `${place}/sums`)).status, 405, method);
  assert.equal((await ask(server, "GET", "/apis/sums.example.com/v1/sums")).status, 404, "it cannot be listed over all namespaces");
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const { status } = await ask(server, method, `${place}/sums/one`);
    assert.ok(status === 404 || status === 405, `${method}: ${status}`);
  }
});

test("a subresource of a plugin changes its own fields only", async () => {
  assert.equal((await post(`${place}/doors`, { metadata: { name: "front" }, spec: { colour: "red" } })).status, 201);
  const put = (path: string, body: unknown) => ask(server, "PUT", path, body);
  const locked = await put(`${place}/doors/front/lock`, { metadata: { name: "front" }, spec: { colour: "blue", locked: "alice" } });
  assert.equal(locked.status, 200, locked.text);
  assert.deepEqual(locked.body.spec, { colour: "red", locked: "alice" });
  assert.deepEqual((await ask(server, "GET", `${place}/doors/front/lock`)).body.spec, { colour: "red", locked: "alice" });
  const patched = await ask(server, "PATCH", `${place}/doors/front/lock`, { spec: {} }, "application/merge-patch+json");
  assert.equal(patched.status, 405, patched.text);
});

test("unstored kinds and subresources are in discovery with their verbs and in OpenAPI with their operations", async () => {
  const { resources } = (await ask(server, "GET", "/apis/sums.example.com/v1")).body;
  const verbs = Object.fromEntries(resources.map((each: { name: string; verbs: readonly string[] }) => [each.name, each.verbs]));
  assert.deepEqual(verbs["sums"], ["create"]);
  assert.deepEqual(verbs["doors/lock"], ["get", "update"]);
  assert.equal(resources.find((each: { name: string }) => each.name === "sums").storageVersionHash, undefined);
  const { paths, components } = (await ask(server, "GET", "/openapi/v3/apis/sums.example.com/v1")).body;
  const methods = (path: string) => Object.keys(paths[path]).filter((key) => key !== "parameters").toSorted();
  const template = "/apis/sums.example.com/v1/namespaces/{namespace}";
  assert.deepEqual(methods(`${template}/sums`), ["post"]);
  assert.deepEqual(methods(`${template}/doors/{name}/lock`), ["get", "put"]);
  assert.equal(paths[`${template}/sums/{name}`], undefined);
  const schemas = Object.keys(components.schemas);
  assert.deepEqual(schemas.filter((name) => /\.Sum(List)?$/.test(name)).length, 1);
});

test("a dry run is rejected by an admission step with an effect, unless the step declares dryRun; no effect runs", async () => {
  const make = (what: string, name: string, query = "") => post(`${place}/${what}${query}`, { metadata: { name } });
  rung.length = 0;
  const careful = await make("doors", "dry", "?dryRun=All");
  assert.equal(careful.status, 201, careful.text);
  const careless = await make("bells", "dry", "?dryRun=All");
  assert.equal(careless.status, 400, careless.text);
  assert.equal(careless.body.message, 'admission step "careless" does not support dry run');
  assert.deepEqual(rung, []);
  assert.equal((await make("doors", "wet")).status, 201);
  assert.equal((await make("bells", "wet")).status, 201);
  assert.deepEqual(rung, ["careful wet", "careless wet"]);
});

test("a write that one admission step rejects has no effect in another step", async () => {
  rung.length = 0;
  const refused = await post(`${place}/bells`, { metadata: { name: "broken" } });
  assert.equal(refused.status, 403, refused.text);
  assert.equal(refused.body.message, 'bells.sums.example.com "broken" is forbidden: it is broken');
  assert.deepEqual(rung, []);
});
