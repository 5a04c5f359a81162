import assert from "node:assert/strict";
import { test } from "node:test";
import type { StructuralSchema } from "../structural-schema.ts";
import { findField } from "./field-path.ts";

const text: StructuralSchema = { type: "string" };
const root: StructuralSchema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { a: text, "x.y": text, "it's": text } },
    labels: { type: "object", additionalProperties: text },
    any: { type: "object", additionalProperties: true },
    list: { type: "array", items: text },
  },
};

test("findField() follows members and members of maps", () => {
  const path = (path: string) => {
    const found = findField(path, root);
    return typeof found === "string" ? found : `${found.path} ${found.schema?.type}`;
  };
  assert.equal(path(".spec.a"), "spec.a string");
  assert.equal(path(".spec['x.y']"), "spec.x.y string");
  assert.equal(path(".spec['it\\'s']"), "spec.it's string");
  assert.equal(path(".labels['a.b/c']"), "labels[a.b/c] string");
  assert.equal(path(".any.x"), "any[x] undefined");
  assert.equal(path(".any.x.y"), "does not refer to a valid field");
  assert.equal(path(".list.x"), "does not refer to a valid field");
  assert.equal(path(".spec.b"), "does not refer to a valid field");
  assert.equal(path("spec"), "expected [ or . but got: spec");
  assert.equal(path(".spec["), "unexpected end of JSON path");
  assert.equal(path(".spec[a]"), "expected single quoted string but got a");
  assert.equal(path(".spec['a'"), "unexpected end of JSON path");
  assert.equal(path(".spec['a'x"), "expected ] but got x");
  assert.equal(path(".spec['\\q']"), "invalid string literal: invalid escape char \\q");
  assert.equal(findField(".spec['a']", root, { brackets: false }), "array notation is not allowed");
  assert.equal(findField(".a", undefined), "does not refer to a valid field");
});
