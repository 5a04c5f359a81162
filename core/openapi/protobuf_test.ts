import assert from "node:assert/strict";
import { test } from "node:test";
import protobuf from "protobufjs/minimal.js";
import type { Json } from "../schema.ts";
import { encodeMessage, type Message } from "./protobuf.ts";
import { v2Message } from "./v2-messages.ts";
import { v3Message } from "./v3-messages.ts";

type Tree = { [number: string]: (string | number | Tree)[] };

/** The fields of a message by number, as the wire has them: `names` lists paths whose bytes are text. */
function read(bytes: Uint8Array, isText: (path: string) => boolean, path = ""): Tree {
  const reader = protobuf.Reader.create(bytes), tree: Tree = {};
  while (reader.pos < reader.len) {
    const tag = reader.uint32(), number = tag >>> 3, wire = tag & 7, at = `${path}/${number}`;
    const value = wire === 0
      ? reader.uint32()
      : wire === 1
      ? reader.double()
      : isText(at)
      ? reader.string()
      : read(reader.bytes(), isText, at);
    (tree[number] ??= []).push(value);
  }
  return tree;
}
function write(message: Message, value: Json, texts: readonly string[]): Tree {
  return read(encodeMessage(message, value), (path) => texts.includes(path));
}

test("v2Message writes definitions with gnostic's numbers", () => {
  const document = {
    swagger: "2.0",
    definitions: {
      Thing: {
        description: "d",
        type: "object",
        required: ["$ref"],
        properties: { $ref: { type: "string", enum: ["a"] }, other: { $ref: "#/definitions/Other" }, list: { items: { type: "integer" } } },
        "x-kubernetes-map-type": "atomic",
      },
    },
  };
  const schema = "/9/1/2", property = `${schema}/25/1/2`;
  const texts = ["/1", "/9/1/1", `${schema}/4`, `${schema}/22/1`, `${schema}/19`, `${schema}/25/1/1`, `${schema}/31/1`, `${schema}/31/2/2`]
    .concat(`${property}/22/1`, `${property}/20/2`, `${property}/1`, `${property}/23/1/22/1`);
  assert.deepEqual(write(v2Message, document, texts), {
    1: ["2.0"],
    9: [{
      1: [{
        1: ["Thing"],
        2: [{
          4: ["d"],
          22: [{ 1: ["object"] }],
          19: ["$ref"],
          25: [{
            1: [
              { 1: ["$ref"], 2: [{ 22: [{ 1: ["string"] }], 20: [{ 2: ['"a"\n'] }] }] },
              { 1: ["other"], 2: [{ 1: ["#/definitions/Other"] }] },
              { 1: ["list"], 2: [{ 23: [{ 1: [{ 22: [{ 1: ["integer"] }] }] }] }] },
            ],
          }],
          31: [{ 1: ["x-kubernetes-map-type"], 2: [{ 2: ['"atomic"\n'] }] }],
        }],
      }],
    }],
  });
});

test("v2Message encodes parameters by their location", () => {
  const parameters = [
    { name: "body", in: "body", required: true },
    { name: "q", in: "query", type: "string", uniqueItems: true },
    { name: "p", in: "path", type: "string", uniqueItems: true, required: true },
    { $ref: "#/parameters/r" },
  ];
  const parameter = "/8/2/2/9/1";
  const texts = ["/8/2/1", `${parameter}/1/2`, `${parameter}/1/3`, "/8/2/2/9/2/1"]
    .concat(...[3, 4].map((at) => [2, 4, 5, 6].map((number) => `${parameter}/2/${at}/${number}`)));
  assert.deepEqual(write(v2Message, { paths: { "/": { parameters } } }, texts), {
    8: [{
      2: [{
        1: ["/"],
        2: [{
          9: [
            { 1: [{ 1: [{ 2: ["body"], 3: ["body"], 4: [1] }] }] },
            { 1: [{ 2: [{ 3: [{ 4: ["q"], 2: ["query"], 6: ["string"], 20: [1] }] }] }] },
            { 1: [{ 2: [{ 4: [{ 4: ["p"], 2: ["path"], 5: ["string"], 19: [1], 1: [1] }] }] }] },
            { 2: [{ 1: ["#/parameters/r"] }] },
          ],
        }],
      }],
    }],
  });
});

test("v3Message writes schemas and references with gnostic's numbers", () => {
  const Thing = {
    type: "object",
    properties: {
      a: { default: {}, allOf: [{ $ref: "r" }] },
      b: { type: "string", default: "" },
      c: { oneOf: [{ type: "number", default: 2 }] },
    },
  };
  const schema = "/5/1/1/2/1", property = `${schema}/31/1/2/1`;
  const texts = [
    "/5/1/1/1",
    `${schema}/25`,
    `${schema}/31/1/1`,
    `${property}/25`,
    `${property}/26/2/1`,
    `${property}/33/3`,
    `${property}/27/1/25`,
  ];
  assert.deepEqual(write(v3Message, { components: { schemas: { Thing } } }, texts), {
    5: [{
      1: [{
        1: [{
          1: ["Thing"],
          2: [{
            1: [{
              25: ["object"],
              31: [{
                1: [
                  { 1: ["a"], 2: [{ 1: [{ 33: [{}], 26: [{ 2: [{ 1: ["r"] }] }] }] }] },
                  { 1: ["b"], 2: [{ 1: [{ 25: ["string"], 33: [{ 3: [""] }] }] }] },
                  { 1: ["c"], 2: [{ 1: [{ 27: [{ 1: [{ 25: ["number"], 33: [{ 1: [2] }] }] }] }] }] },
                ],
              }],
            }],
          }],
        }],
      }],
    }],
  });
});

test("fields() rejects a member without a field", () => {
  assert.throws(() => encodeMessage(v2Message, { swagger: "2.0", basePath: "/" }), /"basePath" has no field/);
  assert.throws(() => encodeMessage(v2Message, { info: [] }), /expected an object/);
});
