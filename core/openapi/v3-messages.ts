/** The messages of gnostic's OpenAPI v3 that our documents use. Numbers: gnostic-models, OpenAPIv3.proto. */
import { any, choice, double, each, fields, flag, has, inside, integer, type Message, pairs, text, wrap, type Write } from "./protobuf.ts";

const reference = fields(0, { $ref: [1, text], summary: [2, text], description: [3, text] });
/** Returns a value or a reference to one. */
function orReference(message: () => Message): Write {
  const choose = choice((value) => has(value, "$ref") ? [2, inside(() => reference)] : [1, inside(message)]);
  return inside(() => choose);
}

const anySchema: Write = orReference(() => schema);
/** Only scalar defaults can be encoded: for others the message is empty. */
const scalar = choice((value) =>
  typeof value === "number" ? [1, double] : typeof value === "boolean" ? [2, flag] : typeof value === "string" ? [3, text] : undefined
);
const schema: Message = fields(36, {
  nullable: [1, flag],
  readOnly: [3, flag],
  writeOnly: [4, flag],
  example: [7, any],
  deprecated: [8, flag],
  title: [9, text],
  multipleOf: [10, double],
  maximum: [11, double],
  exclusiveMaximum: [12, flag],
  minimum: [13, double],
  exclusiveMinimum: [14, flag],
  maxLength: [15, integer],
  minLength: [16, integer],
  pattern: [17, text],
  maxItems: [18, integer],
  minItems: [19, integer],
  uniqueItems: [20, flag],
  maxProperties: [21, integer],
  minProperties: [22, integer],
  required: [23, each(text)],
  enum: [24, each(any)],
  type: [25, text],
  allOf: [26, each(anySchema)],
  oneOf: [27, each(anySchema)],
  anyOf: [28, each(anySchema)],
  not: [29, inside(() => schema)],
  items: [30, inside(() => wrap(1, each(anySchema)))],
  properties: [31, inside(() => pairs(anySchema))],
  additionalProperties: [32, inside(() => choice((value) => typeof value === "boolean" ? [2, flag] : [1, anySchema]))],
  default: [33, inside(() => scalar)],
  description: [34, text],
  format: [35, text],
});

const mediaType = fields(5, { schema: [1, anySchema] });
const content: Write = inside(() => pairs(inside(() => mediaType)));
const parameter = fields(14, { name: [1, text], in: [2, text], description: [3, text], required: [4, flag], schema: [10, anySchema] });
const requestBody = fields(4, { description: [1, text], content: [2, content], required: [3, flag] });
const response = fields(5, { description: [1, text], content: [3, content] });

const operation = fields(13, {
  tags: [1, each(text)],
  summary: [2, text],
  description: [3, text],
  operationId: [5, text],
  parameters: [6, each(orReference(() => parameter))],
  requestBody: [7, orReference(() => requestBody)],
  responses: [8, inside(() => pairs(orReference(() => response), 2))],
});
const pathItem = fields(14, {
  get: [4, inside(() => operation)],
  put: [5, inside(() => operation)],
  post: [6, inside(() => operation)],
  delete: [7, inside(() => operation)],
  options: [8, inside(() => operation)],
  head: [9, inside(() => operation)],
  patch: [10, inside(() => operation)],
  parameters: [13, each(orReference(() => parameter))],
});
const securityScheme = fields(9, { type: [1, text], description: [2, text], name: [3, text], in: [4, text] });

export const v3Message: Message = fields(9, {
  openapi: [1, text],
  info: [2, inside(() => fields(7, { title: [1, text], version: [6, text] }))],
  paths: [4, inside(() => pairs(inside(() => pathItem)))],
  components: [
    5,
    inside(() =>
      fields(10, {
        schemas: [1, inside(() => pairs(anySchema))],
        securitySchemes: [7, inside(() => pairs(orReference(() => securityScheme)))],
      })
    ),
  ],
});
