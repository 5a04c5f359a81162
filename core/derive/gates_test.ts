import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, field, list, record, string, struct } from "../schema.ts";
import { dropDisabled } from "./gates.ts";

const Inner = struct("Inner", { name: field(1, string, "Name."), extra: field(2, boolean, "Extra.", { pointer: true, gate: "Extra" }) });
const Outer = struct("Outer", {
  inner: field(1, Inner, "One."),
  all: field(2, list(Inner), "More.", { gate: "All" }),
  byKey: field(3, record(Inner), "By key."),
  word: field(4, string, "Word.", { gate: "All" }),
});
const drop = dropDisabled(Outer);
const on = () => true, off = () => false;
const Plain = struct("Plain", { name: field(1, string, "Name.") });

test("dropDisabled() drops new gated fields at any depth while their gate is off", () => {
  const next = { inner: { name: "a", extra: false }, all: [{ name: "b" }], byKey: { k: { extra: true } }, word: "w" };
  assert.equal(drop(next, undefined, on), next);
  assert.deepEqual(drop(next, undefined, off), { inner: { name: "a" }, byKey: { k: {} } });
  assert.deepEqual(drop(next, { inner: {} }, (gate) => gate === "All"), {
    inner: { name: "a" },
    all: [{ name: "b" }],
    byKey: { k: {} },
    word: "w",
  });
});

test("dropDisabled() keeps stored fields; in lists if any element has them", () => {
  const next = { inner: { extra: true }, all: [{ extra: true }, { name: "new", extra: false }], word: "other" };
  const prior = { inner: { extra: false }, all: [{ name: "x" }, { extra: true }], word: "w" };
  assert.equal(drop(next, prior, off), next);
  assert.deepEqual(drop(next, { inner: {}, all: [{ name: "x" }], word: "" }, off), { inner: {}, all: [{}, { name: "new" }] });
  assert.deepEqual(drop({ inner: {}, all: [] }, { inner: {}, all: [] }, off), { inner: {} });
});

test("dropDisabled() returns the same object for a schema without gated fields", () => {
  const next = { inner: { name: "a" } };
  assert.equal(drop(next, undefined, off), next);
  const plain = { name: "a" };
  assert.equal(dropDisabled(Plain)(plain, undefined, () => assert.fail("unexpected check of a gate")), plain);
});
