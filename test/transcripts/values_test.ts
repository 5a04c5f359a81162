import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, NumberAsWritten, parseJson } from "./recording.ts";
import { cut, differences, dig, dump, fill, fillString, ownersInOneSecond, same, without } from "./values.ts";

test("parseJson() and dump() keep the text of numbers", () => {
  const text = '{"a": 15.0, "b": 9223372036854775808, "c": 1e5, "d": 7, "e": -0.5}';
  assert.equal(dump(parseJson(text)), text);
});

test("dump() writes ASCII with spaces, as in the recorded requests", () => {
  assert.equal(
    dump({ a: ["é", "😀", "\u0001\u007f"], b: null, c: true }),
    '{"a": ["\\u00e9", "\\ud83d\\ude00", "\\u0001\x7f"], "b": null, "c": true}',
  );
});

test("differences() compares numbers by value, to the last digit", () => {
  assert.deepEqual(differences(new NumberAsWritten("15.0"), 15), []);
  assert.equal(differences(new NumberAsWritten("9223372036854775807"), new NumberAsWritten("9223372036854775808")).length, 1);
  assert.equal(differences(1, "1").length, 1);
  assert.equal(differences(1, true).length, 1);
});

test("differences() reports each location; keys in any order, lists in theirs", () => {
  assert.deepEqual(differences({ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }), []);
  assert.deepEqual(differences({ a: 1, b: [1, 2] }, { b: [2, 1], c: 3 }), [
    ".a: missing, want 1",
    ".b[0]: want 1 got 2",
    ".b[1]: want 2 got 1",
    ".c: unexpected 3",
  ]);
  assert.deepEqual(differences([1], [1, 2]), [": want 1 items, got 2: want [1] got [1, 2]"]);
  assert.equal(same({}, []), false);
  assert.equal(differences({}, { toString: 1 }).length, 1, "inherited keys are not there");
});

test("dig() follows objects and lists; a dot within a key is escaped", () => {
  const value: Json = { a: [{ "b.c": 1 }], n: null };
  assert.equal(dig(value, "a.0.b\\_c"), 1);
  assert.equal(dig(value, "a.1.b"), null);
  assert.equal(dig(value, "a.0.constructor"), null);
  assert.equal(dig(value, "n.x"), null);
  assert.equal(dig(value, ""), value);
});

test("cut() and without() keep the rest", () => {
  assert.deepEqual(cut({ a: { b: 1, c: 2 }, d: 3 }, ["a", "b"]), { a: { c: 2 }, d: 3 });
  assert.deepEqual(cut({ a: [{ b: 1 }, { b: 2 }] }, ["a", "1", "b"]), { a: [{ b: 1 }, {}] });
  assert.deepEqual(cut({ a: 1 }, ["b", "c"]), { a: 1 });
  assert.deepEqual(without({ a: [{ m: 1, x: 2 }], m: 3 }, ["m"]), { a: [{ x: 2 }] });
});

test("fill() keeps the type of a single name, and writes it within text", () => {
  const names = new Map<string, Json>([["n", 3], ["o", { a: 1 }], ["s", "x"], ["z", null]]);
  assert.deepEqual(fill({ "${s}": "${n}", b: ["v${n}", "${o}", "${gone}"] }, names), { x: 3, b: ["v3", { a: 1 }, "${gone}"] });
  assert.equal(fillString("/a/${s}?z=${z}", names), "/a/x?z=None");
});

test("ownersInOneSecond() orders entries of one operation by their managers, and keeps the order of operations", () => {
  const entry = (operation: string, manager: string, subresource?: string) => ({
    operation,
    manager,
    ...(subresource === undefined ? {} : { subresource }),
  });
  const object = (...managedFields: Json[]) => ({
    metadata: { managedFields },
    "metadata.managedFields": managedFields,
    items: [{ managedFields }],
  });
  const ordered = object(entry("Apply", "z"), entry("Update", "a"), entry("Update", "a", "status"), entry("Update", "b"));
  const late = object(entry("Apply", "z"), entry("Update", "b"), entry("Update", "a", "status"), entry("Update", "a"));
  assert.deepEqual(differences(ownersInOneSecond(ordered), ownersInOneSecond(late)), []);
  assert.notEqual(differences(ordered, late).length, 0);
  const wrong = object(entry("Update", "a"), entry("Apply", "z"), entry("Update", "a", "status"), entry("Update", "b"));
  assert.notEqual(differences(ownersInOneSecond(ordered), ownersInOneSecond(wrong)).length, 0);
  assert.notEqual(differences(ownersInOneSecond(ordered), ownersInOneSecond(object(entry("Apply", "z")))).length, 0);
});
