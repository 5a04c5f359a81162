/** OpenAPI documents in the reference's form of schemas: references by name, no descriptions. */
import { type Fields, isFields, type Value } from "./facts.ts";

export type Schemas = Readonly<Record<string, Fields>>;

/** Keywords of a schema whose values are maps of schemas, and those whose value is one schema. */
const maps = new Set(["properties"]), single = new Set(["items", "additionalProperties"]);

/** A copy with `change` applied to every inner schema, innermost first. Fields may have names of keywords. */
function each(schema: Fields, change: (schema: Fields) => Fields): Fields {
  const members = Object.entries(schema).map(([key, value]): [string, Value] => {
    if (maps.has(key) && isFields(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, of]) => [name, isFields(of) ? each(of, change) : of]))];
    }
    return [key, single.has(key) && isFields(value) ? each(value, change) : value];
  });
  return change(Object.fromEntries(members));
}

function without(schema: Fields, ...keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

/** The part of a reference schema that kube-apiserver publishes; the rest describes Go types. */
export function published(schema: Fields): Fields {
  return each(schema, (at) => without(at, "x-known-values", "x-union-markers", "x-declarative-validation"));
}

/** The same in OpenAPI v2: no defaults, and one type instead of a choice of two. */
export function inVersion2(schema: Fields): Fields {
  return each(schema, (at) => {
    const { oneOf, ...rest } = without(at, "default");
    return oneOf === undefined ? rest : { ...rest, type: "string" };
  });
}

/** Schemas of a document in the reference's form. Throws for siblings of a reference in version 3. */
export function servedSchemas(components: Schemas, version: "v2" | "v3"): Schemas {
  const pointer = version === "v2" ? "#/definitions/" : "#/components/schemas/";
  const plain = (schema: Fields) => {
    const at = without(schema, "description");
    if (version === "v3" && at["$ref"] !== undefined && Object.keys(schema).length > 1) throw new Error(`neighbours of ${at["$ref"]}`);
    const [only, ...more] = Array.isArray(at["allOf"]) ? at["allOf"] : [];
    const unwrapped = isFields(only) && more.length === 0 ? { ...without(at, "allOf"), ...only } : at;
    const { $ref, ...rest } = unwrapped;
    return typeof $ref === "string" && $ref.startsWith(pointer) ? { ...rest, $ref: $ref.slice(pointer.length) } : unwrapped;
  };
  return Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, each(schema, plain)]));
}

const kindsKey = "x-kubernetes-group-version-kind";

/**
 * Both without parts that the reference lacks: in types derived from Go (`_generated`) required fields are unordered and kinds are missing.
 */
export function comparable(schema: Fields, generated: boolean): Fields {
  if (!generated) return schema;
  const { required, ...rest } = without(schema, kindsKey);
  return Array.isArray(required) ? { ...rest, required: required.toSorted() } : rest;
}

/** Without defaults of the items of lists and of the values of records, which the facts made by machine lack. */
export function withoutItemDefaults(schema: Fields): Fields {
  return each(schema, (at) => ({
    ...at,
    ...(isFields(at["items"]) ? { items: without(at["items"], "default") } : {}),
    ...(isFields(at["additionalProperties"]) ? { additionalProperties: without(at["additionalProperties"], "default") } : {}),
  }));
}

/** Delete options and watch events are kinds of every group version upstream; those that we serve are compared. */
export function kindsAmong(schema: Fields, served: ReadonlySet<string>): Fields {
  const kinds = schema[kindsKey];
  return Array.isArray(kinds) ? { ...schema, [kindsKey]: kinds.filter((kind) => served.has(groupVersionOf(kind))) } : schema;
}
/** Group versions of a schema's kinds, in the form of `apiVersion`. */
export function groupVersions(schema: Fields): readonly string[] {
  const kinds = schema[kindsKey];
  return Array.isArray(kinds) ? kinds.map(groupVersionOf) : [];
}
function groupVersionOf(kind: Value): string {
  const { group, version } = isFields(kind) ? kind : {};
  return group === "" ? String(version) : `${group}/${version}`;
}

/** The schema `from` in the version of `to`, with the schemas of that version that it references, and its kinds. */
export function inOtherVersion(schema: Fields, from: string, to: string): Fields {
  const packages = [from, to].map((name) => name.slice(0, name.lastIndexOf(".") + 1)),
    versions = packages.map((each) => each.split(".").at(-2));
  const text = JSON.stringify(schema).replaceAll(`"${packages[0]}`, `"${packages[1]}`);
  return JSON.parse(text.replaceAll(`"version":"${versions[0]}"`, `"version":"${versions[1]}"`));
}

/** Names of the schemas that are reachable from the named ones, including these. */
export function reached(names: Iterable<string>, schemas: Schemas): ReadonlySet<string> {
  const known = new Set<string>(), waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = known.has(name) ? undefined : schemas[name];
    if (schema === undefined) continue;
    known.add(name);
    each(schema, (at) => {
      if (typeof at["$ref"] === "string") waiting.push(at["$ref"]);
      return at;
    });
  }
  return known;
}
