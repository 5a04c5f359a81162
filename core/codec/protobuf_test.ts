import assert from "node:assert/strict";
import { test } from "node:test";
import { ProtobufError } from "../derive/protobuf.ts";
import { envelopeAround, isEnvelope, readEnvelope, writeEnvelope, writeListField, writeWatchFrame } from "./protobuf.ts";

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const said = (text: string) => {
  try {
    readEnvelope(unhex(text));
  } catch (error) {
    assert.ok(error instanceof ProtobufError, String(error));
    return error.message;
  }
  return undefined;
};

test("writeEnvelope() writes the kind and an empty content type", () => {
  const bytes = writeEnvelope({ apiVersion: "v1", kind: "ConfigMap" }, unhex("0a00"));
  assert.equal(hex(bytes), "6b387300" + "0a0f" + "0a027631" + "1209436f6e6669674d6170" + "12020a00" + "1a00" + "2200");
  assert.ok(isEnvelope(bytes) && !isEnvelope(bytes.subarray(1)) && !isEnvelope(new Uint8Array()));
});

test("readEnvelope() reads what writeEnvelope() writes", () => {
  const { apiVersion, kind, raw } = readEnvelope(writeEnvelope({ apiVersion: "a/v1", kind: "\u00dcber" }, unhex("ff00")));
  assert.deepEqual({ apiVersion, kind, raw: hex(raw) }, { apiVersion: "a/v1", kind: "\u00dcber", raw: "ff00" });
});

test("readEnvelope() accepts fields in any order and skips unknown ones", () => {
  const envelope = readEnvelope(unhex("6b387300" + "2a0178" + "3807" + "220161" + "1a0162" + "120163" + "0a0812014b0a01761803"));
  assert.deepEqual({ ...envelope, raw: hex(envelope.raw) }, {
    apiVersion: "v",
    kind: "K",
    raw: "63",
    contentEncoding: "b",
    contentType: "a",
  });
});

test("readEnvelope() treats an invalid group version as empty", () => {
  const envelope = writeEnvelope({ kind: "Pod", apiVersion: "a/b/c" }, Uint8Array.of(1));
  assert.deepEqual([readEnvelope(envelope).apiVersion, readEnvelope(envelope).kind], ["", "Pod"]);
  assert.equal(readEnvelope(writeEnvelope({ kind: "Pod", apiVersion: "a/b" }, Uint8Array.of(1))).apiVersion, "a/b");
});

test("readEnvelope() rejects invalid bytes with upstream's messages", () => {
  assert.equal(said(""), "empty data");
  assert.equal(said("67617262616765"), "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  assert.equal(said("6b3873"), "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  assert.equal(said("6b387300"), "empty body");
  assert.equal(said("6b3873000a0f0a02"), "unexpected EOF");
  assert.equal(said("6b3873000801"), "proto: wrong wireType = 0 for field TypeMeta");
  assert.equal(said("6b3873000a020801"), "proto: wrong wireType = 0 for field APIVersion");
  assert.equal(said("6b38730007"), "proto: Unknown: illegal tag 0 (wire type 7)");
});

test("writeListField() writes the metadata or one item of a list", () => {
  const fields = [writeListField("metadata", unhex("1200")), writeListField("items", unhex("0a00")), writeListField("items", unhex(""))];
  assert.deepEqual(fields.map(hex), ["0a021200", "12020a00", "1200"]);
});

test("envelopeAround() returns the parts of an envelope around a message", () => {
  const type = { apiVersion: "v1", kind: "ConfigMapList" }, message = new Uint8Array(300).fill(7);
  const { head, tail } = envelopeAround(type, message.length);
  assert.equal(hex(head) + hex(message) + hex(tail), hex(writeEnvelope(type, message)));
});

test("writeWatchFrame() writes the length of the event, then the event with the object as raw bytes", () => {
  assert.equal(hex(writeWatchFrame("ADDED", unhex("6b387300"))), "0000000f" + "0a054144444544" + "1206" + "0a046b387300");
});
