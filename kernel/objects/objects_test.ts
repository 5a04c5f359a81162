import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointOf, noteOf } from "../../test/reads/fixture.ts";
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

/** An item whose JSON is in two pieces, as the cache keeps it. */
function cachedItem(text: string): Item {
  const [head, body] = [stored.headBytes, new TextEncoder().encode(text.slice(stored.head.length))];
  return Item.served(stored, "k", 7, { pieces: () => [head, body] });
}

test("Item.shortLived equals the object, for canonical JSON and for other texts", () => {
  const managed = { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", time: "2024-01-02T03:04:05Z" };
  for (const data of [{ k: '"<\\' }, { "10": "a", "2": "b", __proto__x: "" }, { k: "\u00e9\u2028" }] as const) {
    const whole = noteOf("a", { labels: { a: "1" }, data, mood: "sad" });
    const metadata = { ...whole.metadata, managedFields: [{ ...managed, fieldsV1: { "f:data": { ".": {}, "f:k": {} } } }] };
    const text = stored.encode(withRevision({ ...whole, metadata } as typeof whole, 7));
    assert.deepEqual(cachedItem(text).shortLived, cachedItem(text).object);
  }
});

test("Item.shortLived decodes JSON that is not canonical", () => {
  const text = stored.encode(withRevision(object, 7)).replace('"labels":{', '"labels":{"z":"9",');
  assert.equal(cachedItem(text).shortLived.metadata.labels?.["z"], "9");
  assert.throws(() => cachedItem(text.replace('"name":"a"', '"name":1')).shortLived, /cannot be read/);
});
