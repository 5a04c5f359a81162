import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { openHeap } from "../../../server/heavy/heap.ts";
import { catalog, endpointOf, noteOf } from "../../../test/reads/fixture.ts";
import { attributesReader } from "./attributes.ts";

const reader = () => attributesReader(endpointOf("notes").stored, catalog);

test("attributesReader() shares the attributes of objects with the same labels, in any order", () => {
  const { of } = reader(), note = (labels: Readonly<Record<string, string>>) => ({ ...noteOf("a"), metadata: { name: "a", labels } });
  assert.equal(of(note({ a: "1", b: "2" })), of(note({ b: "2", a: "1" })));
  assert.notEqual(of(note({ a: "1" })), of(note({ a: "2" })));
  assert.deepEqual(of(note({ "__proto__x": "1" })).labels, { "__proto__x": "1" });
});

test("attributesReader() keeps no document in memory out of which labels were cut", () => {
  const { of } = reader(), heap = openHeap(), kept: unknown[] = [];
  const bytes = () => {
    heap.collect();
    return process.memoryUsage().heapUsed;
  };
  const filler = "x".repeat(200_000), before = bytes();
  for (let i = 0; i < 100; i++) {
    const text = `{"metadata":{"name":"a","labels":{"label":"the value of object ${i}"},"annotations":{"a":"${i}${filler}"}}}`;
    // As the reader of bodies does: a member is a slice of the document.
    const at = text.indexOf("the value"), label = text.slice(at, text.indexOf('"', at));
    kept.push(of({ ...noteOf("a"), metadata: { name: "a", labels: { label } } }));
  }
  assert.equal(kept.length, 100);
  const grown = bytes() - before;
  assert.ok(grown < 2_000_000, `${grown} bytes`);
});
