import assert from "node:assert/strict";
import { test } from "node:test";
import { field, int32, type Json, mapBy, record, setOf, string, struct } from "../schema.ts";
import { type Atom, atomOf } from "./atom.ts";
import { emptySet, isSubset, pathTexts, readFieldSet, sameSet } from "./field-set.ts";
import { type Applied, applyConfig, conflictTexts, ownersAfterUpdate, setOfFields, type Versions, type Writer } from "./managers.ts";
import { noOwners, type Owner, type Owners } from "./owners.ts";
import { fieldSetOf, withNamedMembers } from "./typed.ts";

const Item = struct("Item", { name: field(1, string, "Name.", { required: true }), a: field(2, string, "A."), b: field(3, int32, "B.") });
const Spec = struct("Spec", {
  labels: field(1, record(string), "Record."),
  words: field(2, setOf(string), "Set."),
  items: field(3, mapBy(["name"], Item), "Keyed."),
  text: field(4, string, "Text."),
});
const Thing = struct("Thing", { spec: field(1, Spec, "Spec.", { pointer: true }), status: field(2, Spec, "Status.", { pointer: true }) });
const atom = atomOf(Thing);

const versions: Versions = {
  current: "v1",
  atom: (apiVersion): Atom | undefined => apiVersion === "v1" || apiVersion === "v2" ? atom : undefined,
  convert: (object) => object,
  ignored: () => emptySet,
};
const writer = (manager: string, time = "2024-01-01T00:00:00Z"): Writer => ({ manager, subresource: "", time });
const apply = (live: Json, config: Json, owners: Owners, manager: string, force = false) =>
  applyConfig(versions, live, config, owners, writer(manager), force);
const owned = (owners: Owners, manager: string): string[] =>
  [...owners.values()].filter((owner) => owner.manager === manager).flatMap(({ set }) => pathTexts(set));

type Done = Extract<Applied, { done: true }>;
function done(outcome: Applied): Done {
  assert.ok(outcome.done, outcome.done ? "" : conflictTexts(outcome.conflicts).message);
  return outcome;
}

test("ownersAfterUpdate() moves ownership of changed fields to the writer", () => {
  const first = ownersAfterUpdate(versions, {}, { spec: { labels: { a: "1", b: "1" } } }, noOwners, writer("alpha"));
  assert.deepEqual(owned(first, "alpha"), [".spec", ".spec.labels", ".spec.labels.a", ".spec.labels.b"]);
  const second = ownersAfterUpdate(
    versions,
    { spec: { labels: { a: "1", b: "1" } } },
    { spec: { labels: { a: "2" } } },
    first,
    writer("beta"),
  );
  assert.deepEqual(owned(second, "alpha"), [".spec", ".spec.labels"]);
  assert.deepEqual(owned(second, "beta"), [".spec.labels.a"]);
});

test("ownersAfterUpdate() returns the same owners when nothing changes", () => {
  const value = { spec: { text: "a" } };
  const owners = ownersAfterUpdate(versions, {}, value, noOwners, writer("alpha"));
  assert.equal(ownersAfterUpdate(versions, value, structuredClone(value), owners, writer("beta")), owners);
});

test("ownersAfterUpdate() ignores fields that the request path does not write, and metadata of the server", () => {
  const narrow: Versions = { ...versions, ignored: () => setOfFields("status") };
  const owners = ownersAfterUpdate(narrow, {}, { spec: { text: "a" }, status: { text: "b" } }, noOwners, writer("alpha"));
  assert.deepEqual(owned(owners, "alpha"), [".spec", ".spec.text"]);
});

test("ownersAfterUpdate() drops entries of versions that are not served", () => {
  const stale: Owner = {
    manager: "old",
    operation: "Update",
    apiVersion: "v0",
    subresource: "",
    set: readFieldSet({ "f:spec": {} }),
    time: undefined,
  };
  const owners = ownersAfterUpdate(versions, {}, { spec: { text: "a" } }, new Map([["old", stale]]), writer("alpha"));
  assert.deepEqual([...owners.values()].map(({ manager }) => manager), ["alpha"]);
});

test("applyConfig() conflicts on a different value of another manager, shares an equal one, and takes over with force", () => {
  const alpha = done(apply({}, { spec: { text: "a" } }, noOwners, "alpha"));
  const refused = apply(alpha.object!, { spec: { text: "b" } }, alpha.owners, "beta");
  assert.ok(!refused.done);
  assert.equal(conflictTexts(refused.conflicts).message, 'Apply failed with 1 conflict: conflict with "alpha": .spec.text');
  const shared = done(apply(alpha.object!, { spec: { text: "a" } }, alpha.owners, "beta"));
  assert.equal(shared.object, undefined);
  assert.deepEqual(owned(shared.owners, "alpha"), owned(shared.owners, "beta"));
  const forced = done(apply(alpha.object!, { spec: { text: "b" } }, alpha.owners, "beta", true));
  assert.deepEqual(forced.object, { spec: { text: "b" } });
  assert.deepEqual(owned(forced.owners, "alpha"), []);
});

test("applyConfig() removes fields that its manager omits, unless another manager owns them", () => {
  const alpha = done(apply({}, { spec: { labels: { a: "1", b: "1" } } }, noOwners, "alpha"));
  const beta = done(apply(alpha.object!, { spec: { labels: { b: "1" } } }, alpha.owners, "beta"));
  const given = done(apply(alpha.object!, { spec: { text: "t" } }, beta.owners, "alpha"));
  assert.deepEqual(given.object, { spec: { labels: { b: "1" }, text: "t" } });
  assert.deepEqual(owned(given.owners, "alpha"), [".spec.text"]);
});

test("conflictTexts() groups paths by manager, members before the paths below them", () => {
  const alpha = done(apply({}, { spec: { text: "t", labels: { a: "1" }, items: [{ name: "x", a: "1" }] } }, noOwners, "alpha"));
  const owners = ownersAfterUpdate(
    versions,
    alpha.object!,
    { spec: { ...(alpha.object as { spec: object }).spec, labels: { a: "1", z: "1" } } } as Json,
    alpha.owners,
    {
      ...writer("zeta"),
      subresource: "status",
    },
  );
  const live = { spec: { text: "t", labels: { a: "1", z: "1" }, items: [{ name: "x", a: "1" }] } };
  const refused = apply(live, { spec: { text: "u", labels: { a: "2", z: "2" }, items: [{ name: "x", a: "2" }] } }, owners, "beta");
  assert.ok(!refused.done);
  assert.equal(
    conflictTexts(refused.conflicts).message,
    'Apply failed with 4 conflicts: conflicts with "alpha":\n- .spec.text\n- .spec.items[name="x"].a\n- .spec.labels.a\n' +
      'conflicts with "zeta" with subresource "status" using v1:\n- .spec.labels.z',
  );
});

/** A random number generator with a seed, so that a failing run can be repeated. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("random applies and updates: an apply is idempotent, owns the fields that it names, and no owned field is lost", () => {
  const seed = Date.now() % 1_000_000;
  const next = random(seed);
  const pick = <T>(...from: T[]): T => from[Math.floor(next() * from.length)]!;
  const maybe = <T extends object>(value: () => T): T | Record<never, never> => next() < 0.5 ? value() : {};
  const config = (): Json => ({
    spec: {
      text: pick("a", "b"),
      ...maybe(() => ({ labels: Object.fromEntries([pick("x", "y"), "z"].map((key) => [key, pick("1", "2")])) })),
      ...maybe(() => ({ words: pick(["a"], ["b", "a"], ["c"]) })),
      ...maybe(() => ({
        items: pick(["m"], ["n", "m"]).map((name) => ({
          name,
          ...maybe(() => ({ a: pick("1", "2") })),
          ...maybe(() => ({ b: pick(1, 2) })),
        })),
      })),
    },
  });
  for (let run = 0; run < 40; run++) {
    let live: Json = {}, owners: Owners = noOwners;
    for (let step = 0; step < 15; step++) {
      const where = `seed ${seed}, run ${run}, step ${step}`;
      const manager = pick("alpha", "beta", "gamma");
      const wanted = config();
      if (next() < 0.3) {
        owners = ownersAfterUpdate(versions, live, wanted, owners, writer(manager));
        live = wanted;
      } else {
        const outcome = apply(live, wanted, owners, manager, next() < 0.5);
        if (!outcome.done) continue;
        live = outcome.object ?? live;
        owners = outcome.owners;
        const mine = [...owners.values()].find((owner) => owner.manager === manager && owner.operation === "Apply");
        assert.ok(mine !== undefined && sameSet(mine.set, fieldSetOf(atom, wanted)), where);
        const again = done(apply(live, wanted, owners, manager));
        assert.equal(again.object, undefined, where);
        assert.deepEqual(again.owners, owners, where);
      }
      const present = withNamedMembers(atom, fieldSetOf(atom, live));
      for (const { set, manager } of owners.values()) {
        assert.ok(isSubset(set, present), `${where}: ${manager} owns ${pathTexts(set)} of ${JSON.stringify(live)}`);
      }
    }
  }
});
