import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin, DefinitionError } from "./define.ts";
import { releasedElements } from "./released.ts";
import { object } from "../meta/object.ts";
import type { ReleasedElements } from "../released.ts";
import type { Plugin, Served } from "../plugin.ts";
import { field, int32, lazy, list, oneOf, record, string, struct, type Typed } from "../schema.ts";

const Part = struct("Part", { name: field(1, string, "Its name.", { required: true }), size: field(2, int32, "Its size.") });
const spec = {
  color: field(1, oneOf("red", "blue"), "Its color."),
  parts: field(2, list(Part), "Its parts."),
  labels: field(3, record(string), "Its labels."),
};
const thing = (fields: Parameters<typeof struct>[1]) =>
  object("Thing", { spec: field(2, struct("ThingSpec", fields), "What is wanted."), status: field(3, Part, "What is seen.") });

function pluginOf(fields: Parameters<typeof struct>[1], more: Partial<Served> = {}, version = "v1"): Plugin {
  const served: Served = { schema: thing(fields), introduced: "1.34", ...more };
  const groupVersion = `example.com/${version}`;
  return {
    name: "things",
    summary: "Things.",
    resources: [{
      kind: "Thing",
      scope: "Namespaced",
      summary: "A thing.",
      storedAs: groupVersion,
      storedUnder: "things",
      served: { [groupVersion]: served },
    }],
  };
}
function mistakesOf(plugin: Plugin): readonly string[] {
  try {
    definePlugin(plugin);
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.mistakes;
    throw error;
  }
}
/** As a plugin reads them from its file. */
const released: ReleasedElements = JSON.parse(JSON.stringify(releasedElements(pluginOf(spec))));
const missing = (what: string) =>
  `Thing: example.com/v1: ${what} was released and is missing: keep it, and leave it out of a new version (deprecation policy, rule element-removal)`;
const changed = (fields: Parameters<typeof struct>[1]) => mistakesOf({ ...pluginOf(fields), released });

test("releasedElements() describes fields, enum values and subresources", () => {
  assert.deepEqual(released, {
    "example.com/v1": {
      Thing: {
        introduced: "1.34",
        subresources: ["status"],
        fields: {
          "spec": { type: "struct" },
          "spec.color": { type: "string", values: ["red", "blue"] },
          "spec.parts": { type: "list(struct)" },
          "spec.parts[].name": { type: "string", required: true },
          "spec.parts[].size": { type: "int32" },
          "spec.labels": { type: "record(string)" },
          "status": { type: "struct" },
          "status.name": { type: "string", required: true },
          "status.size": { type: "int32" },
        },
      },
    },
  });
});

test("releasedElements() ends at a struct that contains itself", () => {
  const Tree: Typed<unknown> = struct("Tree", { below: field(1, list(lazy(() => Tree)), "Below."), name: field(2, string, "Name.") });
  const { fields } = releasedElements(pluginOf({ tree: field(1, Tree, "A tree.") }))["example.com/v1"]!["Thing"]!;
  assert.deepEqual(Object.keys(fields).filter((path) => path.startsWith("spec.")), ["spec.tree", "spec.tree.below", "spec.tree.name"]);
});

test("rule element-removal: a version keeps its fields, enum values, types, subresources and kinds", () => {
  assert.deepEqual(changed(spec), []);
  const { color, parts, labels } = spec;
  assert.deepEqual(changed({ color, parts }), [missing('field "spec.labels"')]);
  assert.deepEqual(changed({ color: field(1, oneOf("red", "green"), "Its color."), parts, labels }), [
    missing('value "blue" of field "spec.color"'),
  ]);
  assert.deepEqual(changed({ color, parts, labels: field(3, record(int32), "Its labels.") }), [
    'Thing: example.com/v1: field "spec.labels" is record(int32), and was record(string) in an earlier release: keep the type, and use the ' +
    "other one in a new version (deprecation policy, rule element-removal)",
  ]);
  assert.deepEqual(mistakesOf({ ...pluginOf(spec, { statusSubresource: false }), released }), [missing('subresource "status"')]);
  assert.deepEqual(mistakesOf({ name: "things", summary: "Things.", released }), [missing("the kind")]);
  assert.deepEqual(mistakesOf({ ...pluginOf(spec, {}, "v2"), released }), [missing("the kind")]);
});

test("rule element-removal: a version may gain fields and enum values, but no restrictions", () => {
  const { parts, labels } = spec;
  const extra = struct("Extra", { code: field(1, int32, "A code.", { required: true }) });
  assert.deepEqual(changed({ ...spec, size: field(4, int32, "Its size."), extra: field(5, extra, "More.") }), []);
  assert.deepEqual(changed({ color: field(1, oneOf("red", "blue", "green"), "Its color."), parts, labels }), []);
  assert.deepEqual(changed({ color: field(1, string, "Its color."), parts, labels }), []);
  const required = (path: string) =>
    `Thing: example.com/v1: field "${path}" is required, but was not in an earlier release: make it optional, with a default, or require it ` +
    "in a new version (deprecation policy, rule element-removal)";
  assert.deepEqual(changed({ ...spec, size: field(4, int32, "Its size.", { required: true }) }), [required("spec.size")]);
  assert.deepEqual(changed({ color: field(1, oneOf("red", "blue"), "Its color.", { required: true }), parts, labels }), [
    required("spec.color"),
  ]);
  const free: ReleasedElements = JSON.parse(JSON.stringify(releasedElements(pluginOf({ ...spec, color: field(1, string, "Its color.") }))));
  assert.match(mistakesOf({ ...pluginOf(spec), released: free }).join(), /"spec\.color" allowed every value in an earlier release/);
});

test("rule element-removal: an alpha version may change, and a removed version may go", () => {
  const alpha = releasedElements(pluginOf(spec, {}, "v1alpha1"));
  assert.deepEqual(mistakesOf({ ...pluginOf({ parts: spec.parts }, {}, "v1alpha1"), released: alpha }), []);
  const life = { introduced: "1.29", deprecated: "1.32", removed: "1.35" };
  const beta = releasedElements(pluginOf(spec, life, "v1beta1"));
  assert.deepEqual(mistakesOf({ ...pluginOf(spec), released: beta }), []);
  const later = releasedElements(pluginOf(spec, { introduced: "1.30", deprecated: "1.33", removed: "1.36" }, "v1beta1"));
  assert.deepEqual(mistakesOf({ ...pluginOf(spec), released: later }).length, 1);
  assert.match(mistakesOf({ ...pluginOf(spec, life, "v1beta1"), released: later }).join(), /removed in 1\.35, but 1\.36 was announced/);
});
