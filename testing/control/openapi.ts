/** The OpenAPI document of the test control. */
import { serverRelease } from "../../core/releases.ts";
import type { Json } from "../../core/json.ts";
import { publish } from "../../core/structural/openapi.ts";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import type { Operation } from "./operation.ts";

type Value = { readonly [key: string]: Json };

const published = (schema: StructuralSchema): Value => publish(schema, { version: "v3", embedded: {} });
const json = (schema: StructuralSchema): Value => ({ "application/json": { schema: published(schema) } });
const status: StructuralSchema = {
  type: "object",
  description: "A Status of the API.",
  properties: {
    kind: { type: "string" },
    apiVersion: { type: "string" },
    status: { type: "string" },
    message: { type: "string", description: "What went wrong, for people." },
    reason: { type: "string", description: "What went wrong, for programs." },
    code: { type: "integer", description: "The HTTP code." },
    details: { type: "object", description: "`causes` has each field that is wrong.", "x-kubernetes-preserve-unknown-fields": true },
  },
};

/** Returns the document of these operations, in version 3 of OpenAPI. */
export function openapiOf(operations: readonly Operation[]): Value {
  const paths: Record<string, Record<string, Json>> = {};
  for (const each of operations) (paths[`/test/${each.path}`] ??= {})[each.method.toLowerCase()] = operationObject(each);
  return {
    openapi: "3.0.0",
    info: { title: "Thole test control", version: serverRelease },
    security: [{ token: [] }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } }, schemas: { Status: published(status) } },
  };
}

function operationObject({ name, path, summary, body, yamlMember, query = {}, answer, code = 200 }: Operation): Value {
  const parameters = [
    ...(path.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }] : []),
    ...Object.entries(query).map(([name, { description = "", ...schema }]) => ({
      name,
      in: "query",
      description,
      schema: published(schema),
    })),
  ];
  const yaml: Value = { "application/yaml": { schema: { type: "string" } } };
  return {
    operationId: name,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : {
      requestBody: {
        required: body.required !== undefined,
        content: { ...json(body), ...(yamlMember === undefined ? {} : yaml) },
      },
    }),
    responses: {
      [code]: { description: code === 201 ? "Created" : "OK", content: answer === "yaml" ? yaml : json(answer) },
      default: { description: "Error", content: { "application/json": { schema: { $ref: "#/components/schemas/Status" } } } },
    },
  };
}
