// Stored JSON that is recognised as canonical is not decoded. For the golden object of each kind, and for thousands of changes of it, a
// recognised text must be what decoding and encoding it gives.
// In Deno's suite only: folds of schemas and their readers use nothing of the runtime.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { canonical } from "../../core/derive/canonical.ts";
import { canonicalBytes } from "../../core/derive/canonical-bytes.ts";
import { decodeStored } from "../../core/derive/decode.ts";
import { encoder } from "../../core/derive/encode.ts";
import { randomOf } from "../../core/random.ts";
import { seedOfRun } from "../../core/derive/test-random.ts";
import type { Json } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { defaultNames, spell } from "../../core/names.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { exactJson } from "../../core/tree/exact-json.ts";
import { readJson } from "../../core/tree/json.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { plugins } from "../../plugins/mod.ts";

const changesOfEach = 250;
const seed = seedOfRun(), random = randomOf(seed);
const among = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

/** Values that some node refuses, omits or writes otherwise. */
const odd: readonly Json[] = [
  "",
  "0",
  "a<&>\u2028\ud800",
  "2024-01-02T03:04:05.000Z",
  "2024-01-02T03:04:05Z",
  "1024Mi",
  "1.5s",
  0,
  1,
  -1,
  1.5,
  1e21,
  1e-7,
  2 ** 31,
  2 ** 53,
  true,
  false,
  null,
  [],
  {},
  [null],
  [{}],
  { a: null },
  { b: 1, a: 2 },
];

/** The value with one change somewhere. */
function changed(value: Json): Json {
  const deeper = typeof value === "object" && value !== null && random() < 0.85;
  if (!deeper) return among(odd);
  if (Array.isArray(value)) {
    if (value.length === 0 || random() < 0.1) return [...value, ...value.slice(0, 1)];
    const at = Math.floor(random() * value.length);
    return value.map((each, index) => index === at ? changed(each) : each);
  }
  const entries = Object.entries(value);
  const way = random();
  if (entries.length === 0 || way < 0.05) return Object.fromEntries([...entries, ["unknown", among(odd)]]);
  const at = Math.floor(random() * entries.length);
  if (way < 0.1) return Object.fromEntries(entries.toReversed());
  if (way < 0.2) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(entries.map(([key, inner], index) => [key, index === at ? changed(inner) : inner]));
}

/**
 * Whether the text is recognised, as a value and in bytes. A recognised one is decoded and encoded, too; in bytes it is recognised only if there are no
 * defaults to apply either.
 */
function recognised(schema: Typed<ApiObject, StructNode>, text: string): { readonly value: boolean; readonly bytes: boolean } {
  const exact = exactJson(text), value = exact !== undefined && canonical(schema)(exact);
  const applyDefaults = (object: ApiObject) => defaulter(schema)(object, () => true);
  let made: ApiObject | undefined;
  const bytes = canonicalBytes(schema, applyDefaults)(toBytes.encode(`${text}\n`), (object) => made = object);
  if (!value && !bytes) return { value, bytes };
  const read = readJson(text);
  assert.ok(read.ok, text);
  const object = decodeStored(schema)(read.tree);
  if (value) assert.deepEqual(exact, object, text);
  if (bytes) assert.equal(applyDefaults(object), object, text);
  if (made !== undefined) assert.deepEqual(made, object, text);
  assert.equal(encoder(schema)(object), text);
  return { value, bytes };
}
const toBytes = new TextEncoder();
/** Kinds of which a store may have many objects, and whose golden object has all defaults. */
const recognisedInBytes = new Set(["ConfigMap", "ServiceAccount", "Event", "Secret", "Namespace"]);

for (const { kind, served } of plugins.flatMap((plugin) => plugin.resources ?? [])) {
  for (const [groupVersion, { schema: node }] of Object.entries(served)) {
    const apiVersion = spell(defaultNames, groupVersion);
    const file = new URL(
      `v1.35/${(apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`).replace("/", ".")}.${kind}.json`,
      import.meta.url,
    );
    if (!existsSync(file)) continue;
    test(`stored ${apiVersion} ${kind} is recognised as canonical only if it is (seed ${seed})`, () => {
      const schema = node as Typed<ApiObject, StructNode>; // schemas of served versions are made by object()
      const golden = JSON.parse(readFileSync(file, "utf8"));
      const text = encoded(schema, goJson(golden)), { value, bytes } = recognised(schema, text);
      // Null is decoded: it is rare in stored objects.
      assert.equal(value, !text.includes(":null"));
      assert.ok(bytes || !recognisedInBytes.has(kind));
      for (let change = 0; change < changesOfEach; change++) {
        const next = changed(golden), written = goJson(next), own = encoded(schema, written);
        recognised(schema, written);
        if (own !== written) recognised(schema, own);
      }
    });
  }
}

/** The text of the object that is decoded from a text; "" if it cannot be decoded. */
function encoded(schema: Typed<ApiObject, StructNode>, text: string): string {
  const read = readJson(text);
  if (!read.ok) return "";
  try {
    return encoder(schema)(decodeStored(schema)(read.tree));
  } catch {
    return "";
  }
}
