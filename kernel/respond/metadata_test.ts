import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../../core/meta/object.ts";
import { defaultNames } from "../../core/names.ts";
import type { Plugin, Served } from "../../core/plugin.ts";
import { field, string } from "../../core/schema.ts";
import { compile } from "../catalog/compile.ts";
import { encoder } from "../../core/derive/encode.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import { Item } from "../objects/objects.ts";
import type { RequestContext } from "../request-context.ts";
import { isStoredForm } from "../objects/served.ts";
import { partial, partialText } from "./metadata.ts";

const schema = object("Thing", { text: field(2, string, "A text.") }, { doc: "A thing." });
const upper = (one: any) => ({ ...one, text: one.text.toUpperCase() });

function endpointOf(converts: Partial<Served>) {
  const plugin: Plugin = {
    name: "test",
    summary: "A thing.",
    resources: [{
      kind: "Thing",
      scope: "Cluster",
      summary: "A thing.",
      storedAs: "example.com/v1",
      storedUnder: "example.com/things",
      served: { "example.com/v1": { schema, introduced: "1.0", ...converts } },
    }],
  };
  return compile([plugin], { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() }).endpoint(
    "example.com",
    "v1",
    "things",
  )!;
}

test("isStoredForm() is true for a version with `toStored` only", () => {
  const one: any = { kind: "Thing", apiVersion: "example.com/v1", metadata: {}, text: "a" };
  const inwards = endpointOf({ toStored: upper }), outwards = endpointOf({ fromStored: upper });
  assert.equal(isStoredForm(inwards), true);
  assert.deepEqual(inwards.toStored(one), { ...one, text: "A" });
  assert.equal(inwards.fromStored(one), one);
  assert.equal(isStoredForm(outwards), false);
  assert.equal(outwards.toStored(one), one);
  assert.deepEqual(outwards.fromStored(one), { ...one, text: "A" });
});

test("partialText() is the encoded metadata, of cached JSON and of objects", () => {
  const endpoint = endpointOf({});
  const call = { endpoint, catalog: { names: defaultNames } } as RequestContext;
  const labels = { "a}": '{"\\', é: "<&>\u2028" };
  const one: any = { kind: "Thing", apiVersion: "example.com/v1", metadata: { name: "a", labels, finalizers: ["b/c"] }, text: "a" };
  const decoded = new Item(endpoint.stored, { key: "a", revision: 7, value: new Uint8Array() }, one);
  const cached = Item.served(endpoint.stored, "a", 7, { pieces: () => [decoded.json] });
  const { headBytes } = endpoint.stored;
  const inTwo = Item.served(endpoint.stored, "a", 7, { pieces: () => [headBytes, decoded.json.subarray(headBytes.length)] });
  assert.notEqual(cached.metadataText, undefined);
  for (const item of [decoded, cached, inTwo]) {
    assert.equal(partialText(call, item, "v1"), encoder(PartialObjectMetadata)(partial(call, item, "v1")));
  }
});
