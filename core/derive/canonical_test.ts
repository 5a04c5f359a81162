import assert from "node:assert/strict";
import { test } from "node:test";
import { rootSchema } from "../definition/root-schema.ts";
import { randomOf } from "../random.ts";
import { field, string, structsOf, time, type Typed } from "../schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { exactJson } from "../tree/exact-json.ts";
import { readJson } from "../tree/json.ts";
import { goJson } from "../tree/json-text.ts";
import { canonical } from "./canonical.ts";
import { decodeStored } from "./decode.ts";
import { encoder } from "./encode.ts";
import { randomValue } from "./random-value.ts";
import { seedOfRun } from "./test-random.ts";

const seed = seedOfRun();
const text = { type: "string" }, preserve = { "x-kubernetes-preserve-unknown-fields": true } as const;
const inner: StructuralSchema = { type: "object", properties: { a: text, b: { type: "number" }, none: { ...text, nullable: true } } };
const contents: StructuralSchema = {
  type: "object",
  properties: {
    text,
    inner,
    list: { type: "array", items: inner },
    lists: { type: "array", items: { type: "array", items: { type: "integer" } } },
    map: { type: "object", additionalProperties: inner },
    open: { ...inner, ...preserve },
    openList: { type: "array", ...preserve, items: inner },
    free: preserve,
  },
};
/** Definitions of one kind that keep more or less of the same objects. */
const schemas: readonly StructuralSchema[] = [
  { type: "object", properties: { spec: contents } },
  { type: "object", ...preserve },
  { type: "object", properties: { spec: inner } },
  { type: "object", additionalProperties: contents },
  { type: "object", properties: { spec: { ...contents, ...preserve } } },
  { type: "object", properties: { spec: { type: "object", properties: { ...contents.properties, list: { type: "array" } } } } },
  { type: "object", properties: { spec: { type: "object", ...preserve, "x-kubernetes-embedded-resource": true } } },
];

/** Objects of which each is changed by one rule of decoding. */
const changed = [
  '"spec":{"metadata":{"x":1}}',
  '"spec":{"metadata":{"name":1}}',
  '"spec":{"a":null}',
  '"spec":{"list":[{"c":1}]}',
  '"spec":{"list":[null]}',
  '"spec":{"b":1,"a":""}',
  '"spec":{"b":1e+21}',
  '"spec":{"b":1234567890123456800}',
  '"z":1,"spec":{}',
].map((members) => `{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"x"},${members}}`);

test(`canonical() recognises only custom resources that decoding does not change (THOLE_SEED=${seed})`, () => {
  const random = randomOf(seed);
  const kinds = schemas.map((schema) => {
    const node = rootSchema("Thing", schema);
    return { node, isCanonical: canonical(node), encode: encoder(node), decode: decodeStored(node) };
  });
  const decoded = (kind: typeof kinds[number], json: string) => {
    const read = readJson(json);
    assert.ok(read.ok);
    return kind.decode(read.tree);
  };
  const assertUnchanged = (reader: typeof kinds[number], stored: string): boolean => {
    const exact = exactJson(stored);
    if (!reader.isCanonical(exact)) return false;
    assert.deepEqual(exact, decoded(reader, stored), stored);
    assert.equal(reader.encode(decoded(reader, stored)), stored);
    return true;
  };
  for (const stored of changed) for (const reader of kinds) assertUnchanged(reader, stored);
  const own = kinds.map(() => 0);
  const rounds = 60;
  for (let round = 0; round < rounds; round++) {
    for (const [index, writer] of kinds.entries()) {
      const sent = goJson({ ...randomValue(writer.node, random) as object, kind: "Thing", apiVersion: "example.com/v1" });
      const json = writer.encode(decoded(writer, sent));
      for (const reader of kinds) {
        assertUnchanged(reader, sent);
        if (assertUnchanged(reader, json) && reader === writer) own[index]!++;
      }
    }
  }
  for (const [index, recognised] of own.slice(0, 6).entries()) assert.ok(recognised > rounds / 10, `${recognised} of schema ${index}`);
});

test("canonical() recognises null where an absent time is written as null, and nowhere else", () => {
  const probed = structsOf("test/v1")("Probed", {
    at: field(1, time, "Written when absent.", { written: "always" }),
    until: field(2, time, "Left out when absent.", { pointer: true }),
    text: field(3, string, "Written.", { written: "always" }),
  }, { doc: "A condition." });
  const isKnown = canonical(probed as Typed<unknown>), decode = decodeStored(probed as Typed<unknown>);
  for (
    const [text, known] of [['{"at":null,"text":""}', true], ['{"at":null,"until":null,"text":""}', false], [
      '{"at":null,"text":null}',
      false,
    ]] as const
  ) {
    const exact = exactJson(text), read = readJson(text);
    assert.ok(read.ok);
    assert.equal(isKnown(exact), known, text);
    if (known) assert.deepEqual(exact, decode(read.tree));
  }
});
