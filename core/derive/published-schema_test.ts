import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import {
  anyJson,
  boolean,
  bytes,
  duration,
  field,
  int32,
  intOrString,
  list,
  type Node,
  quantity,
  raw,
  record,
  string,
  struct,
  structural,
  time,
} from "../schema.ts";
import { publishedSchema } from "./published-schema.ts";

test("publishedSchema() has the types that OpenAPI publishes; quantities and any JSON have none", () => {
  const Inner = struct("Inner", { on: field(1, boolean, "On.") }, { doc: "Inner." });
  const kind = object("Thing", {
    text: field(2, string, "A text."),
    wait: field(3, duration, "A duration."),
    at: field(4, time, "A time."),
    data: field(5, record(bytes), "Data."),
    counts: field(6, list(int32), "Counts."),
    port: field(7, intOrString, "A port."),
    size: field(8, quantity, "A size."),
    any: field(9, anyJson, "Anything."),
    template: field(10, raw, "An object."),
    inner: field(11, Inner, "Inner.", { inline: true }),
  }, { doc: "A thing.", package: "example.com/v1" });
  const { type, properties = {} } = publishedSchema(kind);
  assert.equal(type, "object");
  const { metadata, ...others } = properties;
  assert.deepEqual(metadata?.properties?.["creationTimestamp"], { type: "string", format: "date-time" });
  assert.deepEqual(others, {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    text: { type: "string" },
    wait: { type: "string" },
    at: { type: "string", format: "date-time" },
    data: { type: "object", additionalProperties: { type: "string", format: "byte" } },
    counts: { type: "array", items: { type: "integer" } },
    port: { "x-kubernetes-int-or-string": true },
    size: {},
    any: {},
    template: { type: "object" },
    on: { type: "boolean" },
  });
  assert.equal(publishedSchema(kind), publishedSchema(kind));
});

test("publishedSchema() ends a struct within itself with an object without fields", () => {
  const Tree: Node = struct("Tree", {
    name: field(1, string, "The name."),
    branches: field(2, list({ tag: "lazy", get: () => Tree } as never), "Branches."),
  }, { doc: "A tree." });
  const kind = object("Plant", { tree: field(2, Tree as never, "A tree.") }, { doc: "A plant.", package: "example.com/v1" });
  assert.deepEqual(publishedSchema(kind).properties?.["tree"], {
    type: "object",
    properties: { name: { type: "string" }, branches: { type: "array", items: { type: "object" } } },
  });
});

test("publishedSchema() completes embedded resources", () => {
  const schema = { type: "object", properties: { pod: { type: "object", "x-kubernetes-embedded-resource": true } } } as const;
  const kind = object("Holder", { spec: field(2, structural(schema), "The contents.") }, { doc: "A holder.", package: "example.com/v1" });
  const pod = publishedSchema(kind).properties?.["spec"]?.properties?.["pod"]?.properties;
  assert.deepEqual(pod?.["kind"], { type: "string" });
  assert.deepEqual(pod?.["metadata"]?.properties?.["labels"], { type: "object", additionalProperties: { type: "string" } });
});
