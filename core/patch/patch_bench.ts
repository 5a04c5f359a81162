// Cost of each patch format for a ConfigMap of 1 kB and 100 kB, from its JSON to the decoded result. Run: `deno run core/patch/patch_bench.ts`
import { decoder } from "../derive/decode.ts";
import { object } from "../meta/object.ts";
import { bytes, field, record, string } from "../schema.ts";
import { readJson, readWrittenJson } from "../tree/json.ts";
import type { Read, Tree } from "../tree/tree.ts";
import { convertUntyped } from "./converted.ts";
import { applyJsonPatch, readJsonPatch } from "./json-patch.ts";
import { mergePatch, readMergePatch } from "./merge.ts";
import { shapeOf } from "./strategic-shape.ts";
import { readStrategicPatch, strategicMerge } from "./strategic.ts";
import { type UntypedMap, untypedOf } from "./untyped.ts";
import { plainTree } from "./written.ts";

const ConfigMap = object("ConfigMap", { data: field(2, record(string), ""), binaryData: field(3, record(bytes), "") });
const decode = decoder(ConfigMap);
const utf8 = new TextEncoder();

function treeOf(read: Read): Tree {
  if (!read.ok) throw new Error(read.error);
  return read.tree;
}
function result(tree: Tree): unknown {
  return decode(tree, { reader: "json", findings: [] });
}

const change = utf8.encode('{"metadata":{"labels":{"a":"1","b":null}},"data":{"key-1":"other"}}');
const operations = utf8.encode(
  '[{"op":"replace","path":"/data/key-1","value":"other"},{"op":"add","path":"/metadata/labels","value":{"a":"1"}}]',
);

const dialects: Readonly<Record<string, (text: string) => unknown>> = {
  "json": (text) => result(plainTree(applyJsonPatch(treeOf(readWrittenJson(text)), readJsonPatch(operations, true).operations))),
  "merge": (text) => result(plainTree(mergePatch(treeOf(readWrittenJson(text)), readMergePatch(change, true).tree))),
  "strategic": (text) => {
    const live = untypedOf(treeOf(readJson(text))) as UntypedMap, patch = untypedOf(readStrategicPatch(change, true).tree) as UntypedMap; // objects both
    return result(convertUntyped(strategicMerge(live, patch, shapeOf(ConfigMap)), ConfigMap));
  },
  "none, for comparison": (text) => result(treeOf(readJson(text))),
};

for (const [size, count] of [["1 kB", 10], ["100 kB", 1000]] as const) {
  const data = Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, `line\n${"x".repeat(80)}`]));
  const text = JSON.stringify({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "settings", uid: "7c1d0a5e-53b3-4a4c-8b9e-1a2b3c4d5e6f" },
    data,
  });
  for (const [name, run] of Object.entries(dialects)) {
    const rounds = 200_000 / count;
    for (let round = 0; round < rounds / 5; round++) run(text);
    const begun = performance.now();
    for (let round = 0; round < rounds; round++) run(text);
    console.log(`${size}, ${name}: ${((performance.now() - begun) * 1000 / rounds).toFixed(1)} \u00b5s`);
  }
}
