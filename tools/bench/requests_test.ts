import assert from "node:assert/strict";
import { test } from "node:test";
import { filler, templateOf } from "./requests.ts";

const path = "/api/v1/namespaces/few/configmaps";

test("filler() fills the places of path and body by the number of the request", () => {
  const fill = filler({ method: "PUT", path: "/<object>?m=<applier>", type: "", body: '"<number>","<padded>"' }, 10);
  assert.deepEqual(fill(3), { path: "/cm-00007?m=0", body: '"3","00003"' });
  assert.deepEqual(fill(25), { path: "/cm-00005?m=2", body: '"25","00025"' });
});

test("templateOf() names an object in the path of an update and a new one in the body of a create", () => {
  const update = templateOf({ kind: "update", path, run: "r" }), create = templateOf({ kind: "create", path, run: "r" });
  assert.equal(update.path, `${path}/<object>`);
  assert.equal(JSON.parse(filler(update, 100)(1).body).metadata.name, "cm-00019");
  assert.equal(create.path, path);
  assert.equal(JSON.parse(filler(create, 100)(1).body).metadata.name, "new-r-1");
});

test("templateOf() updates the status of a Pod, as nothing else of it can change", () => {
  const pods = "/api/v1/namespaces/pods/pods";
  const update = templateOf({ kind: "update", path: pods, run: "r", written: "Pod" }),
    patch = templateOf({ kind: "pod status", path: pods, run: "r" });
  assert.deepEqual([update.path, patch.path], [`${pods}/<object>/status`, `${pods}/<object>/status`]);
  assert.deepEqual(JSON.parse(filler(update, 100)(1).body).metadata.annotations, { n: "1-r" });
  assert.equal(JSON.parse(filler(patch, 100)(1).body).status.message, "1-r");
});

test("templateOf() gives each field manager of an apply fields of its own", () => {
  const fill = filler(templateOf({ kind: "apply", path, run: "r" }), 2);
  assert.equal(fill(2).path, `${path}/cm-00000?fieldManager=applier-1`);
  assert.deepEqual(Object.keys(JSON.parse(fill(2).body).data), ["m1", "v1"]);
});
