import assert from "node:assert/strict";
import { defaultNames } from "../names.ts";
import { openapiSchemas } from "./openapi.ts";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import { boolean, field, int32, lazy, list, record, string, structsOf, type Typed } from "../schema.ts";
import type { Gates } from "../plugin.ts";
import { defaulter, gatesOfFilling } from "./apply-defaults.ts";

const struct = structsOf("core/v1");
const Probe = struct("Probe", { period: field(1, int32, "", { default: 10 }) });
const Hoisted = struct("Hoisted", { kind: field(1, string, "") }, {
  fill: (self) => self.kind === undefined ? { ...self, kind: "empty" } : self,
});
const Spec = struct("Spec", {
  policy: field(1, string, "", { default: "Always" }),
  attach: field(2, boolean, "", { pointer: true, default: true }),
  modes: field(3, list(string), "", { default: ["Persistent"] }),
  probe: field(4, Probe, "", { pointer: true }),
  limits: field(5, record(Probe), ""),
  source: field(6, Hoisted, "", { inline: true }),
  inner: field(7, Probe, ""),
  made: field(8, Probe, "", { pointer: true }),
}, { fill: (self) => self.policy === "Make" && self.made === undefined ? { ...self, made: {} } : self });
const Gated = struct("Gated", {
  mount: field(1, boolean, "", { pointer: true }),
  probe: field(2, Probe, "", { pointer: true }),
}, { fillWhile: { Mounts: (self) => self.mount === undefined ? { ...self, mount: false, probe: {} } : self } });
const Kind = object("Kind", {
  spec: field(2, Spec, ""),
  gated: field(4, Gated, "", { pointer: true }),
  plain: field(3, list(record(string)), ""),
});
const on = () => true;
// The tests say what the structs hold.
const fillKind = defaulter(Kind) as (value: object, isOn: Gates) => { spec: Record<string, unknown> };
const fill = (value: object, isOn: Gates = on) => fillKind(value, isOn);
const head = { kind: "Kind", apiVersion: "v1", metadata: {} };

test("defaulter() fills what is absent or, where they are one, zero", () => {
  const full = { policy: "Always", attach: true, modes: ["Persistent"], kind: "empty", inner: { period: 10 } };
  assert.deepEqual(fill({ ...head, spec: {} }).spec, full);
  assert.deepEqual(fill({ ...head, spec: { policy: "", modes: [], inner: { period: 0 } } }).spec, full);
  assert.deepEqual(fill(head).spec, full);
});

test("defaulter() leaves the zeros of pointers", () => {
  assert.equal(fill({ ...head, spec: { attach: false } }).spec.attach, false);
});

test("defaulter() fills inside lists, records and pointers that are there, and what `fill` has made", () => {
  const { spec } = fill({ ...head, spec: { policy: "Make", limits: { a: {}, __proto__: {} }, probe: {} } });
  assert.deepEqual(spec.limits, { a: { period: 10 } });
  assert.deepEqual(spec.probe, { period: 10 });
  assert.deepEqual(spec.made, { period: 10 });
});

test("defaulter() returns the same value when nothing changes, and shares what did not", () => {
  const once = fill({ ...head, spec: { limits: { a: { period: 1 } }, probe: {} } });
  assert.equal(fill(once), once);
  const next = fill({ ...once, spec: { ...once.spec, probe: {} } });
  assert.equal(next.spec.limits, once.spec.limits);
});

test("defaulter() keeps schema order", () => {
  assert.deepEqual(Object.keys(fill({ ...head, spec: { probe: {} } }).spec), ["policy", "attach", "modes", "probe", "kind", "inner"]);
});

test("defaulter() fills the defaults of a feature while its gate is on, and what is inside them; values that are set stay either way", () => {
  const off = (gate: string) => gate !== "Mounts";
  const gated = (value: object, isOn: Gates) => (fill({ ...head, gated: value }, isOn) as { gated?: object }).gated;
  assert.deepEqual(gated({}, on), { mount: false, probe: { period: 10 } });
  assert.deepEqual(gated({}, off), {});
  assert.deepEqual(gated({ mount: true }, on), { mount: true });
  assert.deepEqual(gated({ mount: true }, off), { mount: true });
});

test("defaulter() fills unpublished defaults as published ones, those of a gated field while its gate is on", () => {
  const Driver = struct("Driver", {
    attach: field(1, boolean, "", { pointer: true, unpublishedDefault: true }),
    modes: field(2, list(string), "", { unpublishedDefault: ["Persistent"] }),
    mount: field(3, boolean, "", { pointer: true, gate: "Mounts", unpublishedDefault: false }),
  });
  const fillDriver = defaulter(Driver), off = (gate: string) => gate !== "Mounts";
  assert.deepEqual(fillDriver({}, on), { attach: true, modes: ["Persistent"], mount: false });
  assert.deepEqual(fillDriver({ attach: false, modes: [] }, off), { attach: false, modes: ["Persistent"] });
  assert.deepEqual(gatesOfFilling(Driver), ["Mounts"]);
  const published = openapiSchemas([{ node: Driver, home: "core/v1" }], { names: defaultNames, version: "v3" });
  assert.doesNotMatch(JSON.stringify(published), /"default":(true|false|\[)/);
});

test("gatesOfFilling() names each gate that defaults ask for, however deep", () => {
  assert.deepEqual(gatesOfFilling(list(Kind)), ["Mounts"]);
  assert.deepEqual(gatesOfFilling(Spec), []);
});

test("defaulter() follows a struct that contains itself", () => {
  type Tree = { readonly name?: string; readonly children?: readonly Tree[] };
  const Node: Typed<Tree> = struct("Node", {
    name: field(1, string, "", { default: "x" }),
    children: field(2, list(lazy((): Typed<Tree> => Node)), ""),
  });
  assert.deepEqual(defaulter(Node)({ children: [{}, { name: "y" }] }, on), { name: "x", children: [{ name: "x" }, { name: "y" }] });
});
