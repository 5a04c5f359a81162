import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../../kernel/catalog/catalog.ts";
import { SharedValues, sharedValuesBytesMax } from "./shared-values.ts";

const things = {} as Endpoint, others = {} as Endpoint; // Their identity is all that counts.
const made = (value: string) => () => ({ value });
const bytes: readonly Uint8Array[] = [new Uint8Array(8)];
const item = (key: string, revision: number, size = 100, pieces = bytes) => ({ key, revision, size, pieces });

test("SharedValues.of() makes one value for each form and revision of an object", () => {
  const values = new SharedValues();
  const first = values.of(things, "object", item("/a", 7), made("first"));
  assert.equal(values.of(things, "object", item("/a", 7), () => assert.fail("it is kept")), first);
  for (
    const [endpoint, form, key, revision] of [
      [things, "PartialObjectMetadata", "/a", 7],
      [things, "object", "/b", 7],
      [things, "object", "/a", 8],
      [others, "object", "/a", 7],
    ] as const
  ) assert.notEqual(values.of(endpoint, form, item(key, revision), made("another")), first);
});

test("SharedValues.of() makes another value for other bytes: a fork has another object of the same key and revision", () => {
  const values = new SharedValues(), [own] = bytes;
  const value = (piece: Uint8Array) => values.of(things, "object", item("/a", 7, 100, [piece]), made("one"));
  const first = value(own!);
  assert.equal(value(new Uint8Array(own!.buffer, 0, 4)), first);
  assert.notEqual(value(own!.subarray(4)), first);
  assert.notEqual(value(own!.slice()), first);
});

test("SharedValues.of() does not keep the value of an object that was not stored", () => {
  const values = new SharedValues();
  const unsaved = () => values.of(things, "object", item("/a", 0), made("dry run"));
  assert.notEqual(unsaved(), unsaved());
});

test("SharedValues drops its values when their objects have more bytes than the bound", () => {
  const values = new SharedValues();
  const value = (key: string, size: number) => values.of(things, "object", item(key, 1, size), made(key));
  const small = value("/a", 1), large = value("/b", sharedValuesBytesMax - 1);
  assert.equal(value("/a", 1), small);
  assert.equal(value("/b", sharedValuesBytesMax - 1), large);
  value("/c", 1);
  assert.notEqual(value("/a", 1), small);
});
