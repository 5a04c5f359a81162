import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { test } from "node:test";
import { CborWriter } from "../../core/codec/cbor/write.ts";
import { writeEnvelope } from "../../core/codec/protobuf.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import { ObjectMeta } from "../../core/meta/object-meta.ts";
import { field, struct } from "../../core/schema.ts";
import { testTransformer } from "../../server/encryption/test-transformer.ts";
import { decryptedEntries, encryptionOf } from "./encrypted.ts";
import { identityOf } from "./identity.ts";

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "u-2" };
const metadata = { name: "a", namespace: "default", uid: "u-1", ownerReferences: [owner] };
const Thing = struct("Thing", { metadata: field(1, ObjectMeta, "Metadata.") });
const expected = { apiVersion: "example.com/v1", kind: "Thing", namespace: "default", name: "a", uid: "u-1" };
const bytes = (text: string) => new TextEncoder().encode(text);

test("identityOf() names objects of any kind in protobuf, JSON and CBOR", () => {
  const values = {
    protobuf: writeEnvelope(expected, protobufWriter(Thing)({ metadata } as never)),
    json: bytes(JSON.stringify({ kind: "Thing", apiVersion: "example.com/v1", metadata })),
    cbor: cborWriter(Object.freeze({ ...Thing, typeMeta: true }) as typeof Thing)(
      { kind: "Thing", apiVersion: "example.com/v1", metadata } as never,
      new CborWriter().selfDescribed(),
    ).finish(),
  } as const;
  for (const [encoding, value] of Object.entries(values)) {
    const { owners, ...identity } = identityOf(value);
    assert.deepEqual(identity, { ...expected, encoding });
    assert.deepEqual(owners.map(({ apiVersion, kind, name, uid }) => ({ apiVersion, kind, name, uid })), [owner], encoding);
  }
});

test("identityOf() says why a value cannot be read", () => {
  const problem = (value: Uint8Array) => identityOf(value).problem;
  assert.equal(problem(bytes("k8s:enc:aescbc:v1:key1:xyz")), 'it is encrypted by aescbc with key "key1"');
  assert.equal(problem(bytes("k8s:enc:")), 'it is encrypted by unknown with key ""');
  assert.equal(problem(bytes("")), "it is neither protobuf, JSON nor CBOR");
  assert.match(problem(bytes("{")) ?? "", /unexpected end of JSON input/);
  assert.match(problem(Uint8Array.of(0x6b, 0x38, 0x73, 0, 10, 200)) ?? "", /unexpected EOF/);
  assert.match(problem(Uint8Array.of(0xd9, 0xd9, 0xf7, 0xa1)) ?? "", /EOF/);
  assert.deepEqual(identityOf(bytes('{"metadata":[1],"kind":7}')), {
    encoding: "json",
    apiVersion: "",
    kind: "",
    namespace: "",
    name: "",
    uid: "",
    owners: [],
  });
});

test("decryptedEntries() decrypts with the key of the provider and the name in the value, and keeps others", async () => {
  const secret = new Uint8Array(32).fill(7), iv = new Uint8Array(16).fill(1), nonce = new Uint8Array(12).fill(2);
  const key = "/registry/secrets/default/a", plain = bytes('{"kind":"Secret"}');
  const cbc = createCipheriv("aes-256-cbc", secret, iv), gcm = createCipheriv("aes-256-gcm", secret, nonce);
  gcm.setAAD(bytes(key));
  const values = {
    aescbc: Buffer.concat([bytes("k8s:enc:aescbc:v1:one:"), iv, cbc.update(plain), cbc.final()]),
    aesgcm: Buffer.concat([bytes("k8s:enc:aesgcm:v1:two:"), nonce, gcm.update(plain), gcm.final(), gcm.getAuthTag()]),
  };
  const entry = (value: Uint8Array, at = key) => ({ key: at, value, revision: 1 });
  // The first is of another resource.
  const cbcKeys = [["aescbc", "one", new Uint8Array(32).fill(9)], ["aescbc", "one", secret]] as const;
  const keys = testTransformer(...cbcKeys, ["aesgcm", "two", secret], "identity");
  const entries = await decryptedEntries([entry(values.aescbc), entry(values.aesgcm), entry(plain)], keys);
  assert.deepEqual(entries.map(({ value }) => new TextDecoder().decode(value)), Array(3).fill('{"kind":"Secret"}'));
  // The value of another key of etcd, an unknown key, and a damaged value stay encrypted.
  const moved = entry(values.aesgcm, "/registry/secrets/default/b"), cut = entry(values.aescbc.subarray(0, 30));
  assert.deepEqual(await decryptedEntries([moved, cut], keys), [moved, cut]);
  assert.deepEqual(await decryptedEntries([entry(values.aesgcm)], testTransformer(...cbcKeys)), [entry(values.aesgcm)]);
  assert.deepEqual(encryptionOf(values.aescbc), { provider: "aescbc", name: "one", key: 'key "one"' });
  assert.equal(encryptionOf(plain), undefined);
});
