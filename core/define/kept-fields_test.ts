import assert from "node:assert/strict";
import { test } from "node:test";
import { field, int64, list, string, struct } from "../schema.ts";
import { keptFields } from "./kept-fields.ts";

const Spec = struct("Spec", {
  name: field(1, string, "Name."),
  tier: field(2, string, "Tier."),
  sizes: field(3, list(int64), "Sizes."),
});
const key = "example.com/v1-spec";
const kept = keptFields(key, Spec, ["tier", "sizes"]);
const metadata = { name: "a", annotations: { mine: "x" } };

test("show() and take() return the same fields and metadata", () => {
  for (const fields of [{ tier: "gold" }, { sizes: [1, 2n ** 53n + 1n] }, { tier: '"{<é', sizes: [0] }]) {
    const shown = kept.show(metadata, fields);
    assert.deepEqual(kept.take(shown), { fields, metadata });
  }
  assert.equal(kept.show(metadata, { tier: "gold" }).annotations![key], '{"tier":"gold"}');
  assert.deepEqual(kept.take(kept.show({ name: "a" }, { tier: "gold" })), { fields: { tier: "gold" }, metadata: { name: "a" } });
});

test("absent and empty fields need no annotation", () => {
  for (const fields of [{}, { tier: undefined }, { tier: "" }, { sizes: [] }]) assert.equal(kept.show(metadata, fields), metadata);
  assert.deepEqual(kept.take(metadata), { fields: {}, metadata });
});

test("a field that equals its default needs no annotation, unless a gate may keep the default from being applied", () => {
  const Gated = struct("Gated", {
    replicas: field(1, int64, "Replicas.", { default: 1 }),
    mode: field(2, string, "Mode.", { unpublishedDefault: "Fast" }),
    beta: field(3, string, "Beta.", { unpublishedDefault: "On", gate: "Beta" }),
  });
  const defaulted = keptFields(key, Gated, ["replicas", "mode", "beta"]);
  assert.equal(defaulted.show(metadata, { replicas: 1, mode: "Fast" }), metadata);
  const shown = (fields: Parameters<typeof defaulted.show>[1]) => defaulted.show(metadata, fields).annotations![key];
  assert.equal(shown({ replicas: 0, mode: "Fast" }), '{"replicas":0}');
  assert.equal(shown({ replicas: 1, mode: "" }), '{"mode":""}');
  assert.equal(shown({ beta: "On" }), '{"beta":"On"}');
});

test("what a client writes into the annotation is decoded by the schema, or dropped", () => {
  const taken = (text: string) => kept.take({ ...metadata, annotations: { ...metadata.annotations, [key]: text } });
  for (const text of ["", "{", "[]", '"a"', '{"tier": 1}', '{"sizes": "a"}', `{"sizes": [${"[".repeat(20_000)}`]) {
    assert.deepEqual(taken(text), { fields: {}, metadata }, text.slice(0, 20));
  }
  assert.deepEqual(taken('{"name": "other", "tier": "gold", "constructor": 1, "__proto__": {"x": 1}}'), {
    fields: { tier: "gold" },
    metadata,
  });
});
