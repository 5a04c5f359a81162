// The checks find every kind of loss, name its fields, and show a small object.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin, defineResource, field, int32, invalid, list, object, type Plugin, record, string, structsOf } from "../../plugin.ts";
import { checkRoundTrips } from "../../testing.ts";
import { randomOf } from "../../core/random.ts";
import { randomValue } from "../../core/derive/random-value.ts";
import { differences } from "../../testing/round-trips/difference.ts";
import { rodsPlugin } from "../migration/rods.ts";
import { smallest } from "../../testing/round-trips/smallest.ts";

const home = "trips.example.com/v1", old = "trips.example.com/v1beta1";
const specOf = (version: string, extra: object) =>
  field(
    2,
    structsOf(version)("TripSpec", {
      colour: field(1, string, "Colour."),
      sizes: field(2, list(int32), "Sizes."),
      parts: field(3, record(string), "Parts."),
      ...extra,
    }, { doc: "Spec." }),
    "Spec.",
  );
const Trip = object("Trip", { spec: specOf(home, { tier: field(4, string, "Tier.") }) }, { package: home, doc: "A trip." });
const OldTrip = object("Trip", { spec: specOf(old, {}) }, { package: old, doc: "A trip." });

/** A plugin with these conversions of its older version. */
function trips(convert: { readonly toStored?: (trip: any) => any; readonly fromStored?: (trip: any) => any }, hooks: object = {}): Plugin {
  const resource = defineResource<any>({
    kind: "Trip",
    scope: "Namespaced",
    summary: "A trip.",
    storedAs: home,
    storedUnder: "trips.example.com/trips",
    served: { [home]: { schema: Trip, introduced: "1.0" }, [old]: { schema: OldTrip, introduced: "1.0", ...convert } },
    ...hooks,
  });
  return definePlugin({ name: "trips", summary: "Trips.", resources: [resource] });
}

const key = "trips.example.com/tier";
/** Shows the tier of the newer version in an annotation. */
const lossless = {
  fromStored: ({ spec: { tier = "", ...spec } = {} as any, metadata, ...rest }: any) => ({
    ...rest,
    metadata: tier === "" ? metadata : { ...metadata, annotations: { ...metadata.annotations, [key]: tier } },
    spec,
  }),
  toStored: ({ spec, metadata: { annotations: { [key]: tier, ...others } = {} as any, ...metadata }, ...rest }: any) => ({
    ...rest,
    metadata: Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others },
    spec: tier === undefined ? spec : { ...spec, tier },
  }),
};
const seed = 7;
const failing = (plugin: Plugin, ...words: readonly string[]) =>
  assert.rejects(checkRoundTrips(plugin, { seed }), (error: Error) => {
    for (const word of words) assert.ok(error.message.includes(word), `${word}: ${error.message}`);
    return true;
  });

test("conversions that lose nothing pass, and the report has the numbers", async () => {
  const { converted, stored, ...report } = await checkRoundTrips(trips(lossless), { seed, objects: 20 });
  assert.deepEqual([report, converted, stored], [{ seed }, 40, 10]);
});

test("a field that the older version drops is found, with an object of that field alone", () =>
  failing(
    trips({ fromStored: ({ spec: { tier: _, ...spec } = {} as any, ...rest }) => ({ ...rest, spec }) }),
    `seed ${seed}: a Trip of ${home} is not the same when it is read and written back in ${old}`,
    "spec.tier: ",
    " became absent",
    `created as {"kind":"Trip","apiVersion":"${home}","metadata":{},"spec":{"tier":`,
    `remedy: add the fields to the schema of ${old}, or keep them in an annotation with \`keptFields\``,
  ));

test("a field that is lost on the way to the store is found", () =>
  failing(
    trips({ ...lossless, toStored: (trip) => lossless.toStored({ ...trip, spec: { ...trip.spec, parts: undefined } }) }),
    `a Trip of ${home} is not the same when it is read and written back in ${old}`,
    "spec.parts: ",
  ));

test("an item that a conversion adds is found", () =>
  failing(
    trips({ ...lossless, toStored: (trip) => ({ ...lossless.toStored(trip), spec: { ...lossless.toStored(trip).spec, sizes: [1] } }) }),
    "spec.sizes: ",
    "became [1]",
  ));

test("a conversion that throws is shown with a small object", () =>
  failing(
    trips({
      ...lossless,
      toStored: (trip) => {
        if (trip.spec?.colour) throw new Error("no colours");
        return lossless.toStored(trip);
      },
    }),
    "it fails: no colours",
    `"spec":{"colour":`,
    "remedy: let `toStored`, `fromStored` and `applyDefaults` accept objects",
  ));

test("hooks that change an unchanged object are found by requests", () =>
  failing(
    trips(lossless, {
      prepare: (next: any, prior: any, { requestVersion }: { requestVersion: string }) =>
        prior === undefined || requestVersion === home ? next : { ...next, spec: { ...next.spec, tier: "reset" } },
    }),
    `an update in ${old} that changes nothing: spec.tier: `,
    'became "reset"',
    "remedy: let `prepare`, `dropDisabled` and admission steps return an object that nobody changed",
  ));

test("rules that reject what the server has stored name the request and a remedy", () =>
  failing(
    trips(lossless, { update: () => [invalid("spec", "all", "no")] }),
    "is answered with 422",
    `remedy: let the rules of \`update\` and the conversions of ${old} accept`,
  ));

test("a field without a protobuf number is found, and the remedy names it", () => {
  const Note = object("Note", { text: field(0, string, "A text.") }, { package: home, doc: "A note." });
  const notes = defineResource({
    kind: "Note",
    scope: "Cluster",
    summary: "A note.",
    storedAs: home,
    storedUnder: "trips.example.com/notes",
    served: { [home]: { schema: Note, introduced: "1.0" } },
  });
  return failing(
    definePlugin({ name: "notes", summary: "Notes.", resources: [notes] }),
    `a Note of ${home} is not the same in protobuf`,
    "remedy: give the field a protobuf number above 0",
  );
});

test("a kind whose rules reject every generated object asks for `adjust`, which makes them valid", async () => {
  const strict = trips(lossless, {
    create: ({ spec }: any) => spec?.colour === "like no other" ? [] : [{ path: "spec.colour", reason: "Required", message: "no" }],
  });
  await failing(strict, "the server accepted no generated Trip of trips.example.com/v1", "make them valid with `adjust`");
  const adjust = (trip: any) => ({ ...trip, spec: { ...trip.spec, colour: "like no other" } });
  assert.equal((await checkRoundTrips(strict, { seed, adjust })).stored, 10);
});

test("the rods of other tests lose nothing, whichever version they are stored in", async () => {
  // A length in words is a number of millimetres.
  const adjust = ({ spec = {}, ...rod }: any, { apiVersion }: { apiVersion: string }) => {
    const amount = "length" in spec ? "12mm" : undefined;
    return { ...rod, spec: apiVersion.endsWith("/v1") ? (amount === undefined ? {} : { length: amount }) : spec };
  };
  for (const stored of ["v1", "v2"] as const) assert.ok((await checkRoundTrips(rodsPlugin(stored), { seed, adjust })).stored > 0);
});

test("the same seed gives the same objects, with every field of the schema among them", () => {
  const some = () => {
    const random = randomOf(seed);
    return Array.from({ length: 50 }, () => randomValue(Trip, random) as any);
  };
  assert.deepEqual(some(), some());
  const seen = new Set(some().flatMap(({ spec = {}, metadata = {} }) => [...Object.keys(spec), ...Object.keys(metadata)]));
  for (const name of ["colour", "sizes", "parts", "tier", "managedFields", "annotations", "ownerReferences"]) {
    assert.ok(seen.has(name), name);
  }
});

test("smallest() leaves what is needed, and differences() names each place", () => {
  const value = { a: [1, { b: "x", c: null }], d: { e: true }, f: "g" };
  const has = (json: any) => json?.a?.some((each: any) => each?.b === "x") === true;
  assert.deepEqual(smallest(value, has), { a: [{ b: "x" }] });
  assert.deepEqual(differences(value, { ...value, a: [1, { b: "y", c: null }], d: {} }), [
    'a[1].b: "x" became "y"',
    "d.e: true became absent",
  ]);
  assert.deepEqual(differences(value, structuredClone(value)), []);
});
