import assert from "node:assert/strict";
import { bytesOf, type Target, unless } from "../fuzz.ts";
import { delimited, protobufGrammar } from "./protobuf.ts";

const textField = (number: number, text: string) => String.fromCharCode(number * 8 + 2) + delimited(text);

/** Values of another server's store, of any kind: their identity, their encryption, and fields that a schema does not have. */
export const storedValues: Target = {
  name: "stored-values",
  grammar: {
    ...protobufGrammar,
    value: ["k8s\x00<envelope>", "<json>", "k8s:enc:<provider>:v1:<word>:<message>", "k8s:enc:<word>", "\xd9\xd9\xf7<cbor>", "<message>"],
    envelope: [(w) => textField(1, textField(1, "v1") + textField(2, "ConfigMap")) + textField(2, w.write("object"))],
    object: [(w) => textField(1, w.write("metadata")) + w.many("field"), "<message>"],
    metadata: [
      (w) => textField(1, w.write("word")) + textField(3, w.write("word")) + textField(5, w.write("word")) + w.many("owner"),
      "<message>",
    ],
    owner: [
      (w) => textField(13, textField(1, "A") + textField(3, w.write("word")) + textField(4, w.write("word")) + textField(5, "v1")),
      "<message>",
    ],
    word: ["a", "", "default", "\xff", "aescbc"],
    provider: ["aescbc", "aesgcm", "kms", ""],
    json: [
      (w) => `{"kind":"A","apiVersion":"v1","metadata":{"name":"${w.below(9)}","ownerReferences":[${w.many("json-owner", ",")}]}}`,
      '{"metadata":7}',
      "{",
    ],
    "json-owner": ['{"uid":"u","kind":1}', "null", "[]"],
    cbor: ["\xa1\x68metadata\xa1\x64name\x61a", "\xa1\x44kind\x41A", "\xf6", "\x80"],
  },
  start: "value",
  binary: true,
  stepsPerCharacter: 60,
  async open(code) {
    const { identityOf } = await code.load("commands/source/identity.ts");
    const { encryptionOf } = await code.load("commands/source/encrypted.ts");
    const { unknownFields } = await code.load("commands/import/unknown-fields.ts");
    const { ProtobufError } = await code.load("core/codec/protobuf-wire.ts");
    const { ObjectMeta } = await code.load("core/meta/object-meta.ts");
    const { field, struct } = await code.load("core/schema.ts");
    const Thing = struct("Thing", { metadata: field(1, ObjectMeta, "Metadata.") });
    return (input) => {
      const bytes = bytesOf(input), identity = identityOf(bytes), encryption = encryptionOf(bytes);
      assert.equal(encryption !== undefined, identity.encoding === "encrypted");
      if (encryption !== undefined) assert.ok(encryption.name.length < bytes.length);
      if (identity.encoding === "protobuf") unless([ProtobufError], () => unknownFields(Thing, bytes));
    };
  },
};
