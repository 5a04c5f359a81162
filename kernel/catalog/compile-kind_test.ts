import assert from "node:assert/strict";
import { test } from "node:test";
import { readCbor } from "../../core/codec/cbor/read.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { object } from "../../core/meta/object.ts";
import { defaultNames } from "../../core/names.ts";
import { type StructNode, structural, type Typed } from "../../core/schema.ts";
import { treeFromJson } from "../../core/tree/values.ts";
import { kindOf } from "./compile-kind.ts";

test("a stored custom resource keeps the members that its schema does not name, in CBOR as in JSON", () => {
  const keeps = { "x-kubernetes-preserve-unknown-fields": true } as const;
  const schema = { ...object("Thing", {}, { doc: "" }), whole: keeps, rest: structural(keeps) } as Typed<ApiObject, StructNode>;
  const kind = kindOf({
    kind: "Thing",
    custom: true,
    scope: "Cluster",
    summary: "",
    storedAs: "example.com/v1",
    storedUnder: "things",
    served: { "example.com/v1": { schema, introduced: "1.0" } },
  }, { names: defaultNames, isOn: () => false });
  const value = { kind: "Thing", apiVersion: "example.com/v1", metadata: { name: "a" }, big: 7, list: [1.5, null] };
  const { decode, decodeCbor } = kind.storedForm("example.com/v1")!;
  const stored = decode(treeFromJson(value));
  assert.deepEqual(decodeCbor(readCbor(cborWriter(schema)(stored).finish())), stored);
  assert.deepEqual((stored as unknown as typeof value).list, [1.5, null]);
});
