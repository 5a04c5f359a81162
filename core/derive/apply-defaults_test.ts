import assert from "node:assert/strict";
import { defaultNames } from "../names.ts";
import { openapiSchemas } from "./openapi.ts";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import { boolean, field, int32, lazy, list, record, string, structsOf, type Typed } from "../schema.ts";
import type { Gates } from "../controller.ts";
import { defaulter, gatesOfDefaults } from "./apply-defaults.ts";

const struct = structsOf("core/v1");
const Probe = struct("Probe", { period: field(1, int32, "", { default: 10, zeroIsAbsent: true }) });
const Hoisted = struct("Hoisted", { kind: field(1, string, "") }, {
  applyDefaults: (self) => self.kind === undefined ? { ...self, kind: "empty" } : self,
});
const Spec = struct("Spec", {
  policy: field(1, string, "", { default: "Always", zeroIsAbsent: true }),
  attach: field(2, boolean, "", { default: true }),
  modes: field(3, list(string), "", { default: ["Persistent"] }),
  probe: field(4, Probe, "", { pointer: true }),
  limits: field(5, record(Probe), ""),
  source: field(6, Hoisted, "", { inline: true }),
  inner: field(7, Probe, ""),
  made: field(8, Probe, "", { pointer: true }),
}, { applyDefaults: (self) => self.policy === "Make" && self.made === undefined ? { ...self, made: {} } : self });
const Gated = struct("Gated", {
  mount: field(1, boolean, "", { pointer: true }),
  probe: field(2, Probe, "", { pointer: true }),
}, { gatedDefaults: { Mounts: (self) => self.mount === undefined ? { ...self, mount: false, probe: {} } : self } });
const Kind = object("Kind", {
  spec: field(2, Spec, ""),
  gated: field(4, Gated, "", { pointer: true }),
  plain: field(3, list(record(string)), ""),
});
const on = () => true;
// Untyped: the tests check the fields.
const defaultKind = defaulter(Kind) as (value: object, isOn: Gates) => { spec: Record<string, unknown> };
const withDefaults = (value: object, isOn: Gates = on) => defaultKind(value, isOn);
const head = { kind: "Kind", apiVersion: "v1", metadata: {} };

test("defaulter() sets absent fields, zero ones with `zeroIsAbsent`, and empty lists", () => {
  const full = { policy: "Always", attach: true, modes: ["Persistent"], kind: "empty", inner: { period: 10 } };
  assert.deepEqual(withDefaults({ ...head, spec: {} }).spec, full);
  assert.deepEqual(withDefaults({ ...head, spec: { policy: "", modes: [], inner: { period: 0 } } }).spec, full);
  assert.deepEqual(withDefaults(head).spec, full);
});

test("a default implies presence: defaulter() keeps zero values that were set", () => {
  assert.equal(withDefaults({ ...head, spec: { attach: false } }).spec.attach, false);
  assert.equal(Spec.fields["attach"]!.pointer, true);
});

test("defaulter() applies defaults inside lists, records, pointers that are set, and structs that `applyDefaults` creates", () => {
  const { spec } = withDefaults({ ...head, spec: { policy: "Make", limits: { a: {}, __proto__: {} }, probe: {} } });
  assert.deepEqual(spec.limits, { a: { period: 10 } });
  assert.deepEqual(spec.probe, { period: 10 });
  assert.deepEqual(spec.made, { period: 10 });
});

test("defaulter() returns the same value if nothing changes, and shares unchanged parts", () => {
  const once = withDefaults({ ...head, spec: { limits: { a: { period: 1 } }, probe: {} } });
  assert.equal(withDefaults(once), once);
  const next = withDefaults({ ...once, spec: { ...once.spec, probe: {} } });
  assert.equal(next.spec.limits, once.spec.limits);
});

test("defaulter() keeps schema order", () => {
  assert.deepEqual(Object.keys(withDefaults({ ...head, spec: { probe: {} } }).spec), [
    "policy",
    "attach",
    "modes",
    "probe",
    "kind",
    "inner",
  ]);
});

test("defaulter() applies gated defaults and their nested defaults while the gate is on, and never changes values that are set", () => {
  const off = (gate: string) => gate !== "Mounts";
  const gated = (value: object, isOn: Gates) => (withDefaults({ ...head, gated: value }, isOn) as { gated?: object }).gated;
  assert.deepEqual(gated({}, on), { mount: false, probe: { period: 10 } });
  assert.deepEqual(gated({}, off), {});
  assert.deepEqual(gated({ mount: true }, on), { mount: true });
  assert.deepEqual(gated({ mount: true }, off), { mount: true });
});

test("defaulter() applies unpublished defaults too, those of a gated field while its gate is on", () => {
  const Driver = struct("Driver", {
    attach: field(1, boolean, "", { pointer: true, unpublishedDefault: true }),
    modes: field(2, list(string), "", { unpublishedDefault: ["Persistent"] }),
    mount: field(3, boolean, "", { pointer: true, gate: "Mounts", unpublishedDefault: false }),
  });
  const fillDriver = defaulter(Driver), off = (gate: string) => gate !== "Mounts";
  assert.deepEqual(fillDriver({}, on), { attach: true, modes: ["Persistent"], mount: false });
  assert.deepEqual(fillDriver({ attach: false, modes: [] }, off), { attach: false, modes: ["Persistent"] });
  assert.deepEqual(gatesOfDefaults(Driver), ["Mounts"]);
  const published = openapiSchemas([{ node: Driver, home: "core/v1" }], { names: defaultNames, version: "v3" });
  assert.doesNotMatch(JSON.stringify(published), /"default":(true|false|\[)/);
});

test("gatesOfDefaults() returns every gate of defaults at any depth", () => {
  assert.deepEqual(gatesOfDefaults(list(Kind)), ["Mounts"]);
  assert.deepEqual(gatesOfDefaults(Spec), []);
});

test("defaulter() applies defaults of recursive structs", () => {
  type Tree = { readonly name?: string; readonly children?: readonly Tree[] };
  const Node: Typed<Tree> = struct("Node", {
    name: field(1, string, "", { default: "x" }),
    children: field(2, list(lazy((): Typed<Tree> => Node)), ""),
  });
  assert.deepEqual(defaulter(Node)({ children: [{}, { name: "y" }] }, on), { name: "x", children: [{ name: "x" }, { name: "y" }] });
});
