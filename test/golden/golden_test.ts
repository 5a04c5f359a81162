// Golden objects: one per kind and version with every field set, in JSON, YAML and protobuf, made by kube-apiserver's own types. Each must
// decode to one object from all three and encode back to the same bytes. A new kind fails until it has its files.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { prettyJson } from "../../core/tree/json-text.ts";
import { readCbor } from "../../core/codec/cbor/read.ts";
import { readEnvelope, writeEnvelope } from "../../core/codec/protobuf.ts";
import { writeYaml } from "../../core/codec/yaml.ts";
import { cborReader } from "../../core/derive/cbor-read.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { decoder } from "../../core/derive/decode.ts";
import { encoder } from "../../core/derive/encode.ts";
import { protobufReader, protobufWriter } from "../../core/derive/protobuf.ts";
import { defaultNames, spell } from "../../core/names.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { readJson } from "../../core/tree/json.ts";
import type { Read } from "../../core/tree/tree.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { jsonFromTree } from "../../core/tree/values.ts";
import { plugins } from "../../plugins/mod.ts";

/** Newest first: for a removed kind the files of the last release with it are used. */
const releases = ["v1.35", "v1.34"];

/** Kinds without a golden object, each with its reason. */
const withoutFiles: Readonly<Record<string, string>> = {
  "core.v1.Pod": "there are none here; the collection can only be read, and core.v1.PodTemplate has all of its spec",
  "core.v1.Service": "there are none here; the collection can only be read",
  "coordination.k8s.io.v1beta1.Lease": "upstream keeps no entry of a removed version",
  "apiextensions.k8s.io.v1beta1.CustomResourceDefinition":
    "upstream keeps no entry of a removed version; test/import/kube-apiserver_test.ts reads those that a kube-apiserver has stored",
};

function fileOf(name: string): ((extension: string) => Uint8Array) | undefined {
  const release = releases.find((each) => existsSync(new URL(`${each}/${name}.json`, import.meta.url)));
  return release === undefined
    ? undefined
    : ((extension) => new Uint8Array(readFileSync(new URL(`${release}/${name}.${extension}`, import.meta.url))));
}

function decode(schema: Typed<ApiObject>, read: Read, reader: "json" | "yaml"): ApiObject {
  assert.ok(read.ok, read.ok ? "" : read.error);
  const report = { reader, findings: [] };
  const object = decoder(schema)(read.tree, report);
  assert.deepEqual([...report.findings, ...read.duplicates], []);
  return object;
}
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

for (const { kind, served } of plugins.flatMap((plugin) => plugin.resources ?? [])) {
  for (const [groupVersion, { schema: node }] of Object.entries(served)) {
    const apiVersion = spell(defaultNames, groupVersion);
    const name = `${(apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`).replace("/", ".")}.${kind}`;
    const schema = node as Typed<ApiObject, StructNode>; // Schemas of served versions are made by object().

    test(`golden ${name} is one object in JSON, YAML and protobuf, and encodes to the same bytes`, {
      skip: Object.hasOwn(withoutFiles, name) ? withoutFiles[name]! : false,
    }, () => {
      const file = fileOf(name);
      assert.ok(file, `test/golden has no files for ${name}`);
      const object = decode(schema, readJson(file("json")), "json");
      assert.deepEqual([object.kind, object.apiVersion], [kind, apiVersion]);
      assert.deepEqual(decode(schema, readYaml(file("yaml")), "yaml"), object);
      const envelope = readEnvelope(file("pb"));
      assert.deepEqual({ ...protobufReader(schema)(envelope.raw), kind: envelope.kind, apiVersion: envelope.apiVersion }, object);

      assert.equal(prettyJson(encoder(schema)(object)), text(file("json")));
      const written = readJson(encoder(schema)(object));
      assert.ok(written.ok);
      assert.equal(writeYaml(jsonFromTree(written.tree)), text(file("yaml")));
      assert.deepEqual(new Uint8Array(writeEnvelope(object, protobufWriter(schema)(object))), file("pb"));

      // There are no golden bytes of CBOR; the object must survive a round trip.
      const cbor = cborWriter(schema)(object).finish();
      const back = cborReader(schema)(readCbor(cbor), []);
      assert.deepEqual(back, object);
      assert.deepEqual(cborWriter(schema)(back).finish(), cbor);
    });
  }
}
