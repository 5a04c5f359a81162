import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import { bytes, field, int32, lazy, list, oneOf, quantity, record, string, structsOf, time, type Typed } from "../schema.ts";
import { readJson } from "../tree/json.ts";
import { decoder } from "./decode.ts";
import { encoder } from "./encode.ts";
import { sampleOf } from "./sample.ts";

const struct = structsOf("core/v1");
const Kind = object("Kind", {
  mode: field(2, oneOf("B", "A"), ""),
  data: field(3, record(bytes), ""),
  source: field(4, struct("Source", { limits: field(1, quantity, "", { pointer: true }), count: field(2, int32, "") }), "", {
    inline: true,
  }),
  times: field(5, list(time), ""),
});

test("sampleOf() sets every field to a value of its name and number", () => {
  const { metadata, ...rest } = sampleOf(Kind, "v1");
  assert.deepEqual(rest as unknown, {
    kind: "Kind",
    apiVersion: "v1",
    mode: "B",
    data: { dataKey: "Aw==" },
    limits: "1Gi",
    count: 2,
    times: ["2005-01-01T01:01:01Z"],
  });
  assert.equal(metadata.name, "nameValue");
  assert.equal(metadata.ownerReferences?.[0]?.blockOwnerDeletion, true);
});

test("sampleOf() is canonical: its JSON decodes without findings", () => {
  const sample = sampleOf(Kind, "v1");
  const read = readJson(encoder(Kind)(sample));
  assert.ok(read.ok);
  const report = { reader: "json" as const, findings: [] };
  assert.deepEqual(decoder(Kind)(read.tree, report), sample);
  assert.deepEqual(report.findings, []);
});

test("sampleOf() nests a recursive struct once", () => {
  type Tree = { readonly name?: string; readonly next?: Tree; readonly all?: readonly Tree[] };
  const Node: Typed<Tree> = struct("Node", {
    name: field(1, string, ""),
    next: field(2, lazy((): Typed<Tree> => Node), "", { pointer: true }),
    all: field(3, list(lazy((): Typed<Tree> => Node)), ""),
  });
  assert.deepEqual(sampleOf(Node, ""), { name: "nameValue", all: [] });
});
