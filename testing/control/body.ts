/** Bodies and queries of the test control, checked by the schemas of their operations. */
import { append } from "../../core/append.ts";
import { bound } from "../../core/bound.ts";
import { validateValue } from "../../core/custom/validate.ts";
import { pathText } from "../../core/derive/decoding.ts";
import type { FieldError } from "../../core/field-error.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { StatusError } from "../../core/status-error.ts";
import { pruneValue } from "../../core/structural/prune.ts";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import { jsonFromTree, readJson } from "../../core/tree/json.ts";
import { invalidRequest, type Operation, wholeBody } from "./operation.ts";

/** Bytes of a body, unless its operation has another bound. */
export const bodyBytesMax = bound(1024 * 1024);
/** Characters of a query. */
const queryCharactersMax = bound(8 * 1024);
/** Unknown fields that one error names. */
const unknownMax = bound(100);

/** Returns the body of a request. Throws an error with every field that is wrong. `type`: its content type. */
export function bodyOf({ body: schema, yamlMember }: Operation, bytes: Uint8Array, type: string): Json {
  if (schema === undefined) {
    if (bytes.length > 0) throw invalidRequest([{ type: "Forbidden", path: wholeBody, detail: "this operation has no body" }]);
    return {};
  }
  if (bytes.length === 0) return valid({}, schema);
  const [media = ""] = type.toLowerCase().split(";", 1);
  if (yamlMember !== undefined && media.trim() === "application/yaml") return { [yamlMember]: new TextDecoder().decode(bytes) };
  if (media.trim() !== "application/json") {
    const accepted = yamlMember === undefined ? "application/json" : "application/json or application/yaml";
    throw new StatusError("UnsupportedMediaType", `the type of the body must be ${accepted}`);
  }
  const read = readJson(bytes);
  if (!read.ok) throw new StatusError("BadRequest", `the body is no JSON: ${read.error}`);
  return valid(jsonFromTree(read.tree), schema, read.duplicates);
}

/** Returns the parameters of a query. Throws an error with every parameter that is unknown, repeated or wrong. */
export function queryOf({ query: known = {} }: Operation, search: string): Readonly<Record<string, string>> {
  if (search.length > queryCharactersMax) throw new StatusError("BadRequest", `the query has more than ${queryCharactersMax} characters`);
  const given: Record<string, string> = {}, errors: FieldError[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (errors.length === unknownMax) break;
    if (Object.hasOwn(given, name)) errors.push({ type: "Duplicate", path: name, value, detail: "" });
    else if (Object.hasOwn(known, name)) given[name] = value;
    else errors.push({ type: "Forbidden", path: name, detail: "unknown parameter" });
  }
  if (errors.length > 0) throw invalidRequest(errors);
  valid(given, { type: "object", properties: known });
  return given;
}

function valid(value: Json, schema: StructuralSchema, duplicates: readonly string[] = []): JsonObject {
  const errors: FieldError[] = duplicates.slice(0, unknownMax).map((detail) => ({ type: "Forbidden", path: wholeBody, detail }));
  pruneValue(value, schema, {
    unknown: (path) => {
      if (errors.length < unknownMax) errors.push({ type: "Forbidden", path: pathText(path), detail: "unknown field" });
    },
    metadata: (metadata) => metadata,
    keepsNulls: true,
  });
  append(errors, validateValue(value, schema));
  if (errors.length > 0) throw invalidRequest(errors);
  return value as JsonObject; // the schemas of bodies are objects
}
