/** The messages of gnostic's OpenAPI v2 that our documents use. Numbers: gnostic-models, OpenAPIv2.proto. */
import { any, choice, double, each, fields, flag, has, inside, integer, type Message, pairs, type Table, text, wrap } from "./protobuf.ts";

const schema: Message = fields(31, {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, each(text)],
  enum: [20, each(any)],
  additionalProperties: [21, inside(() => choice((value) => typeof value === "boolean" ? [2, flag] : [1, inside(() => schema)]))],
  type: [22, inside(() => wrap(1, each(text)))],
  items: [23, inside(() => wrap(1, each(inside(() => schema))))],
  allOf: [24, each(inside(() => schema))],
  properties: [25, inside(() => pairs(inside(() => schema)))],
  example: [30, any],
});

const bodyParameter = fields(6, {
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, flag],
  schema: [5, inside(() => schema)],
});
const reference = fields(0, { $ref: [1, text], description: [2, text] });

/** Query parameters have one field more than path parameters, in the middle. */
function simpleParameter(query: boolean): Message {
  const after = query ? 1 : 0;
  const table: Table = {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5 + after, text],
    format: [6 + after, text],
    uniqueItems: [19 + after, flag],
  };
  return fields(22 + after, table);
}
const queryParameter = simpleParameter(true), pathParameter = simpleParameter(false);
const otherParameter = choice((value) => isIn(value, "query") ? [3, inside(() => queryParameter)] : [4, inside(() => pathParameter)]);
const parameter = choice((value) => isIn(value, "body") ? [1, inside(() => bodyParameter)] : [2, inside(() => otherParameter)]);
const parameterItem = choice((value) => has(value, "$ref") ? [2, inside(() => reference)] : [1, inside(() => parameter)]);

function isIn(value: unknown, place: string): boolean {
  return (value as { readonly in?: unknown }).in === place; // A parameter, which is an object.
}

const response = fields(5, { description: [1, text], schema: [2, inside(() => wrap(1, inside(() => schema)))] });
const requirement = pairs(inside(() => wrap(1, each(text))));

const operation = fields(13, {
  tags: [1, each(text)],
  description: [3, text],
  operationId: [5, text],
  produces: [6, each(text)],
  consumes: [7, each(text)],
  parameters: [8, each(inside(() => parameterItem))],
  responses: [9, inside(() => pairs(inside(() => wrap(1, inside(() => response)))))],
  schemes: [10, each(text)],
});
const pathItem = fields(10, {
  get: [2, inside(() => operation)],
  put: [3, inside(() => operation)],
  post: [4, inside(() => operation)],
  delete: [5, inside(() => operation)],
  options: [6, inside(() => operation)],
  head: [7, inside(() => operation)],
  patch: [8, inside(() => operation)],
  parameters: [9, each(inside(() => parameterItem))],
});
const apiKey = fields(5, { type: [1, text], name: [2, text], in: [3, text], description: [4, text] });

export const v2Message: Message = fields(16, {
  swagger: [1, text],
  info: [2, inside(() => fields(7, { title: [1, text], version: [2, text] }))],
  paths: [8, inside(() => pairs(inside(() => pathItem), 2))],
  definitions: [9, inside(() => pairs(inside(() => schema)))],
  parameters: [10, inside(() => pairs(inside(() => parameter)))],
  security: [12, each(inside(() => requirement))],
  securityDefinitions: [13, inside(() => pairs(inside(() => wrap(2, inside(() => apiKey)))))],
});
