// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";

const pods = "/api/v1/namespaces/default/pods";
const bind = (name: string, target: object) => ({ metadata: { name }, target });

test("a binding is checked before its pod is read, and owns no fields of the pod", async () => {
  await using server = await openTestServer({ settings: { "disable-admission-plugins": ["ServiceAccount"] } });
  const unnamed = await ask(server, "POST", `${pods}/away/binding`, bind("", { name: "one" }));
  assert.deepEqual([unnamed.status, unnamed.body.message], [400, "name in URL does not match name in Binding object"]);
  const wrong = await ask(server, "POST", `${pods}/away/binding`, bind("away", { kind: "Minion", name: "one" }));
  assert.deepEqual([wrong.status, wrong.body.message], [
    500,
    'target.kind: Unsupported value: "Minion": supported values: "Node", "<empty>"',
  ]);
  assert.equal((await ask(server, "POST", `${pods}/away/binding`, bind("away", { name: "one" }))).status, 404);

  const made = await ask(server, "POST", pods, {
    metadata: { name: "a" },
    spec: { containers: [{ name: "c", image: "registry.example.com/a" }] },
  });
  assert.equal(made.status, 201, made.text);
  assert.equal((await ask(server, "POST", `${pods}/a/binding`, bind("a", { name: "one" }))).status, 201);
  const { body: found } = await ask(server, "GET", `${pods}/a`);
  assert.equal(found.spec.nodeName, "one");
  assert.deepEqual(found.metadata.managedFields, made.body.metadata.managedFields);
});

test("bindings take the name of the pod from the body: its absence is found after the target, and a uid is no precondition there", async () => {
  await using server = await openTestServer({ settings: { "disable-admission-plugins": ["ServiceAccount"] } });
  const bindings = "/api/v1/namespaces/default/bindings", target = { name: "one" };
  const post = async (path: string, body: object) => {
    const { status, body: { message = "" } } = await ask(server, "POST", path, body);
    return `${status} ${message}`.split(":")[0]!.trim();
  };
  assert.equal(await post(bindings, { metadata: {} }), "500 target.name");
  assert.equal(await post(bindings, { metadata: {}, target }), "400 Name parameter required.");
  assert.equal(await post(bindings, { metadata: { generateName: "a" }, target }), "400 Name parameter required.");
  assert.equal(await post(bindings, { metadata: { name: "away" }, target }), '404 pods "away" not found');
  for (const name of ["a", "b"]) {
    await ask(server, "POST", pods, { metadata: { name }, spec: { containers: [{ name: "c", image: "registry.example.com/a" }] } });
  }
  const other = { metadata: { name: "a", uid: "other" }, target };
  assert.equal(await post(`${pods}/a/binding`, other), '409 Operation cannot be fulfilled on pods "a"');
  assert.equal(
    await post(bindings, { metadata: { name: "a", resourceVersion: "1" }, target }),
    '409 Operation cannot be fulfilled on pods "a"',
  );
  assert.equal(await post(bindings, other), "201");
});
