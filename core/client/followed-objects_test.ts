import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../meta/object-meta.ts";
import { FollowedObjects } from "./followed-objects.ts";

const object = (name: string, uid: string, namespace = "") =>
  ({ metadata: { name, uid, ...(namespace === "" ? {} : { namespace }) } }) as ApiObject;

function list(objects: FollowedObjects, ...present: readonly ApiObject[]): readonly ApiObject[] {
  objects.beginList();
  const replaced = present.flatMap((each) => objects.listed(each) ?? []);
  return [...replaced, ...objects.endList()];
}

test("FollowedObjects returns deleted objects after a gap, and replaced ones", () => {
  const objects = new FollowedObjects();
  assert.deepEqual(list(objects, object("a", "1"), object("b", "2", "ns"), object("c", "3")), []);
  objects.changed("ADDED", object("d", "4"));
  objects.changed("MODIFIED", object("a", "1"));
  objects.changed("DELETED", object("c", "3"));
  assert.deepEqual(list(objects, object("a", "9"), object("e", "5")), [object("a", "1"), object("b", "2", "ns"), object("d", "4")]);
  assert.deepEqual(list(objects, object("a", "9"), object("e", "5")), []);
});

test("FollowedObjects includes the objects of a list that did not end", () => {
  const objects = new FollowedObjects();
  objects.beginList();
  objects.listed(object("a", "1"));
  assert.deepEqual(list(objects, object("b", "2")), [object("a", "1")]);
});
