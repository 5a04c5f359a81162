// Cost of each fold that runs per request, for a ConfigMap of one kilobyte. Run: `deno run core/derive/folds_bench.ts`
import { readJson } from "../tree/json.ts";
import { object } from "../meta/object.ts";
import { boolean, bytes, field, record, string } from "../schema.ts";
import { decodeStored } from "./decode.ts";
import { encoder } from "./encode.ts";
import { defaulter } from "./apply-defaults.ts";
import { protobufReader, protobufWriter } from "./protobuf.ts";

const ConfigMap = object("ConfigMap", {
  immutable: field(4, boolean, "", { pointer: true }),
  data: field(2, record(string), ""),
  binaryData: field(3, record(bytes), ""),
});
const text = JSON.stringify({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: {
    name: "settings",
    namespace: "default",
    uid: "7c1d0a5e-53b3-4a4c-8b9e-1a2b3c4d5e6f",
    creationTimestamp: "2024-01-02T03:04:05Z",
    labels: { app: "web", tier: "front" },
    managedFields: [{
      manager: "kubectl",
      operation: "Update",
      apiVersion: "v1",
      time: "2024-01-02T03:04:05Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { ".": {}, "f:a": {}, "f:b": {} }, "f:metadata": { "f:labels": { ".": {}, "f:app": {} } } },
    }],
  },
  data: { a: "x".repeat(400), b: "hello world\n".repeat(10), c: "1", d: "some value here" },
});
const read = readJson(text);
if (!read.ok) throw new Error(read.error);
const { tree } = read;
const decode = decodeStored(ConfigMap), encode = encoder(ConfigMap), withDefaults = defaulter(ConfigMap);
const write = protobufWriter(ConfigMap), readMessage = protobufReader(ConfigMap);
const value = decode(tree), message = write(value);

const rounds = 50_000;
function bench(what: string, run: () => unknown): void {
  for (let round = 0; round < rounds / 5; round++) run();
  const begun = performance.now();
  for (let round = 0; round < rounds; round++) run();
  console.log(`${what}: ${((performance.now() - begun) * 1000 / rounds).toFixed(2)} \u00b5s`);
}
bench("read JSON into a tree", () => readJson(text));
bench("decode a tree", () => decode(tree));
bench("encode as JSON", () => encode(value));
bench("JSON.stringify, for comparison", () => JSON.stringify(value));
bench("apply defaults", () => withDefaults(value, () => true));
bench("write protobuf", () => write(value));
bench("read protobuf", () => readMessage(message));
