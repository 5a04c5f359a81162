// `thole/testing`: settings are plain objects, and errors of hooks reach the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin, defineResource, object, type Resource } from "../plugin.ts";
import { openTestServer } from "../testing.ts";

const Part = object("Part", {}, { doc: "A part.", package: "example.com/v1" });

function pluginOf(hooks: Partial<Resource>) {
  const resource = defineResource({
    kind: "Part",
    scope: "Namespaced",
    summary: "A part.",
    storedAs: "example.com/v1",
    storedUnder: "example.com/parts",
    served: { "example.com/v1": { schema: Part, introduced: "1.0" } },
    ...hooks,
  });
  return definePlugin({ name: "parts", summary: "Parts.", resources: [resource] });
}

const url = "https://test/apis/example.com/v1/namespaces/default/parts";
const post = (name: string) =>
  new Request(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ metadata: { name } }) });
function faulty(): never {
  throw new TypeError("a mistake in a hook");
}

test("openTestServer() accepts gates and versions as plain objects", async () => {
  const settings = {
    "feature-gates": { StorageVersionMigrator: true },
    "runtime-config": { "storagemigration.k8s.io/v1beta1": true },
  };
  await using server = await openTestServer({ settings });
  const list = await server.api.list("storagemigration.k8s.io/v1beta1", "storageversionmigrations", "");
  assert.deepEqual(list.items, []);
});

test("handle() rejects with the error of a hook, with its stack", async () => {
  await using server = await openTestServer({ bare: true, plugins: [pluginOf({ prepare: faulty })] });
  await assert.rejects(server.handle(post("a")), (error: unknown) => {
    assert.ok(error instanceof TypeError);
    assert.equal(error.message, "a mistake in a hook");
    assert.match(error.stack ?? "", /\bfaulty\b[\s\S]*testing_test\.ts/);
    return true;
  });
  assert.ok(server.logged.some((line) => line.includes("a mistake in a hook")), "the log has it, too");
});

test("methods of api reject with the error of a hook, and with StatusErrors unchanged", async () => {
  await using server = await openTestServer({ bare: true, plugins: [pluginOf({ prepare: faulty })] });
  await assert.rejects(server.api.create("example.com/v1", "parts", "default", { metadata: { name: "a" } }), {
    name: "TypeError",
    message: "a mistake in a hook",
  });
  await assert.rejects(server.api.get("example.com/v1", "parts", "default", "none"), { name: "StatusError", reason: "NotFound" });
});

test("with unexpectedErrors: answer, a hook's error is the 500 that clients receive", async () => {
  await using server = await openTestServer({ bare: true, plugins: [pluginOf({ prepare: faulty })], unexpectedErrors: "answer" });
  const response = await server.handle(post("a"));
  assert.equal(response.status, 500);
  assert.match((await response.json()).message, /\(reference [0-9a-f-]{36}\)$/);
  await assert.rejects(server.api.create("example.com/v1", "parts", "default", { metadata: { name: "a" } }), { reason: "InternalError" });
});
