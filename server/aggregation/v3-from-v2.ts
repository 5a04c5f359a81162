/**
 * Makes an OpenAPI v3 document of an OpenAPI v2 document, for servers that have no other one. As kube-apiserver's: the whole document stands for each version of
 * the server, and shared parameters have no definition.
 */
import { bound } from "../../core/bound.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { valueText } from "../../core/value-text.ts";

/** Characters of schemas that are written once more for each media type of their operation. A document with more is not converted. */
export const repeatedSchemasMax = bound(16_777_216);

/** Returns the v3 document. Throws an Error for a document that has no v3 form. */
export function v3FromV2(spec: JsonObject): JsonObject {
  return new Conversion().document(spec);
}

const methods: readonly string[] = Object.freeze(["get", "put", "post", "delete", "options", "head", "patch"]);
/** Fields of a schema with a schema, with a list of schemas or with schemas by name. */
const schemaFields: ReadonlySet<string> = new Set(["items", "additionalProperties", "additionalItems", "not"]);
const schemaLists: ReadonlySet<string> = new Set(["items", "allOf", "oneOf", "anyOf"]);
const schemaMaps: ReadonlySet<string> = new Set(["properties", "patternProperties"]);

class Conversion {
  #left = repeatedSchemasMax;

  document(spec: JsonObject): JsonObject {
    return {
      openapi: "3.0.0",
      ...picked(spec, ["info", "externalDocs"]),
      ...has(
        spec,
        "paths",
        (paths) => ({ paths: mapped(paths, (item, path) => path.startsWith("x-") ? item : this.#pathItem(objectOf(item))) }),
      ),
      components: {
        ...has(spec, "definitions", (definitions) => ({ schemas: mapped(definitions, schemaOf) })),
        ...has(spec, "securityDefinitions", (schemes) => ({ securitySchemes: mapped(schemes, securityScheme) })),
        ...has(spec, "responses", (all) => ({ responses: mapped(all, (one) => this.#response(objectOf(one), textsOf(spec["produces"]))) })),
      },
    };
  }

  #pathItem(item: JsonObject): JsonObject {
    const operations = methods.flatMap((method): [string, Json][] => {
      const found = item[method];
      return found === undefined || found === null ? [] : [[method, this.#operation(objectOf(found))]];
    });
    return {
      ...picked(item, ["$ref"]),
      ...Object.fromEntries(operations),
      ...has(item, "parameters", (all) => ({ parameters: listOf(all).map((one) => parameter(objectOf(one))) })),
      ...extensions(item),
    };
  }

  #operation(operation: JsonObject): JsonObject {
    const { consumes, produces, responses = {} } = operation, all = listOf(operation["parameters"]).map(objectOf);
    const isBody = (each: JsonObject) => each["name"] === "body" && each["schema"] !== undefined && each["schema"] !== null;
    // The last one counts.
    const body = all.findLast(isBody), others = all.filter((each) => !isBody(each)).map(parameter);
    const types = textsOf(produces);
    return {
      ...picked(operation, ["description", "externalDocs", "tags", "summary", "deprecated", "operationId"]),
      ...(body === undefined ? {} : { requestBody: this.#content(body["schema"]!, textsOf(consumes)) }),
      ...(others.length === 0 ? {} : { parameters: others }),
      responses: mapped(responses, (each, code) => code.startsWith("x-") ? each : this.#response(objectOf(each), types)),
      ...extensions(operation),
    };
  }

  #response(response: JsonObject, types: readonly string[]): JsonObject {
    const { schema } = response;
    return {
      ...referred(response, "responses"),
      ...picked(response, ["description"]),
      ...(schema === undefined || schema === null ? {} : this.#content(schema, types)),
      ...extensions(response),
    };
  }

  /** The schema for each media type. */
  #content(schema: Json, types: readonly string[]): JsonObject {
    if (types.length === 0) return {};
    const converted = schemaOf(schema);
    this.#left -= types.reduce((sum, type) => sum + type.length, 0) + valueText(converted).length * types.length;
    if (this.#left < 0) throw new Error("its operations repeat their schemas for too many media types");
    return { content: Object.fromEntries(types.map((type) => [type, { schema: converted }])) };
  }
}

/** A schema with its references to `components`. A reference with other fields beside it becomes one of `allOf`. */
function schemaOf(schema: Json): JsonObject {
  const entries = Object.entries(objectOf(schema)).map(([name, value]): [string, Json] => [name, fieldOf(name, value!)]);
  const reference = entries.find(([name]) => name === "$ref");
  if (reference === undefined || entries.length === 1) return Object.fromEntries(entries);
  return Object.fromEntries([["allOf", [{ $ref: reference[1] }]], ...entries.filter(([name]) => name !== "$ref" && name !== "allOf")]);
}

function fieldOf(name: string, value: Json): Json {
  if (name === "$ref") return moved(value, "#/definitions/", "#/components/schemas/");
  if (name === "type" && Array.isArray(value) && value.length === 1) return value[0]!;
  if (schemaLists.has(name) && Array.isArray(value)) return value.map((each) => schemaOf(each));
  if (schemaFields.has(name) && isObject(value)) return schemaOf(value);
  return schemaMaps.has(name) ? mapped(value, schemaOf) : value;
}

function parameter(value: JsonObject): JsonObject {
  const { schema, type = "", format, uniqueItems } = value, reference = referred(value, "parameters");
  const simple = { type, ...(format === undefined ? {} : { format }), ...(uniqueItems === undefined ? {} : { uniqueItems }) };
  return {
    ...reference,
    ...picked(value, ["name", "in", "description", "required", "allowEmptyValue"]),
    ...("$ref" in reference ? {} : { schema: schema === undefined || schema === null ? simple : schemaOf(schema) }),
    ...extensions(value),
  };
}

function securityScheme(value: Json): JsonObject {
  const scheme = objectOf(value), { flow } = scheme;
  const flows: JsonObject = typeof flow !== "string" || flow === "" ? {} : {
    flows: Object.fromEntries([[flow, picked(scheme, ["authorizationUrl", "tokenUrl", "scopes"])]]),
  };
  return { ...picked(scheme, ["type", "description", "name", "in"]), ...flows, ...extensions(scheme) };
}

/** A reference to a shared part, at its place in v3. */
function referred(value: JsonObject, part: string): JsonObject {
  const { $ref } = value;
  return $ref === undefined ? {} : { $ref: moved($ref, `#/${part}/`, `#/components/${part}/`) };
}
function moved(reference: Json, from: string, to: string): Json {
  if (typeof reference !== "string") throw new Error("a reference of the document is no text");
  return reference.startsWith(from) ? to + reference.slice(from.length) : reference;
}
function extensions(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith("x-"))) as JsonObject; // values stay values
}
function picked(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]!]));
}
function has(value: JsonObject, name: string, make: (found: Json) => JsonObject): JsonObject {
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  return found === undefined || found === null ? {} : make(found);
}
function mapped(value: Json, make: (each: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([name, each]) => [name, make(each!, name)]));
}
function objectOf(value: Json): JsonObject {
  if (!isObject(value)) throw new Error("a part of the document is no object");
  return value;
}
function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error("a part of the document is no list");
  return value;
}
function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).map((each) => {
    if (typeof each !== "string") throw new Error("a part of the document is no text");
    return each;
  });
}
