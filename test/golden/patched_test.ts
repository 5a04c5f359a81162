// A patch is applied to the members that it names. For the golden object of each kind, and for many patches of it, the result must be what merging and
// decoding the whole object gives.
// In Deno's suite only: patches and folds of schemas use nothing of the runtime.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { decoder, type DecodeReport, decodeStored } from "../../core/derive/decode.ts";
import { encoder } from "../../core/derive/encode.ts";
import { seedOfRun } from "../../core/derive/test-random.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { defaultNames, spell } from "../../core/names.ts";
import { convertUntyped } from "../../core/patch/converted.ts";
import { type Merge, patchInPart } from "../../core/patch/in-part.ts";
import { mergePatch } from "../../core/patch/merge.ts";
import { shapeOf } from "../../core/patch/strategic-shape.ts";
import { strategicMerge } from "../../core/patch/strategic.ts";
import { type UntypedMap, untypedOf } from "../../core/patch/untyped.ts";
import { plainTree } from "../../core/patch/written.ts";
import { randomOf } from "../../core/random.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { StatusError } from "../../core/status-error.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { readJson, readWrittenJson } from "../../core/tree/json.ts";
import type { Read, Tree } from "../../core/tree/tree.ts";
import { plugins } from "../../plugins/mod.ts";

const patchesOfEach = 60;
const seed = seedOfRun(), random = randomOf(seed);
const among = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const odd: readonly Json[] = ["", "a", "2024-01-02T03:04:05Z", "1024Mi", 0, 1, 1.5, true, null, [], {}, { a: null }, { $patch: "replace" }];

/** The value with one change somewhere, or less of it: what a patch may say of a member. */
function changed(value: Json): Json {
  if (typeof value !== "object" || value === null || random() < 0.1) return among(odd);
  if (Array.isArray(value)) return value.length === 0 || random() < 0.2 ? [...value, ...value] : value.map((each) => changed(each));
  const entries = Object.entries(value).filter(() => random() < 0.6);
  if (entries.length === 0) return { unknown: among(odd) };
  const at = Math.floor(random() * entries.length);
  return Object.fromEntries(entries.map(([key, inner], index) => [key, index === at ? changed(inner) : inner]));
}

function treeOf(read: Read): Tree {
  assert.ok(read.ok);
  return read.tree;
}

interface Dialect {
  readonly patch: Tree;
  readonly merge: Merge;
  readonly converted?: true;
}
function dialectsOf(schema: StructNode, text: string): readonly Dialect[] {
  const written = treeOf(readWrittenJson(text)), plain = treeOf(readJson(text));
  return [
    { patch: written, merge: (json) => plainTree(mergePatch(treeOf(readWrittenJson(json)), written)) },
    {
      patch: plain,
      merge: (json) => {
        const original = untypedOf(treeOf(readJson(json))) as UntypedMap, merged = untypedOf(plain) as UntypedMap;
        return convertUntyped(strategicMerge(original, merged, shapeOf(schema)), schema);
      },
      converted: true,
    },
  ];
}

let inPart = 0;

for (const { kind, served } of plugins.flatMap((plugin) => plugin.resources ?? [])) {
  for (const [groupVersion, { schema: node }] of Object.entries(served)) {
    const apiVersion = spell(defaultNames, groupVersion);
    const file = new URL(
      `v1.35/${(apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`).replace("/", ".")}.${kind}.json`,
      import.meta.url,
    );
    if (!existsSync(file)) continue;
    test(`a patch of ${apiVersion} ${kind} in part is one of the whole object (seed ${seed})`, () => {
      const schema = node as Typed<ApiObject, StructNode>; // schemas of served versions are made by object()
      const golden: JsonObject = JSON.parse(readFileSync(file, "utf8"));
      const live = decodeStored(schema)(treeOf(readJson(goJson(golden)))), encode = encoder(schema), decode = decoder(schema);
      const members = Object.keys(golden).filter((key) => key !== "kind" && key !== "apiVersion");
      for (let round = 0; round < patchesOfEach; round++) {
        const named = [...new Set([among(members), among(members)])];
        const text = goJson(Object.fromEntries(named.map((key) => [key, random() < 0.1 ? null : changed(golden[key]!)])));
        for (const { patch, merge, converted } of dialectsOf(schema, text)) {
          const report = (): DecodeReport => ({ reader: "json", findings: [], ...converted === undefined ? {} : { converted } });
          const result = outcome(() => patchInPart({ encode, decode }, () => live, patch, report(), merge));
          if (result === undefined) continue;
          inPart++;
          const found = report(), whole = outcome(() => decode(merge(encode(live)), found));
          assert.deepEqual(found.findings, [], text);
          assert.deepEqual(result, whole, text);
          if (typeof whole === "object") assert.equal(encode(result as ApiObject), encode(whole), text);
        }
      }
    });
  }
}

test("most of these patches were applied in part", () => assert.ok(inPart > 1_000, `${inPart}`));

/** The result, or the text of the error that a client would get. */
function outcome<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}
