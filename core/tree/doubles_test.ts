import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "../structural/defaults.ts";
import { pruneValue } from "../structural/prune.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { isMarkedDouble } from "./doubles.ts";
import { readJson } from "./json.ts";
import { readYaml } from "./yaml.ts";
import { jsonFromTree } from "./values.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
function json(text: string): any {
  const read = readJson(bytes(text));
  assert.ok(read.ok);
  return jsonFromTree(read.tree);
}

test("integral doubles are marked in their object or list; their JSON and keys are those of integers", () => {
  const value = json('{"a":3.0,"b":3,"c":3e0,"d":3.5,"e":-0.0,"f":1e300,"l":[1,1.0]}');
  assert.deepEqual(["a", "b", "c", "d", "e", "f"].filter((key) => isMarkedDouble(value, key)), ["a", "c", "e"]);
  assert.deepEqual([0, 1].map((index) => isMarkedDouble(value.l, index)), [false, true]);
  assert.equal(JSON.stringify(value), '{"a":3,"b":3,"c":3,"d":3.5,"e":0,"f":1e+300,"l":[1,1]}');
  assert.deepEqual(Object.keys(value), ["a", "b", "c", "d", "e", "f", "l"]);
});

test("YAML has no integral doubles, as it becomes JSON first", () => {
  const read = readYaml(bytes("a: 3.0"));
  assert.ok(read.ok);
  assert.equal(isMarkedDouble(jsonFromTree(read.tree) as object, "a"), false);
});

test("marks survive pruning and defaults", () => {
  const schema: StructuralSchema = {
    type: "object",
    properties: { a: { type: "integer" }, d: { type: "integer", default: 1 }, list: { type: "array", items: { type: "number" } } },
  };
  const value = withDefaults(
    pruneValue(json('{"z":1,"a":3.0,"list":[2,2.0]}'), schema, { metadata: (metadata) => metadata }),
    schema,
  ) as any;
  assert.deepEqual(Object.keys(value), ["a", "d", "list"]);
  assert.deepEqual([isMarkedDouble(value, "a"), isMarkedDouble(value, "d"), isMarkedDouble(value.list, 1)], [true, false, true]);
});
