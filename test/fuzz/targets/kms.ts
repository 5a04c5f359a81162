import assert from "node:assert/strict";
import { bytesOf, type Target, unless } from "../fuzz.ts";
import { delimited, protobufGrammar } from "./protobuf.ts";

const textField = (number: number, text: string) => String.fromCharCode(number * 8 + 2) + delimited(text);

/** Answers of a KMS plugin, and values that were encrypted with its keys. */
export const kms: Target = {
  name: "kms",
  grammar: {
    ...protobufGrammar,
    value: ["<object>", "<answer>", "<message>"],
    object: [
      (w) => textField(1, w.write("text")) + textField(2, w.write("text")) + textField(3, w.write("text")) + w.many("entry") + "\x28\x01",
    ],
    answer: [(w) => textField(1, w.write("text")) + textField(2, w.write("text")) + textField(3, w.write("text"))],
    entry: [(w) => textField(4, textField(1, w.write("text")) + textField(2, w.write("text"))), (w) => textField(4, w.write("message"))],
    text: ["", "a", "key.example.com", "v2", "ok", "\xff\xfe", (w) => "a".repeat(w.below(40))],
  },
  start: "value",
  binary: true,
  stepsPerCharacter: 100,
  async open(code) {
    const { decodeObject, decryptMethod, encodeObject, encryptMethod, statusMethod } = await code.load("server/encryption/kms/messages.ts");
    const { checkObject } = await code.load("server/encryption/kms/key-rules.ts");
    return (input) => {
      const bytes = bytesOf(input), object = unless([Error], () => decodeObject(bytes));
      // Only an object that passes the check is ever written.
      const isValid = object !== undefined && unless([Error], () => checkObject(object) ?? true) === true;
      if (isValid) assert.deepEqual(decodeObject(encodeObject(object)), object);
      for (const { decode } of [statusMethod, encryptMethod, decryptMethod]) unless([Error], () => decode(bytes));
    };
  },
};
