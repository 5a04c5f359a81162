import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentObjects } from "./recent-objects.ts";
import { noteOf } from "../../../test/reads/fixture.ts";

const entry = (key: string, length = 10) => ({ key, length });

test("RecentObjects gives the object of the written entry, and of no other entry with its key", () => {
  const recent = new RecentObjects();
  const [first, second] = [entry("a"), entry("a")];
  recent.keep(first, noteOf("one"));
  assert.equal(recent.get(first)?.metadata.name, "one");
  assert.equal(recent.get(second), undefined);
  recent.keep(second, noteOf("two"));
  assert.equal(recent.get(first), undefined);
  assert.equal(recent.get(second)?.metadata.name, "two");
});

test("RecentObjects drops the least recently written object beyond its bound", () => {
  const recent = new RecentObjects(30);
  const [a, b, c, d] = [entry("a"), entry("b"), entry("c"), entry("d")];
  for (const each of [a, b, c]) recent.keep(each, noteOf(each.key));
  assert.deepEqual([a, b, c].map((each) => recent.get(each)?.metadata.name), ["a", "b", "c"]);
  // Written again: it is the most recent one, and its bytes count once.
  const again = entry("a");
  recent.keep(again, noteOf("a"));
  recent.keep(d, noteOf("d"));
  assert.deepEqual([again, b, c, d].map((each) => recent.get(each)?.metadata.name), ["a", undefined, "c", "d"]);
});

test("RecentObjects does not keep an object above its bound", () => {
  const recent = new RecentObjects(30);
  const large = entry("large", 31);
  recent.keep(large, noteOf("large"));
  assert.equal(recent.get(large), undefined);
});

test("RecentObjects forgets an entry, and no other entry with its key", () => {
  const recent = new RecentObjects();
  const [first, second] = [entry("a"), entry("a")];
  recent.keep(first, noteOf("one"));
  recent.keep(second, noteOf("two"));
  recent.forget(first);
  assert.equal(recent.get(second)?.metadata.name, "two");
  recent.forget(second);
  assert.equal(recent.get(second), undefined);
});
