import assert from "node:assert/strict";
import { test } from "node:test";
import { ofOldVersion, OldDefinition } from "./old-version.ts";
import { decoder } from "../../core/derive/decode.ts";
import { readJson } from "../../core/tree/json.ts";

function converted(spec: object) {
  const read = readJson(JSON.stringify({ kind: "CustomResourceDefinition", metadata: { name: "a.example.com" }, spec, status: {} }));
  assert.ok(read.ok);
  const findings: string[] = [];
  const old = decoder(OldDefinition)(read.tree, { reader: "json", findings }) as OldDefinition;
  assert.deepEqual(findings, []);
  return ofOldVersion(old).spec;
}

const shared = { group: "example.com", names: { plural: "as", kind: "A" }, scope: "Cluster" };
const schema = (type: string) => ({ openAPIV3Schema: { type } });

test("ofOldVersion() copies what all versions share into each version", () => {
  const spec = converted({
    ...shared,
    version: "v1",
    validation: schema("object"),
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "Size", type: "integer", JSONPath: ".spec.size" }],
    selectableFields: [{ jsonPath: ".spec.size" }],
    versions: [{ name: "v1", served: true, storage: true }, { name: "v2", served: false, storage: false, schema: schema("string") }],
    conversion: { strategy: "None" },
    preserveUnknownFields: false,
  });
  const both = {
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
    selectableFields: [{ jsonPath: ".spec.size" }],
  };
  assert.deepEqual(JSON.parse(JSON.stringify(spec)), {
    ...shared,
    versions: [
      { name: "v1", served: true, storage: true, schema: schema("object"), ...both },
      { name: "v2", served: false, storage: false, schema: schema("string"), ...both },
    ],
    conversion: { strategy: "None" },
    preserveUnknownFields: false,
  });
});

test("ofOldVersion() makes a version of `version` alone, keeps unknown fields by default, and moves the webhook", () => {
  const clientConfig = { url: "https://example.com/convert" };
  const spec = converted({ ...shared, scope: "", version: "v1", conversion: { strategy: "Webhook", webhookClientConfig: clientConfig } });
  assert.deepEqual(JSON.parse(JSON.stringify(spec)), {
    ...shared,
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true }],
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1beta1"] } },
    preserveUnknownFields: true,
  });
});
