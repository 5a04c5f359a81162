import assert from "node:assert/strict";
import { test } from "node:test";
import { concat } from "../../objects/chunks.ts";
import { storedBytes, withRevision } from "../../objects/objects.ts";
import { entryMaker, itemOf, makeEntry } from "./entry.ts";
import { RecentObjects } from "./recent-objects.ts";
import { Slabs } from "./slabs.ts";
import { catalog, endpointOf, noteOf } from "../../../test/reads/fixture.ts";
import { attributesReader } from "./attributes.ts";

const { stored } = endpointOf("notes");
const maker = entryMaker(stored, new Slabs(), new RecentObjects(), attributesReader(stored, catalog));
const object = noteOf("a", { labels: { b: "2", a: "1" }, data: { k: '"\\u2028' }, mood: "sad" });

test("makeEntry() of bytes that this server encoded equals the entry of decoding them", () => {
  const own = makeEntry(maker, "k", 7, storedBytes(stored, object));
  const copied = makeEntry(maker, "k", 7, storedBytes(stored, object).slice());
  const expected = stored.encode(withRevision(object, 7));
  assert.equal(itemOf(maker, own).text, expected);
  assert.equal(itemOf(maker, copied).text, expected);
  assert.equal(own.attributes, copied.attributes);
  assert.deepEqual(own.attributes, { labels: { b: "2", a: "1" }, fields: { "v1 mood": "sad" }, ownership: "" });
});

test("makeEntry() decodes its own bytes of an object without defaults", () => {
  const { mood: _, ...bare } = object as typeof object & { mood: string };
  const entry = makeEntry(maker, "k", 7, storedBytes(stored, bare as typeof object));
  assert.equal(itemOf(maker, entry).text, stored.encode(withRevision({ ...bare, mood: "plain" } as typeof object, 7)));
  assert.deepEqual(entry.attributes.fields, { "v1 mood": "plain" });
});

test("an entry gives the stored bytes if they equal what would be stored now, and only then", () => {
  const bytes = storedBytes(stored, object);
  const reordered = new TextEncoder().encode(
    `${JSON.stringify({ ...JSON.parse(new TextDecoder().decode(bytes)), kind: "Note" }, null, 1)}\n`,
  );
  for (const [value, expected] of [[bytes, true], [bytes.slice(), true], [reordered, false], [bytes.slice(0, -1), false]] as const) {
    const entry = makeEntry(maker, "k", 7, value);
    assert.equal(entry.asStored, expected);
    if (expected) assert.deepEqual(concat(itemOf(maker, entry).stored), bytes.slice());
  }
});

test("itemOf() shows an entry with a later revision", () => {
  const entry = makeEntry(maker, "k", 7, storedBytes(stored, object));
  const item = itemOf(maker, entry, 123456);
  assert.equal(item.revision, 123456);
  assert.equal(item.text, stored.encode(withRevision(object, 123456)));
  assert.deepEqual(item.object, withRevision(object, 123456));
});

test("itemOf() gives an object that a reader asked to keep without decoding it again, until its entry is dropped", () => {
  const fixture = entryMaker(stored, new Slabs(), new RecentObjects(), attributesReader(stored, catalog));
  const entry = makeEntry(fixture, "k", 7, storedBytes(stored, object).slice());
  assert.notEqual(itemOf(fixture, entry).object, itemOf(fixture, entry).object);
  const { kept } = itemOf(fixture, entry);
  assert.equal(itemOf(fixture, entry).object, kept);
  fixture.recent.forget(entry);
  fixture.slabs.release(entry);
  assert.deepEqual(itemOf(fixture, entry).kept, kept);
  assert.notEqual(itemOf(fixture, entry).object, kept, "a dropped entry keeps nothing");
});

test("itemOf() gives the written object without decoding it while its entry is kept", () => {
  const fixture = entryMaker(stored, new Slabs(), new RecentObjects(), attributesReader(stored, catalog));
  const entry = makeEntry(fixture, "k", 7, storedBytes(stored, object));
  assert.equal(itemOf(fixture, entry).object.metadata.labels, object.metadata.labels);
  assert.deepEqual(itemOf(fixture, entry).object, withRevision(object, 7));
  const foreign = makeEntry(fixture, "k", 8, storedBytes(stored, object).slice());
  assert.notEqual(itemOf(fixture, foreign).object.metadata.labels, object.metadata.labels);
  assert.deepEqual(itemOf(fixture, foreign).object, withRevision(object, 8));
});

test("makeEntry() rejects bytes that cannot be decoded, with their key", () => {
  assert.throws(() => makeEntry(maker, "/k/a", 7, new TextEncoder().encode("{}}")), /"\/k\/a" cannot be read/);
  assert.throws(() => makeEntry(maker, "/k/a", 7, new Uint8Array()), /"\/k\/a" cannot be read/);
});

test("objects without labels and selectable fields share one set of attributes", () => {
  const { stored } = endpointOf("shelves");
  const maker = entryMaker(stored, new Slabs(), new RecentObjects(), attributesReader(stored, catalog));
  const make = (name: string) => makeEntry(maker, name, 1, storedBytes(stored, noteOf(name, { plural: "shelves" })));
  assert.equal(make("a").attributes, make("b").attributes);
});
