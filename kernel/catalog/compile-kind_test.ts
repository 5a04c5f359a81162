import assert from "node:assert/strict";
import { test } from "node:test";
import { readCbor } from "../../core/codec/cbor/read.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { object } from "../../core/meta/object.ts";
import { defaultNames } from "../../core/names.ts";
import { serverReleases } from "../../core/releases.ts";
import { type StructNode, structural, type Typed } from "../../core/schema.ts";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import { treeFromJson } from "../../core/tree/values.ts";
import { endpointOf, kindOf } from "./compile-kind.ts";

function kindWith(whole: StructuralSchema) {
  const schema = { ...object("Thing", {}, { doc: "" }), whole, rest: structural(whole) } as Typed<ApiObject, StructNode>;
  const resource = {
    kind: "Thing",
    custom: true,
    scope: "Cluster",
    summary: "",
    storedAs: "example.com/v1",
    storedUnder: "things",
    served: { "example.com/v1": { schema, introduced: "1.0" } },
  } as const;
  const settings = { names: defaultNames, isOn: () => false, releases: serverReleases };
  return { schema, kind: kindOf(resource, settings), endpoint: endpointOf(kindOf(resource, settings), "example.com/v1", settings) };
}

test("unknown members of embedded metadata are reported after all others", () => {
  const embedded = { type: "object", "x-kubernetes-embedded-resource": true } as const;
  const { endpoint } = kindWith(embedded);
  const inner = { apiVersion: "v1", kind: "X", metadata: { odd: 1 }, extra: 1 };
  const sent = { kind: "Thing", apiVersion: "example.com/v1", metadata: { name: "a", odd: 1 }, b: inner, a: inner };
  const findings: string[] = [];
  endpoint.decode(treeFromJson(sent), { reader: "json", findings });
  assert.deepEqual(findings.map((each) => each.slice("unknown field ".length)), [
    '"metadata.odd"',
    '"a.extra"',
    '"b.extra"',
    '"a.metadata.odd"',
    '"b.metadata.odd"',
  ]);
});

test("a stored custom resource keeps the members that its schema does not name, in CBOR as in JSON", () => {
  const { schema, kind } = kindWith({ "x-kubernetes-preserve-unknown-fields": true });
  const value = { kind: "Thing", apiVersion: "example.com/v1", metadata: { name: "a" }, big: 7, list: [1.5, null] };
  const { decode, decodeCbor } = kind.storedForm("example.com/v1")!;
  const stored = decode(treeFromJson(value));
  assert.deepEqual(decodeCbor(readCbor(cborWriter(schema)(stored).finish())), stored);
  assert.deepEqual((stored as unknown as typeof value).list, [1.5, null]);
});
