// In Deno's suite only: documents are texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregatedResources, documentIn, listedResources, specIn } from "./remote-discovery.ts";

const kind = { group: "", version: "", kind: "Thing" };
const thing = { resource: "things", responseKind: kind, scope: "Namespaced", singularResource: "thing", verbs: ["get"] };
const groups = (resource: unknown) =>
  JSON.stringify({ items: [{ metadata: { name: "g" }, versions: [{ version: "v1", resources: [resource] }] }] });

test("aggregatedResources() reads the resources of each version", () => {
  const status = { subresource: "status", responseKind: kind, verbs: ["get"] };
  const whole = { ...thing, shortNames: ["t"], categories: ["all"], subresources: [status] };
  assert.deepEqual([...aggregatedResources(groups({ ...whole, unknown: 1 }))], [["g/v1", [whole]]]);
  const { responseKind: _, ...without } = thing;
  assert.deepEqual(aggregatedResources(groups(without)).get("g/v1"), [{ ...thing, responseKind: { ...kind, kind: "" } }]);
  assert.deepEqual([...aggregatedResources("{}")], []);
});

test("aggregatedResources() throws for nonsense", () => {
  const wrong = [
    { ...thing, resource: 5 },
    { ...thing, scope: "Everywhere" },
    { ...thing, verbs: [{}] },
    { ...thing, subresources: {} },
    "things",
  ];
  for (const each of wrong) assert.throws(() => aggregatedResources(groups(each)), JSON.stringify(each));
  for (const text of ["", "[]", "5", '{"items":{}}', "<html>"]) assert.throws(() => aggregatedResources(text), text);
});

test("listedResources() joins resources with their subresources", () => {
  const own = { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get"], shortNames: ["t"] };
  const text = JSON.stringify({
    resources: [own, { name: "things/scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: ["get"] }],
  });
  const scale = { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" }, verbs: ["get"] };
  assert.deepEqual(listedResources(text), [{ ...thing, shortNames: ["t"], subresources: [scale] }]);
  assert.throws(() => listedResources('{"resources":[{}]}'));
});

test("documents of other servers that would take seconds are refused", () => {
  for (const text of [`{"a":${"[".repeat(64)}${"]".repeat(64)}}`, `"${"x".repeat(4 * 1024 * 1024 - 1)}"`]) {
    assert.throws(() => documentIn(text), /nested parts|longer than/);
  }
  assert.throws(() => specIn("[".repeat(513)), /nested parts/);
  assert.notEqual(specIn(`${"[".repeat(512)}${"]".repeat(512)}`), undefined);
  const fine = [
    `${"[".repeat(64)}${"]".repeat(64)}`,
    `"${"x".repeat(4 * 1024 * 1024 - 2)}"`,
    `["${"[".repeat(100)}\\"${"{".repeat(100)}"]`,
  ];
  for (const text of fine) assert.notEqual(documentIn(text), undefined);
});

test("listedResources() takes time in proportion to the list", () => {
  const each = (name: string) => ({ name, kind: "Thing", verbs: [] }), count = 50_000;
  const resources = Array.from({ length: count }, (_, index) => each(index % 2 === 0 ? `t${index}` : `t${index - 1}/status`));
  const listed = listedResources(JSON.stringify({ resources }));
  assert.equal(listed.length, count / 2);
  assert.equal(listed.at(-1)!.subresources?.[0]?.subresource, "status");
});
