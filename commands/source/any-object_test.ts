import assert from "node:assert/strict";
import { test } from "node:test";
import { CborWriter } from "../../core/codec/cbor/write.ts";
import { writeEnvelope } from "../../core/codec/protobuf.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import { ObjectMeta } from "../../core/meta/object-meta.ts";
import { field, string, struct } from "../../core/schema.ts";
import { protobufObject, untypedObject } from "./any-object.ts";

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "u-2" };
const manager = { manager: "m", apiVersion: "example.com/v1beta1", time: "2026-01-01T00:00:00Z" };
const metadata = {
  name: "a",
  namespace: "default",
  annotations: { k: "v" },
  ownerReferences: [owner],
  managedFields: [{ ...manager, operation: "Update", fieldsType: "FieldsV1", fieldsV1: { "f:x": {} } }],
};
const type = { apiVersion: "example.com/v1", kind: "Thing" };
const Thing = struct("Thing", { metadata: field(1, ObjectMeta, "Metadata."), x: field(2, string, "Anything.") });

test("protobufObject() reads version, kind and metadata of any kind, without sets of fields", () => {
  const value = writeEnvelope(type, protobufWriter(Thing)({ metadata, x: "y" } as never));
  assert.deepEqual(protobufObject(value), {
    ...type,
    metadata: { name: "a", namespace: "default", labels: {}, annotations: { k: "v" }, ownerReferences: [owner], managedFields: [manager] },
  });
  assert.deepEqual(protobufObject(writeEnvelope(type, new Uint8Array())).kind, "Thing");
  assert.throws(() => protobufObject(writeEnvelope(type, Uint8Array.of(10, 200))), /unexpected EOF/);
});

test("untypedObject() reads whole objects in JSON and CBOR", () => {
  const object = { ...type, metadata: { name: "a" }, x: "y" };
  assert.deepEqual(untypedObject(new TextEncoder().encode(JSON.stringify(object))), object);
  const typed = Object.freeze({ ...Thing, typeMeta: true }) as typeof Thing;
  const { kind, apiVersion, metadata, x } = untypedObject(
    cborWriter(typed)(object as never, new CborWriter().selfDescribed()).finish(),
  );
  assert.deepEqual({ kind, apiVersion, metadata, x }, object);
  for (const text of ["[]", "{", "1", ""]) assert.throws(() => untypedObject(new TextEncoder().encode(text)), Error, text);
});
