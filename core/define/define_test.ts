import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin, defineResource, DefinitionError, pluralOf } from "./define.ts";
import { object } from "../meta/object.ts";
import type { Plugin, Resource, Served } from "../plugin.ts";
import type { Subresource } from "../subresource.ts";
import { boolean, field, int32, lazy, list, mapBy, oneOf, record, setOf, string, struct, type Typed, type Union } from "../schema.ts";

const Thing = object("Thing", { color: field(2, string, "Its color.") });
const served: Served = { schema: Thing, introduced: "1.30" };
const thing: Resource = {
  kind: "Thing",
  scope: "Namespaced",
  summary: "A thing.",
  storedAs: "example.com/v1",
  storedUnder: "example.com/things",
  served: { "example.com/v1": served },
};
const plugin: Plugin = { name: "things", summary: "Things.", resources: [thing] };

/** The mistakes of a definition. */
function mistakesOf(define: () => unknown): readonly string[] {
  try {
    define();
  } catch (error) {
    if (error instanceof DefinitionError) return error.mistakes;
    throw error;
  }
  return [];
}
const ofResource = (change: Partial<Resource>) => mistakesOf(() => defineResource({ ...thing, ...change }));
const ofServed = (change: Partial<Served>) => ofResource({ served: { "example.com/v1": { ...served, ...change } } });
const ofFields = (fields: Parameters<typeof struct>[1]) => ofServed({ schema: object("Thing", fields) });
const ofPlugin = (change: Partial<Plugin>) => mistakesOf(() => definePlugin({ ...plugin, ...change }));

test("pluralOf() forms English plurals", () => {
  const plurals = {
    ConfigMap: "configmaps",
    StorageClass: "storageclasses",
    CSIStorageCapacity: "csistoragecapacities",
    Ingress: "ingresses",
    Gateway: "gateways",
    Box: "boxes",
    Patch: "patches",
  };
  assert.deepEqual(Object.keys(plurals).map(pluralOf), Object.values(plurals));
});

test("defineResource() returns the same resource, deeply frozen", () => {
  const mine = { ...thing, shortNames: ["th"] };
  const defined = defineResource(mine);
  assert.equal(defined, mine);
  assert.throws(() => (mine.shortNames as string[]).push("x"), TypeError);
  assert.ok(Object.isFrozen(defined.served["example.com/v1"]!.schema.fields["color"]));
});

test("defineResource() rejects names that are not lower case and duplicate names", () => {
  assert.deepEqual(ofResource({ kind: "thing" })[0], 'thing: "thing" is not in upper camel case');
  assert.deepEqual(ofResource({ plural: "Things" }), ['Thing: "Things" is not a name of lower-case letters, digits and dashes']);
  assert.deepEqual(ofResource({ shortNames: ["th", "TH", "th"] }), [
    'Thing: "TH" is not a name of lower-case letters, digits and dashes',
    'Thing: "th" is used for two of its names',
  ]);
  assert.deepEqual(ofResource({ summary: " " }), ["Thing: the summary is empty"]);
  assert.deepEqual(ofResource({ plural: "thing" }), [], "the singular of a kind that is a plural itself");
});

test("defineResource() rejects a stored version that is not served, and an invalid one", () => {
  assert.deepEqual(ofResource({ storedAs: "example.com/v2" }), ['Thing: the stored version "example.com/v2" is not one of those served']);
  for (const written of ["v01", "V1", "1", "a/b/v1", "Example.com/v1", "/v1", "example.com/", "v1alpha", "v1gamma1"]) {
    assert.deepEqual(ofResource({ storedAs: written, served: { [written]: served } }), [
      `Thing: ${written}: "${written}" is not "v1" or "group/v1"`,
    ]);
  }
  assert.deepEqual(
    ofResource({ storedAs: "things.{domain}/v1beta2", served: { "things.{domain}/v1beta2": { ...served, introduced: "1.34" } } }),
    [],
  );
});

test("defineResource() rejects a key path with an empty or invalid segment", () => {
  for (const under of ["", "/things", "things/", "a//b", "a b"]) {
    assert.deepEqual(ofResource({ storedUnder: under }), [`Thing: "${under}" is not a valid key path`]);
  }
  assert.deepEqual(ofResource({ storedUnder: "apiregistration.{domain}/things" }), []);
});

test("defineResource() rejects a kind with neither storage nor handleCreate() nor compute(), and one with both", () => {
  assert.deepEqual(ofResource({ storedUnder: undefined as never }), ["Thing: it has neither storedUnder nor handleCreate() nor compute()"]);
  assert.deepEqual(ofResource({ handleCreate: (next: unknown) => next }), ["Thing: it has both storedUnder and handleCreate()"]);
  const computed = { storedUnder: undefined as never, compute: () => Promise.resolve([]) };
  assert.deepEqual(ofResource({ ...computed, scope: "Namespaced" }), ["Thing: it is computed, but not of cluster scope"]);
  assert.deepEqual(ofResource({ ...computed, scope: "Cluster" }), []);
});

test("defineResource() rejects a deprecation before the introduction", () => {
  assert.deepEqual(ofServed({ introduced: "1.30", deprecated: "1.9" }), [
    "Thing: example.com/v1: deprecated in 1.9, before it is introduced in 1.30",
  ]);
  assert.deepEqual(ofServed({ introduced: "v1.30" }), [
    'Thing: example.com/v1: introduced in "v1.30", which is not a release such as "1.18"',
  ]);
  const life = { introduced: "1.9", deprecated: "1.10", removed: "1.13" };
  assert.deepEqual(ofResource({ storedAs: "example.com/v1beta1", served: { "example.com/v1beta1": { ...served, ...life } } }), []);
});

test("defineResource() rejects duplicate and invalid field numbers", () => {
  assert.deepEqual(ofFields({ a: field(2, string, "A."), b: field(2, string, "B.") }), [
    "Thing: Thing.b: field number 2 is used by Thing.a",
  ]);
  assert.deepEqual(ofFields({ a: field(1, string, "A.") }), ["Thing: Thing.a: field number 1 is used by Thing.metadata"]);
  assert.deepEqual(ofFields({ a: field(0, string, "A."), b: field(0, string, "B.") }), []);
  assert.deepEqual(ofFields({ a: field(19_000, string, "A."), b: field(-1, string, "B."), c: field(2 ** 29, string, "C.") }), [
    "Thing: Thing.a: field number 19000 is reserved by protobuf",
    "Thing: Thing.b: field number -1 is not between 0 and 536870911",
    "Thing: Thing.c: field number 536870912 is not between 0 and 536870911",
  ]);
});

test("defineResource() rejects published bounds that do not fit their field", () => {
  const mistakes = ofFields({
    a: field(2, string, "A.", { publish: { maxItems: 1 } }),
    b: field(3, int32, "B.", { publish: { minimum: "1" } }),
    c: field(4, list(string), "C.", { publish: { uniqueItems: true, maxItems: -1 } }),
    d: field(5, string, "D.", { publish: { pattern: "(" } }),
    e: field(6, string, "E.", { publish: { pattern: "^a$", maxLength: 0, format: "ipv4", "x-example": 1 } }),
  });
  assert.deepEqual(mistakes, [
    "Thing: Thing.a: maxItems is not a bound of string",
    "Thing: Thing.b: minimum is not a number",
    "Thing: Thing.c: uniqueItems is not checked: use setOf() or mapBy()",
    "Thing: Thing.c: maxItems is not a number of items",
    "Thing: Thing.d: pattern is not a regular expression of RE2",
  ]);
});

test("defineResource() rejects list keys that are not fields, including fields of inlined structs", () => {
  const Inner = struct("Inner", { name: field(1, string, "Name.") });
  const Outer = struct("Outer", { inner: field(1, Inner, "Hoisted.", { inline: true }) });
  // The type of a list forbids a wrong key; the cast avoids that.
  const key = (name: string) => [name] as unknown as readonly never[];
  assert.deepEqual(ofFields({ a: field(2, mapBy(key("nam"), Inner), "A.") }), ['Thing: Thing.a: list key "nam" is not a field of Inner']);
  assert.deepEqual(ofFields({ a: field(2, mapBy(key("name"), Outer), "A.") }), []);
  assert.deepEqual(ofFields({ a: field(2, mapBy(key("inner"), Outer), "A.") }), [
    'Thing: Thing.a: list key "inner" is not a field of Outer',
  ]);
  assert.deepEqual(ofFields({ a: field(2, list(Inner), "A.", { patch: { mergeKey: "uid" } }) }), [
    'Thing: Thing.a: list key "uid" is not a field of Inner',
  ]);
  assert.deepEqual(ofFields({ a: field(2, setOf(Inner), "A.") }), [
    "Thing: Thing.a: the elements of a set are scalars, or structs that are atomic",
  ]);
});

test("defineResource() rejects a union whose members are not fields", () => {
  const held = (union: Union) => ofFields({ a: field(2, struct("Inner", { type: field(1, string, "Which.") }, { union }), "A.") });
  assert.deepEqual(held({ discriminator: "type", members: { type: "Type" } }), []);
  assert.deepEqual(held({ discriminator: "kind", members: { type: "Type", path: "Path" } }), [
    'Thing: struct "Inner": "kind" of its union is not a field',
    'Thing: struct "Inner": "path" of its union is not a field',
  ]);
});

test("defineResource() rejects defaults that do not match their schema", () => {
  const Inner = struct("Inner", { mode: field(1, oneOf("A", "B"), "Mode.") });
  assert.deepEqual(
    ofFields({
      // @ts-expect-error The type rejects it too.
      a: field(2, oneOf("A", "B"), "A.", { default: "C" }),
      b: field(3, int32, "B.", { default: 2 ** 31 }),
      // @ts-expect-error The type rejects it too.
      c: field(4, boolean, "C.", { default: "true" }),
      d: field(5, list(Inner), "D.", { default: [{ mode: "A" }, { mode: "X" }, { made: "A" }] }),
      e: field(6, record(string), "E.", { default: { k: 1 } }),
      f: field(7, oneOf("A", "B"), "F.", { default: "B" }),
    }),
    [
      'Thing: Thing.a: the default "C" is not one of "A", "B"',
      "Thing: Thing.b: the default 2147483648 is not a 32-bit integer",
      'Thing: Thing.c: the default "true" is not true or false',
      'Thing: Thing.d[1].mode: the default "X" is not one of "A", "B"',
      'Thing: Thing.d[2]: the default has "made", which is not a field of Inner',
      "Thing: Thing.e[k]: the default 1 is not a string",
    ],
  );
});

test("defineResource() checks a recursive struct once", () => {
  interface Tree {
    readonly more?: readonly Tree[];
  }
  const Tree: Typed<Tree> = struct("Tree", { more: field(1, list(lazy<Tree>(() => Tree)), "Below."), same: field(1, string, "Taken.") });
  assert.deepEqual(ofFields({ tree: field(2, Tree, "Tree.") }), ["Thing: Tree.same: field number 1 is used by Tree.more"]);
});

test("defineResource() rejects fields without a description, pointers to lists and inlined scalars", () => {
  assert.deepEqual(
    ofFields({ a: field(2, string, ""), b: field(3, list(string), "B.", { pointer: true }), c: field(4, string, "C.", { inline: true }) }),
    [
      "Thing: Thing.a: the field has no description",
      "Thing: Thing.b: lists and records are never pointers",
      "Thing: Thing.c: only a struct can be inline",
    ],
  );
});

test("defineResource() rejects columns without Name and schemas that are not objects", () => {
  const column = { name: "Age", type: "string", description: "Age.", cell: () => "" } as const;
  assert.deepEqual(ofServed({ columns: [column, column] }), [
    "Thing: example.com/v1: the columns have no Name",
    'Thing: example.com/v1: two columns are named "Age"',
  ]);
  assert.deepEqual(ofServed({ schema: struct("Plain", { a: field(1, string, "A.") }) }), [
    "Thing: example.com/v1: Plain is not made by object(...)",
  ]);
});

test("defineResource() rejects subresources with invalid verbs or names, and selectable fields that every kind has", () => {
  const write = (next: unknown) => next;
  // The type forbids "list"; the cast avoids that.
  const verbs = ["get", "list", "get"] as unknown as readonly "get"[];
  assert.deepEqual(
    ofServed({
      subresources: { Scale: { write }, odd: { write, verbs }, none: { write, verbs: [] } },
      selectableFields: { "metadata.name": () => "" },
    }),
    [
      'Thing: example.com/v1: "metadata.name" is selectable in every kind',
      'Thing: example.com/v1: subresource "Scale" is not a name of lower-case letters, digits and dashes',
      'Thing: example.com/v1: subresource "odd" cannot have the verb "list"',
      'Thing: example.com/v1: subresource "odd" has the verb "get" twice',
      'Thing: example.com/v1: subresource "none" has no verbs',
    ],
  );
});

test("defineResource() rejects subresources with contradictory parts", () => {
  const write = (next: unknown) => next;
  const schema = struct("Plain", { a: field(1, string, "A.") });
  const kind = { groupVersion: "example.com", schema };
  const view = { ...kind, read: () => ({}), write: (_view: unknown, prior: unknown) => prior };
  const of = (subresources: Record<string, object>) => ofServed({ subresources: subresources as Record<string, Subresource> });
  assert.deepEqual(
    of({ a: {}, b: { write, view }, c: { verbs: ["create"] }, d: { create: {} }, e: { create: { response: kind, write } } }),
    [
      'Thing: example.com/v1: subresource "a" has no verbs',
      'Thing: example.com/v1: subresource "b" has both write and view',
      'Thing: example.com/v1: subresource "b": "example.com" is not "v1" or "group/v1"',
      'Thing: example.com/v1: subresource "b": Plain is not made by object(...)',
      'Thing: example.com/v1: subresource "c" has the verb "create" without create()',
      'Thing: example.com/v1: subresource "d": create() has neither write nor respond nor perform',
      'Thing: example.com/v1: subresource "e": create() has only one of response and respond',
      'Thing: example.com/v1: subresource "e": "example.com" is not "v1" or "group/v1"',
      'Thing: example.com/v1: subresource "e": Plain is not made by object(...)',
    ],
  );
});

test("definePlugin() rejects controllers with an undeclared gate or invalid group versions in their needs", () => {
  const controller = { name: "one", gate: "New", needs: [{ resource: "things", groupVersions: ["a/b/v1"] }], run: () => Promise.resolve() };
  assert.deepEqual(ofPlugin({ controllers: [controller] }), [
    'controller "one": the plugin has no feature gate "New"',
    'controller "one": "a/b/v1" is not "v1" or "group/v1"',
  ]);
});

test("definePlugin() rejects unknown gates and stages in the wrong order", () => {
  const gated = {
    ...thing,
    served: { "example.com/v1": { ...served, schema: object("Thing", { a: field(2, string, "A.", { gate: "New" }) }) } },
  };
  assert.deepEqual(ofPlugin({ resources: [gated] }), ['Thing: Thing.a: feature gate "New" is not declared by the plugin']);
  const Inner = struct("Inner", { b: field(1, string, "B.") }, { gatedDefaults: { Newer: (self) => self } });
  const filled = {
    ...thing,
    served: { "example.com/v1": { ...served, schema: object("Thing", { a: field(2, Inner, "A.") }) } },
  };
  assert.deepEqual(ofPlugin({ resources: [filled] }), [
    'Thing: struct "Inner": feature gate "Newer" of its defaults is not declared by the plugin',
  ]);
  const rung = (since: string) => ({ since, stage: "Beta", default: true } as const);
  assert.deepEqual(ofPlugin({ resources: [gated], featureGates: { New: [rung("1.34")] } }), []);
  assert.deepEqual(ofPlugin({ featureGates: { New: [rung("1.34"), rung("1.9")], old: [] } }), [
    'feature gate "New": 1.9 is earlier than 1.34',
    'feature gate "old" is not in upper camel case',
    'feature gate "old" has no stages',
  ]);
});

test("definePlugin() rejects duplicate definitions", () => {
  assert.deepEqual(ofPlugin({ resources: [thing, { ...thing }] }), [
    "things in example.com/v1 is defined twice",
    'two resources are stored under "example.com/things"',
  ]);
  const controller = { name: "c", run: () => Promise.resolve() };
  assert.deepEqual(ofPlugin({ controllers: [controller, controller] }), ['two controllers are named "c"']);
  const metric = { name: "size_bytes", type: "histogram", help: "Sizes.", labels: ["kind"], buckets: [1, 2], stability: "ALPHA" } as const;
  assert.deepEqual(ofPlugin({ metrics: [metric, { ...metric, name: "size_bytes_sum" }] }), [
    'two metrics have lines named "size_bytes_sum"',
  ]);
  assert.deepEqual(ofPlugin({ metrics: [{ ...metric, name: "size-bytes", help: "" }] }), [
    'metric "size-bytes": the name must be letters, digits, underscores and colons',
    'metric "size-bytes": help must not be empty',
  ]);
  assert.deepEqual(ofPlugin({ controllers: [{ ...controller, name: "a b" }] }), ['controller "a b": its name must be a qualified name']);
  assert.deepEqual(ofPlugin({ controllers: [{ ...controller, fieldManager: "" }] }), ['"c" has an empty field manager']);
  assert.match(ofPlugin({ startHooks: [{ ...controller, fieldManager: "a\nb" }] }).join(), /field manager of "c".*invalid character/);
});

test("definePlugin() rejects bootstrap objects of undefined kinds and in the wrong scope", () => {
  const seed = { groupVersion: "example.com/v1", resource: "things", object: {} };
  assert.deepEqual(ofPlugin({ bootstrapObjects: [{ ...seed, resource: "others" }, seed] }), [
    "a bootstrap object is of others in example.com/v1, which the plugin does not define",
    "a bootstrap object of things must have a namespace",
  ]);
});

test("a DefinitionError lists all mistakes in its message", () => {
  const error = (() => {
    try {
      return definePlugin({ ...plugin, name: "Bad", summary: "" });
    } catch (caught) {
      return caught;
    }
  })();
  assert.ok(error instanceof DefinitionError);
  assert.equal(
    error.message,
    'Cannot define plugin "Bad":\n  "Bad" is not a name of lower-case letters, digits and dashes\n  the summary is empty',
  );
});

test("definePlugin() rejects audit backends whose names are used twice, are no labels or those of the server", () => {
  const named = (name: string) => ({ name, summary: "Nowhere.", open: () => ({ process: () => true, close: () => Promise.resolve() }) });
  const rule = "its name must have lower-case letters, digits and dashes, and not be one of buffered, log, truncate, webhook";
  assert.deepEqual(ofPlugin({ auditBackends: [named("kafka"), named("archive")] }), []);
  assert.deepEqual(ofPlugin({ auditBackends: [named("same"), named("same"), named("webhook"), named("A b")] }), [
    'two audit backends are named "same"',
    `audit backend "webhook": ${rule}`,
    `audit backend "A b": ${rule}`,
  ]);
});

test("definePlugin() rejects authenticators whose names are used twice or are no words for a log", () => {
  const named = (name: string) => ({ name, summary: "Has no opinion.", open: () => ({ authenticate: () => undefined }) });
  assert.deepEqual(ofPlugin({ authenticators: [named("signed-header"), named("other")] }), []);
  assert.deepEqual(ofPlugin({ authenticators: [named("same"), named("same"), named("Signed Header")] }), [
    'two authenticators are named "same"',
    'authenticator "Signed Header": its name must have lower-case letters, digits and dashes',
  ]);
});
