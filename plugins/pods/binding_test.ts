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
