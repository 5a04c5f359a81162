// Mistakes of definitions that are type errors: the compiler reports a line below that has none.
// In Deno's suite only: the compiler checks the same source on any runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { Resource } from "../plugin.ts";
import { field, type Infer, int32, int64, lazy, list, oneOf, raw, record, string, struct, time, type Typed } from "../schema.ts";
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

const home = "example.com/v1", beta = "example.com/v1beta1";
const Ship = object("Ship", {
  spec: field(2, struct("ShipSpec", { sails: field(1, int32, doc, { required: true }) }), doc, { required: true }),
}, { doc });
type Ship = Infer<typeof Ship>;
const BetaShip = object("Ship", {
  spec: field(2, struct("ShipSpec", { masts: field(1, int32, doc, { required: true }) }), doc, { required: true }),
}, { doc });
type BetaShip = Infer<typeof BetaShip>;
const ship = { kind: "Ship", scope: "Namespaced", summary: "A ship.", storedUnder: "example.com/ships" } as const;
const toStored = ({ spec, ...rest }: BetaShip): Ship => ({ ...rest, spec: { sails: 2 * spec.masts } });

test("defineResource() infers the type of the objects from the schema of the stored version", () => {
  const ships = defineResource({
    ...ship,
    storedAs: home,
    served: {
      [beta]: {
        schema: BetaShip,
        introduced: "1.33",
        toStored: ({ spec, ...rest }) => ({ ...rest, spec: { sails: 2 * spec.masts } }),
        selectableFields: { "spec.masts": ({ spec }) => spec.masts.toFixed() },
        // The parameters of functions have the type of the stored objects, or of those of the version.
        fromStored: ({ spec, ...rest }): BetaShip => ({ ...rest, spec: { masts: spec.sails / 2 } }),
      },
      [home]: { schema: Ship, introduced: "1.0", selectableFields: { "spec.sails": ({ spec }) => spec.sails.toFixed() } },
    },
    prepare: (next, prior) => ({ ...next, spec: { sails: Math.max(next.spec.sails, prior?.spec.sails ?? 0) } }),
    update(next, prior) {
      const sails: number = next.spec.sails + prior.spec.sails;
      // @ts-expect-error Ships have no masts.
      const masts: unknown = next.spec.masts;
      return masts === undefined && sails >= 0 ? [] : [];
    },
  });
  const written: Resource<Ship> = ships;
  // @ts-expect-error The objects have another type.
  const wrong: Resource<BetaShip> = ships;
  assert.equal(written, wrong);
});

test("defineResource() with a type argument takes a schema of these objects, or a version that is converted", () => {
  const served = { schema: Ship, introduced: "1.0" } as const;
  const right = defineResource<Ship>({
    ...ship,
    storedAs: home,
    served: { [home]: served, [beta]: { schema: BetaShip, introduced: "1.33", toStored } },
    update: (next, prior) => next.spec.sails < prior.spec.sails ? [] : [],
  });
  // @ts-expect-error The schema describes other objects.
  const wrong = defineResource<BetaShip>({ ...ship, storedAs: home, served: { [home]: served } });
  const free = defineResource<any>({ ...ship, storedAs: home, served: { [home]: served } });
  assert.deepEqual([right.kind, wrong.kind, free.kind], ["Ship", "Ship", "Ship"]);
});

test("defineResource() takes a changed copy of a resource", () => {
  const ships = defineResource({ ...ship, storedAs: home, served: { [home]: { schema: Ship, introduced: "1.0" } } });
  const copy: Resource<Ship> = defineResource({ ...ships, shortNames: ["sh"] });
  assert.deepEqual(copy.shortNames, ["sh"]);
});
