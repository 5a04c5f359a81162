// Golden objects with random changes of bytes: the protobuf and CBOR readers throw their own errors, or read an object that can be written
// in every encoding.
// In Deno's suite only: folds of schemas and their readers use nothing of the runtime.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CborError, readCbor } from "../../core/codec/cbor/read.ts";
import { readEnvelope, writeEnvelope } from "../../core/codec/protobuf.ts";
import { cborReader } from "../../core/derive/cbor-read.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { DecodeError, decodeStored } from "../../core/derive/decode.ts";
import { encoder } from "../../core/derive/encode.ts";
import { ProtobufError, protobufReader, protobufWriter } from "../../core/derive/protobuf.ts";
import { randomOf } from "../../core/random.ts";
import { seedOfRun } from "../../core/derive/test-random.ts";
import { defaultNames, spell } from "../../core/names.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { readJson } from "../../core/tree/json.ts";
import { plugins } from "../../plugins/mod.ts";

const folder = new URL("v1.35/", import.meta.url);
const files = new Set(readdirSync(folder));
const seed = seedOfRun();

const goldens = plugins.flatMap(({ resources = [] }) => resources).flatMap(({ kind, served }) =>
  Object.entries(served).flatMap(([written, { schema }]) => {
    const apiVersion = spell(defaultNames, written);
    const file = `${(apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`).replace("/", ".")}.${kind}.pb`;
    if (!files.has(file)) return [];
    // Schemas of served versions are made by object().
    return [{ file, schema: schema as Typed<ApiObject, StructNode>, bytes: new Uint8Array(readFileSync(new URL(file, folder))) }];
  })
);

const fromProtobuf = (schema: Typed<ApiObject, StructNode>, bytes: Uint8Array): ApiObject => {
  const { raw, kind, apiVersion } = readEnvelope(bytes);
  return { ...protobufReader(schema)(raw), kind, apiVersion };
};
const fromCbor = (schema: Typed<ApiObject, StructNode>, bytes: Uint8Array): ApiObject => cborReader(schema)(readCbor(bytes));

/** A decoded object is equal in every encoding, after one round trip through the clients' form. */
function checkObject(schema: Typed<ApiObject, StructNode>, object: ApiObject): void {
  const read = readJson(encoder(schema)(object));
  assert.ok(read.ok, read.ok ? "" : read.error);
  const canonical = decodeStored(schema)(read.tree);
  assert.deepEqual(fromCbor(schema, cborWriter(schema)(canonical).finish()), canonical);
  const { kind, apiVersion } = canonical;
  // An invalid group version in an envelope is empty.
  const whole = apiVersion.split("/").length > 2 ? { ...canonical, apiVersion: "" } : canonical;
  assert.deepEqual(fromProtobuf(schema, writeEnvelope({ kind, apiVersion }, protobufWriter(schema)(canonical))), whole);
}

for (
  const { name, sourceOf, read } of [
    { name: "protobuf", sourceOf: ({ bytes }: typeof goldens[number]) => bytes, read: fromProtobuf },
    {
      name: "CBOR",
      sourceOf: ({ schema, bytes }: typeof goldens[number]) => cborWriter(schema)(fromProtobuf(schema, bytes)).finish(),
      read: fromCbor,
    },
  ] as const
) {
  test(`golden objects in ${name} with changed bytes are rejected or read completely (THOLE_SEED=${seed})`, () => {
    assert.ok(goldens.length > 10);
    const random = randomOf(seed);
    let refused = 0, wholes = 0;
    for (const golden of goldens) {
      const source = sourceOf(golden);
      for (let round = 0; round < 30; round++) {
        const changed = source.slice(0, random() < 0.1 ? Math.floor(random() * source.length) : source.length);
        for (let change = random() * 4; change > 0 && changed.length > 0; change--) {
          changed[Math.floor(random() * changed.length)] = random() * 256;
        }
        try {
          checkObject(golden.schema, read(golden.schema, changed));
          wholes++;
        } catch (error) {
          if (!(error instanceof ProtobufError || error instanceof DecodeError || error instanceof CborError)) {
            throw new Error(`${golden.file}, seed ${seed}, round ${round}: ${Buffer.from(changed).toString("hex")}`, { cause: error });
          }
          refused++;
        }
      }
    }
    assert.ok(refused > 0 && wholes > 0, `${refused} refused, ${wholes} whole`);
  });
}
