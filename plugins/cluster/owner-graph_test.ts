import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, OwnerGraph, sameGroup } from "./owner-graph.ts";

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

test("OwnerGraph keeps no object without owners, finalizers and deletion timestamp", () => {
  const graph = new OwnerGraph();
  graph.put(node("plain"));
  assert.equal(graph.get("plain"), undefined);
  for (const more of [{ finalizers: ["example.com/keep"] }, { deleting: true }]) {
    graph.put({ ...node("plain"), ...more });
    assert.equal(graph.get("plain")?.uid, "plain");
    graph.put(node("plain"));
    assert.equal(graph.get("plain"), undefined);
  }
  graph.put(node("child", ["owner"]));
  graph.put(node("child"));
  assert.deepEqual(graph.dependentsOf("owner"), []);
});

test("OwnerGraph finds the dependents of a kind in any version of its group", () => {
  const graph = new OwnerGraph();
  graph.put(node("child", ["owner"]));
  graph.put({ ...node("other"), owners: [{ apiVersion: "example.com/v1", kind: "ConfigMap", name: "o", uid: "o" }] });
  const found = (groupVersion: string, kind: string) => graph.dependentsOfKind(groupVersion, kind).map(({ uid }) => uid);
  assert.deepEqual(found("v1", "ConfigMap"), ["child"]);
  assert.deepEqual(found("example.com/v2", "ConfigMap"), ["other"]);
  assert.deepEqual(found("example.com/v1", "Secret"), []);
  assert.ok(!sameGroup("v1", "example.com/v1"));
});
