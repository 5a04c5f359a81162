import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { headerBlock, headerReader, readHeaders } from "./hpack.ts";
import { huffmanDecoded } from "../huffman.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

test("huffmanDecoded() reads the examples of RFC 7541, appendix C", () => {
  const examples = {
    "www.example.com": "f1e3 c2e5 f23a 6ba0 ab90 f4ff",
    "no-cache": "a8eb 1064 9cbf",
    "custom-value": "25a8 49e9 5bb8 e8b4 bf",
    "302": "6402",
    "private": "aec3 771a 4b",
    "Mon, 21 Oct 2013 20:13:21 GMT": "d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff",
    "https://www.example.com": "9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3",
    "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1":
      "94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    "": "",
  };
  for (const [text, bytes] of Object.entries(examples)) assert.equal(huffmanDecoded(hex(bytes)), text);
  // The first and the last of the longest codes, padded with ones.
  assert.equal(huffmanDecoded(hex("ffff fe2f")), "\x02");
  assert.equal(huffmanDecoded(hex("ffff ffef")), "\xf9");
  assert.equal(huffmanDecoded(hex("ffff fff3")), "\n");
});

test("huffmanDecoded() rejects padding with zeros or of eight bits and more, and EOS", () => {
  for (const bytes of ["18", "1fff", "ff", "ffff ffff", "ffff fffc", "ffff ff"]) assert.throws(() => huffmanDecoded(hex(bytes)), bytes);
  assert.equal(huffmanDecoded(hex("1f")), "a");
});

test("readHeaders() reads the blocks of headerBlock()", () => {
  const fields = [["grpc-status", "0"], ["a", ""], ["long", "x".repeat(126)], ["longer", "y".repeat(127)], [
    "longest",
    "z".repeat(70_000),
  ]] as const;
  assert.deepEqual([...readHeaders(headerBlock(fields))], fields);
});

test("readHeaders() reads every form of field", () => {
  const status = Buffer.from("307");
  const block = Buffer.concat([
    hex("20 88 5f"), // a table of no size; ":status: 200"; content-type by number …
    Buffer.of(4),
    Buffer.from("grpc"), // … with a literal value, to be indexed
    hex("0f 10 01 78"), // … without indexing
    hex("10 01 61 01 62"), // never indexed: "a: b"
    hex("40 01 63 82 6402"), // to be indexed: "c: 302", Huffman-coded
  ]);
  assert.deepEqual(Object.fromEntries(readHeaders(block)), { ":status": "200", "content-type": "x", a: "b", c: "302" });
  assert.deepEqual(Object.fromEntries(readHeaders(Buffer.concat([hex("48 03"), status]))), { ":status": "307" });
  assert.equal(readHeaders(hex("8d")).get(":status"), "404");
});

test("readHeaders() rejects a dynamic table, too large integers and truncated blocks", () => {
  const broken = {
    "of a table": ["be", "80", "7e 01 61", "ff 00 88"],
    "a table of some size": ["21", "3f 01"],
    "too large": ["ff ff ff ff ff 7f", "00 7f ff ff ff ff 0f"],
    "too short": ["00 01", "00 01 61", "00 01 61 02 62", "00 05 61", "ff", "00 ff"],
  };
  for (const [what, blocks] of Object.entries(broken)) {
    for (const block of blocks) assert.throws(() => readHeaders(hex(block)), { name: "Error" }, `${what}: ${block}`);
  }
});

test("headerReader() returns equal headers for equal blocks, with any number of others between", () => {
  const read = headerReader();
  const block = (value: string) => headerBlock([["a", value]]);
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 40; number++) assert.equal(read(block(`${number}`)).get("a"), `${number}`);
    assert.equal(read(block("x".repeat(300))).get("a")?.length, 300);
  }
});
