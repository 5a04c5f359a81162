// Large custom resources are processed by the heavy thread, which has a copy of the definitions.
// In Deno's suite only: test/heavy_test.ts has the heavy thread of both; what it answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { responseOf, statusOf, withHeavyThread } from "./heavy-server.ts";
import { until } from "./real-server.ts";
import { inlineExpressionsLengthMax } from "../plugins/shared/bounds.ts";
import { inlineBodyBytesMax } from "../kernel/request-context.ts";
import { requestStepsMax } from "../kernel/pipeline/dispatch.ts";

const group = "example.com", things = `/apis/${group}/v1/things`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schema = { openAPIV3Schema: { type: "object", properties: { text: { type: "string" } } } };
const definition = {
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
};
const text = "x".repeat(inlineBodyBytesMax + 1);
const thing = (name: string, finalizers: readonly string[] = []) => ({
  apiVersion: `${group}/v1`,
  kind: "Thing",
  metadata: { name, finalizers },
  text,
});

test(
  "definitions with long rules or patterns are validated by the heavy thread",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      const withSchema = (name: string, spec: object) => {
        const properties = { spec: { type: "object", ...spec } };
        const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } }];
        const names = { plural: name, kind: `K${name}` };
        return { metadata: { name: `${name}.${group}` }, spec: { ...definition.spec, names, versions } };
      };
      const rule = (length: number, end: string) => ({ "x-kubernetes-validations": [{ rule: `[${"1,".repeat(length / 2)}${end}` }] });
      const patterns = (count: number) => ({
        properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, { type: "string", pattern: `x{1000}${at}` }])),
      });
      const max = inlineExpressionsLengthMax;
      const url = `${definitions}?dryRun=All`;
      assert.equal(await statusOf(server, "POST", url, withSchema("as", rule(max / 2, "1] == []"))), 201);
      assert.equal(await statusOf(server, "POST", url, withSchema("bs", patterns(50))), 201);
      assert.equal(jobs(), 0);
      assert.equal(await statusOf(server, "POST", url, withSchema("cs", rule(max, "1)"))), 422);
      assert.equal(await statusOf(server, "POST", url, withSchema("ds", patterns(max / 32))), 201);
      assert.equal(jobs(), 2);
      // An update is compared with the stored definition, whose expressions are parsed, too.
      assert.equal(await statusOf(server, "POST", definitions, withSchema("es", patterns(max / 32))), 201);
      const patch = { spec: { versions: withSchema("es", {}).spec.versions } };
      await until(async () => {
        assert.equal(await statusOf(server, "PATCH", `${definitions}/es.${group}?dryRun=All`, patch), 200);
        assert.equal(jobs(), 4);
      });
    }),
);

test(
  "the heavy thread serves custom resources, and creates none while their definition is being deleted",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      assert.equal(await statusOf(server, "POST", definitions, definition), 201);
      await until(async () => assert.equal(await statusOf(server, "GET", things), 200));
      assert.equal(await statusOf(server, "POST", things, thing("a", ["example.com/hold"])), 201);
      assert.equal(jobs(), 1);
      assert.equal(await statusOf(server, "DELETE", `${definitions}/things.${group}`), 200);
      // A dry run, because the condition is not there at once.
      await until(async () => assert.equal(await statusOf(server, "POST", `${things}?dryRun=All`, thing("b")), 403));
    }),
);

test(
  "what is heavy is judged by the work of a request, and a request that exceeds its budget is refused",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      const anyOf = Array.from({ length: 500 }, () => ({ minimum: 100 }));
      const properties = {
        l: { type: "array", items: { type: "integer", anyOf } },
        d: { type: "array", items: { type: "object", properties: { text: { type: "string", default: "x".repeat(10_000) } } } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      };
      const versions = [{ ...definition.spec.versions[0], schema: { openAPIV3Schema: { type: "object", properties } } }];
      assert.equal(await statusOf(server, "POST", definitions, { ...definition, spec: { ...definition.spec, versions } }), 201);
      await until(async () => assert.equal(await statusOf(server, "GET", things), 200));
      const base = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "a" } };
      const create = (more: object) => responseOf(server, "POST", `${things}?dryRun=All`, { ...base, ...more });
      const items = <T>(count: number, item: T) => Array.from({ length: count }, () => item);

      assert.equal((await create({ l: items(2, 1) })).status, 422);
      assert.equal(jobs(), 0);
      assert.equal((await create({ l: items(200, 1) })).status, 422);
      assert.equal(jobs(), 1, "a body of 0.5 kB");
      const refused = await create({ l: items(9_000, 1) });
      assert.equal(refused.status, 413);
      const message = `Request entity too large: checking the object takes more than ${requestStepsMax} steps`;
      assert.equal(JSON.parse(String(refused.body)).message, message);
      assert.equal((await create({ d: items(1_000, {}) })).status, 413, "defaults");

      assert.equal(await statusOf(server, "POST", things, { ...base, free: { a: [] } }), 201);
      const before = jobs(), copies = items(14, { op: "copy", from: "/free/a", path: "/free/a/-" });
      const exchange = { "content-type": "application/json-patch+json" };
      assert.equal((await responseOf(server, "PATCH", `${things}/a?dryRun=All`, copies, exchange)).status, 200);
      assert.equal(jobs(), before + 1, "a patch of 1 kB");
      const more = items(30, copies[0]);
      assert.equal((await responseOf(server, "PATCH", `${things}/a?dryRun=All`, more, exchange)).status, 422);
    }),
);
