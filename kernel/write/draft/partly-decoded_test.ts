import assert from "node:assert/strict";
import { test } from "node:test";
import { DecodeError, decoder } from "../../../core/derive/decode.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { object } from "../../../core/meta/object.ts";
import { field, int32, type Json, list, quantity, record, string, struct } from "../../../core/schema.ts";
import { treeFromJson } from "../../../core/tree/json.ts";
import type { Tree } from "../../../core/tree/tree.ts";
import { partlyDecoded } from "./partly-decoded.ts";

const decodeThing = decoder(object("Thing", {
  data: field(2, record(string), "A map."),
  tags: field(3, list(string), "A list."),
  note: field(4, string, "A text."),
  spec: field(5, struct("ThingSpec", { size: field(1, int32, "A number."), amount: field(2, quantity, "A quantity.") }), "A struct."),
}, { doc: "A thing." }));
let decoded: Tree[] = [];
const decode = (tree: Tree): ApiObject => {
  decoded.push(tree);
  return decodeThing(tree, { reader: "yaml", findings: [], applied: true }) as unknown as ApiObject; // a thing is an object
};
const whole = (value: Json): ApiObject => decode(treeFromJson(value));
const first = {
  kind: "Thing",
  apiVersion: "v1",
  metadata: { name: "a", labels: { k: "v" } },
  data: { k: "v" },
  tags: ["t"],
  note: "n",
  spec: { size: 1, amount: "1" },
};
const live = whole(first) as unknown as { readonly [key: string]: Json }; // a decoded object is a plain value

test("partlyDecoded() gives what decoding the whole gives, or leaves it to that", () => {
  const changes: Readonly<Record<string, readonly Json[]>> = {
    kind: ["Other", "", null],
    apiVersion: ["v2", null],
    metadata: [{ name: "b" }, { name: "a", labels: null }, { name: "a", creationTimestamp: null }, {}, null],
    data: [{ k: "w", l: "x" }, { k: null }, {}, null, JSON.parse('{"__proto__":"own"}')],
    tags: [["t", "u"], [], null],
    note: ["", "m", null],
    spec: [{ size: 2 }, { size: 0, amount: "1.50e3" }, { size: null }, {}, null],
  };
  const keys = Object.keys(changes);
  let partly = 0;
  for (const [at, key] of keys.entries()) {
    for (const value of changes[key]!) {
      // Alone, and with a change of the next member.
      const next = keys[(at + 1) % keys.length]!;
      for (const merged of [{ ...live, [key]: value }, { ...live, [key]: value, [next]: changes[next]![0]! }]) {
        const found = partlyDecoded(live, merged, decode);
        if (found === undefined) continue;
        partly++;
        assert.deepEqual(found, whole(merged), JSON.stringify(merged));
      }
    }
  }
  assert.ok(partly > keys.length, "most changes are decoded partly");
});

test("partlyDecoded() decodes only what has changed, and shares the rest", () => {
  decoded = [];
  const found = partlyDecoded(live, { ...live, spec: { size: 7 } }, decode) as unknown as Record<string, Json>; // a plain value
  assert.deepEqual(decoded, [treeFromJson({ spec: { size: 7 } })]);
  for (const key of ["metadata", "data", "tags"]) assert.equal(found[key], live[key], key);
  assert.deepEqual(live, whole(first), "the live object is as it was");
});

test("partlyDecoded() leaves members that come, go or are omitted to decoding as a whole", () => {
  const { note: _, ...without } = live;
  assert.equal(partlyDecoded(live, without, decode), undefined);
  assert.equal(partlyDecoded(without, live, decode), undefined);
  assert.equal(partlyDecoded(live, { ...without, more: "x" }, decode), undefined);
  assert.equal(partlyDecoded(live, { ...live, data: null }, decode), undefined);
  for (const [one, other] of [[null, live], [live, null], [live, []], ["x", live]] as const) {
    assert.equal(partlyDecoded(one, other, decode), undefined);
  }
});

test("partlyDecoded() rejects what decoding rejects", () => {
  for (const wrong of [{ spec: { size: "x" } }, { data: ["x"] }, { metadata: { labels: "x" } }]) {
    assert.throws(() => partlyDecoded(live, { ...live, ...wrong }, decode), DecodeError);
  }
});
