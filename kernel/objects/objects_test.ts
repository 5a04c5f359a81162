import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointOf, noteOf } from "../cache/testing/fixture.ts";
import { Item, storedBytes, withRevision } from "./objects.ts";

const { stored } = endpointOf("notes");
const object = noteOf("a", { labels: { b: "2", a: "1" }, data: { k: '"<\\u2028' }, mood: "sad" });

test("Item.written() shows what encoding the object with its resourceVersion would", () => {
  const value = storedBytes(stored, object);
  const item = Item.written(stored, { key: "k", value, revision: 7 }, object);
  assert.equal(item.text, stored.encode(withRevision(object, 7)));
  assert.equal(Buffer.concat(item.pieces).toString(), item.text);
  assert.deepEqual(item.object, withRevision(object, 7));
  assert.equal(item.stored[0], value);
});

test("Item.written() shows the version of the store, whatever the object says", () => {
  const sent = withRevision(object, 3);
  const item = Item.written(stored, { key: "k", value: storedBytes(stored, sent), revision: 7 }, sent);
  assert.equal(item.text, stored.encode(withRevision(object, 7)));
  assert.equal(item.object.metadata.resourceVersion, "7");
});

test("Item.written() of what is stored in CBOR shows the same", () => {
  const value = storedBytes(stored, object, "cbor");
  const item = Item.written(stored, { key: "k", value, revision: 7 }, object);
  assert.equal(item.text, stored.encode(withRevision(object, 7)));
  assert.equal(item.stored[0], value);
});
