// Mistakes of definitions that are type errors: the compiler reports a line below that has none.
// In Deno's suite only: the compiler checks the same source on any runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { Resource } from "../plugin.ts";
import { field, int32, int64, lazy, list, oneOf, raw, record, string, struct, time, type Typed } from "../schema.ts";
import { defineResource, DefinitionError } from "./define.ts";

const doc = "A field.";

test("field() takes a default of its node's type only", () => {
  const Inner = struct("Inner", { mode: field(1, string, doc) });
  const free = lazy((): Typed<any> => Inner);
  const right = [
    field(1, int32, doc, { default: 7 }),
    field(1, int64, doc, { default: 7n }),
    field(1, oneOf("A", "B"), doc, { unpublishedDefault: "B", immutable: true }),
    field(1, list(string), doc, { unpublishedDefault: ["a"] }),
    field(1, record(int32), doc, { unpublishedDefault: { a: 1 } }),
    field(1, Inner, doc, { default: {} }),
    field(1, raw, doc, { default: [1, "a", null] }),
    field(1, free, doc, { default: { mode: "a" } }),
  ];
  const wrong = [
    // @ts-expect-error A text is no integer.
    field(1, int32, doc, { default: "x" }),
    // @ts-expect-error The same for a default that is not published.
    field(1, int32, doc, { unpublishedDefault: "x" }),
    // @ts-expect-error A number is no text.
    field(1, string, doc, { default: 7 }),
    // @ts-expect-error The enumeration lacks it.
    field(1, oneOf("A", "B"), doc, { default: "C" }),
    // @ts-expect-error A number is no time.
    field(1, time, doc, { default: 7 }),
    // @ts-expect-error An item is of a wrong type.
    field(1, list(string), doc, { unpublishedDefault: [7] }),
    // @ts-expect-error A text is no object.
    field(1, Inner, doc, { default: "x" }),
    // @ts-expect-error There is no such option.
    field(1, int32, doc, { defaults: 7 }),
  ];
  assert.deepEqual([right.length, wrong.length], [8, 8]);
});

test("defineResource() takes a stored version that is served only", () => {
  const Thing = object("Thing", { color: field(2, string, doc) });
  const served = {
    "example.com/v1": { schema: Thing, introduced: "1.0" },
    "example.com/v2": { schema: Thing, introduced: "1.0" },
  } as const;
  const common = { kind: "Thing", scope: "Cluster", summary: "A thing.", storedUnder: "example.com/things", served } as const;
  const things: Resource<ApiObject> = defineResource({ ...common, storedAs: "example.com/v1" });
  assert.equal(things.storedAs, "example.com/v1");
  // @ts-expect-error No version has this name.
  assert.throws(() => defineResource({ ...common, storedAs: "example.com/v3" }), DefinitionError);
  // Names that the compiler does not know are checked when the definition is made.
  const computed: string = "example.com/v3";
  assert.throws(() => defineResource<ApiObject>({ ...common, storedAs: computed }), DefinitionError);
});
