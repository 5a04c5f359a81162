import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, OwnerGraph } from "./owner-graph.ts";

function node(uid: string, owners: readonly string[] = []): Node {
  return {
    uid,
    groupVersion: "v1",
    resource: "configmaps",
    namespace: "a",
    name: uid,
    owners: owners.map((owner) => ({ apiVersion: "v1", kind: "ConfigMap", name: owner, uid: owner })),
    finalizers: [],
    deleting: false,
  };
}

test("OwnerGraph finds dependents in any order of put()", () => {
  const graph = new OwnerGraph();
  graph.put(node("child", ["owner"]));
  assert.deepEqual(graph.dependentsOf("owner").map(({ uid }) => uid), ["child"]);
  graph.put(node("owner"));
  graph.put(node("other", ["owner", "child"]));
  assert.deepEqual(graph.dependentsOf("owner").map(({ uid }) => uid), ["child", "other"]);
});

test("OwnerGraph drops removed references and removed objects", () => {
  const graph = new OwnerGraph();
  graph.put(node("child", ["owner", "second"]));
  graph.put(node("child", ["second"]));
  graph.put(node("child", ["second"]));
  assert.deepEqual(graph.dependentsOf("owner"), []);
  assert.equal(graph.dependentsOf("second").length, 1);
  graph.remove("child");
  graph.remove("child");
  assert.deepEqual(graph.dependentsOf("second"), []);
  assert.equal(graph.get("child"), undefined);
});

test("OwnerGraph keeps the dependents of a removed owner, because they must be collected", () => {
  const graph = new OwnerGraph();
  graph.put(node("owner"));
  graph.put(node("child", ["owner"]));
  graph.remove("owner");
  assert.deepEqual(graph.dependentsOf("owner").map(({ uid }) => uid), ["child"]);
});
