import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeMessage } from "../../core/openapi/protobuf.ts";
import { v3Message } from "../../core/openapi/v3-messages.ts";
import { repeatedSchemasMax, v3FromV2 } from "./v3-from-v2.ts";

test("v3FromV2() makes bodies, replies, parameters and references of v3", () => {
  const v2 = {
    swagger: "2.0",
    info: { title: "Boats", version: "v1" },
    paths: {
      "/apis/shop.example/v1/boats": {
        parameters: [{ name: "pretty", in: "query", type: "string", uniqueItems: true, description: "For people." }, {
          $ref: "#/parameters/a",
        }],
        post: {
          operationId: "create",
          consumes: ["application/json", "application/yaml"],
          produces: ["application/json"],
          parameters: [{ name: "body", in: "body", schema: { $ref: "#/definitions/Boat" }, required: true }, {
            name: "n",
            in: "query",
            type: "integer",
          }],
          responses: { 200: { description: "OK", schema: { $ref: "#/definitions/Boat" } }, 401: { description: "No" } },
          schemes: ["https"],
          "x-kubernetes-action": "post",
        },
        get: { responses: { 200: { $ref: "#/responses/all" } } },
      },
    },
    definitions: {
      Boat: {
        type: ["object"],
        properties: {
          spec: { $ref: "#/definitions/Spec", description: "What it is like." },
          masts: { type: "array", items: { $ref: "#/definitions/Mast" } },
          labels: { type: "object", additionalProperties: { $ref: "#/definitions/Label" } },
          open: { type: "object", additionalProperties: true },
          any: { allOf: [{ $ref: "#/definitions/Mast" }] },
        },
        "x-kubernetes-group-version-kind": [{ group: "shop.example", version: "v1", kind: "Boat" }],
      },
    },
    responses: { all: { description: "All", schema: { $ref: "#/definitions/Boat" } } },
    produces: ["application/json"],
    securityDefinitions: {
      token: { type: "apiKey", name: "authorization", in: "header" },
      web: { type: "oauth2", flow: "implicit", authorizationUrl: "a" },
    },
  };
  const boat = { schema: { $ref: "#/components/schemas/Boat" } };
  assert.deepEqual(v3FromV2(v2), {
    openapi: "3.0.0",
    info: { title: "Boats", version: "v1" },
    paths: {
      "/apis/shop.example/v1/boats": {
        parameters: [
          { name: "pretty", in: "query", description: "For people.", schema: { type: "string", uniqueItems: true } },
          { $ref: "#/components/parameters/a" },
        ],
        post: {
          operationId: "create",
          requestBody: { content: { "application/json": boat, "application/yaml": boat } },
          parameters: [{ name: "n", in: "query", schema: { type: "integer" } }],
          responses: { 200: { description: "OK", content: { "application/json": boat } }, 401: { description: "No" } },
          "x-kubernetes-action": "post",
        },
        get: { responses: { 200: { $ref: "#/components/responses/all" } } },
      },
    },
    components: {
      schemas: {
        Boat: {
          type: "object",
          properties: {
            spec: { allOf: [{ $ref: "#/components/schemas/Spec" }], description: "What it is like." },
            masts: { type: "array", items: { $ref: "#/components/schemas/Mast" } },
            labels: { type: "object", additionalProperties: { $ref: "#/components/schemas/Label" } },
            open: { type: "object", additionalProperties: true },
            any: { allOf: [{ $ref: "#/components/schemas/Mast" }] },
          },
          "x-kubernetes-group-version-kind": [{ group: "shop.example", version: "v1", kind: "Boat" }],
        },
      },
      securitySchemes: {
        token: { type: "apiKey", name: "authorization", in: "header" },
        web: { type: "oauth2", flows: { implicit: { authorizationUrl: "a" } } },
      },
      responses: { all: { description: "All", content: { "application/json": boat } } },
    },
  });
});

test("a converted document has a form in protobuf", () => {
  const get = { produces: ["application/json"], responses: { 200: { description: "OK", schema: { $ref: "#/definitions/A" } } } };
  const v3 = v3FromV2({
    swagger: "2.0",
    info: { title: "a", version: "v1" },
    paths: { "/a": { get } },
    definitions: { A: { type: "object" } },
  });
  assert.ok(encodeMessage(v3Message, v3).length > 0);
});

test("v3FromV2() rejects parts of other types, and schemas that are repeated too often", () => {
  for (
    const paths of [[], { "/a": 1 }, { "/a": { get: [] } }, { "/a": { get: { parameters: {} } } }, {
      "/a": { get: { responses: { 200: 1 } } },
    }]
  ) {
    assert.throws(() => v3FromV2({ paths }), /a part of the document is no/);
  }
  assert.throws(() => v3FromV2({ definitions: { A: { $ref: 1 } } }), /a reference of the document is no text/);
  const description = "x".repeat(repeatedSchemasMax / 4);
  const of = (types: number) => {
    const produces = Array.from({ length: types }, (_, i) => `a/${i}`);
    return v3FromV2({ paths: { "/a": { get: { produces, responses: { 200: { schema: { description } } } } } } });
  };
  of(3);
  assert.throws(() => of(4), /repeat their schemas for too many media types/);
});
