import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointOf, noteOf } from "../cache/testing/fixture.ts";
import { Item, storedBytes, withRevision } from "./objects.ts";

const { stored } = endpointOf("notes");
const object = noteOf("a", { labels: { b: "2", a: "1" }, data: { k: '"<\\u2028' }, mood: "sad" });

test("Item.written() has the JSON of the object with its resourceVersion", () => {
  const value = storedBytes(stored, object);
  const item = Item.written(stored, { key: "k", value, revision: 7 }, object);
  assert.equal(item.text, stored.encode(withRevision(object, 7)));
  assert.equal(Buffer.concat(item.pieces).toString(), item.text);
  assert.deepEqual(item.object, withRevision(object, 7));
  assert.equal(item.stored[0], value);
});

test("Item.written() has the revision of the entry, for any resourceVersion of the object", () => {
  const sent = withRevision(object, 3);
  const item = Item.written(stored, { key: "k", value: storedBytes(stored, sent), revision: 7 }, sent);
  assert.equal(item.text, stored.encode(withRevision(object, 7)));
  assert.equal(item.object.metadata.resourceVersion, "7");
});

test("Item.written() has the same JSON for an object stored in CBOR", () => {
  const value = storedBytes(stored, object, "cbor");
  const item = Item.written(stored, { key: "k", value, revision: 7 }, object);
  assert.equal(item.text, stored.encode(withRevision(object, 7)));
  assert.equal(item.stored[0], value);
});
