/**
 * Nodes as OpenAPI schemas. A struct is a component that is referenced by name; every other node is written in place. Versions 2 and 3
 * differ in the syntax of references, in defaults (version 2 publishes none) and in the two types with several JSON types.
 */
import { append } from "../append.ts";
import { type Names, spell } from "../names.ts";
import { ObjectMeta } from "../meta/object-meta.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { publish } from "../structural/openapi.ts";
import type { GroupVersion } from "../versions.ts";
import { type Field, fold, type Json, type Node, resolve, type StructNode, type Union } from "../schema.ts";

export type OpenapiVersion = "v2" | "v3";
export type OpenapiSchema = { readonly [key: string]: Json };
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
/** A struct and its group version, for structs without a package. */
export interface OpenapiRoot {
  readonly node: StructNode;
  readonly home: GroupVersion;
}
export interface OpenapiOptions {
  readonly version: OpenapiVersion;
  readonly names: Names;
  /** The kinds of a component by its name: published as `x-kubernetes-group-version-kind`. */
  readonly kinds?: (component: string) => readonly GroupVersionKind[];
  /** Publishes enumerations as `enum`. Default true (gate OpenAPIEnums). */
  readonly enums?: boolean;
}

/** A published component. `make` is called at the first reference. */
interface Component {
  readonly name: string;
  readonly make: () => Part;
}
interface Part {
  readonly schema: OpenapiSchema;
  /** Components that the schema refers to. */
  readonly needs: readonly Component[];
  /** Default of a field that is always written, and of elements of lists and maps. */
  readonly zero?: Json;
  /** The zero value is the default of every field without a pointer (structs). */
  readonly always?: true;
}

/** Groups whose types are not in the package `api`, with the names that kube-apiserver publishes. */
const homes: Readonly<Record<string, string>> = Object.freeze({
  apimachinery: "apimachinery.pkg",
  meta: "apimachinery.pkg.apis.meta",
  apiextensions: "apiextensions-apiserver.pkg.apis.apiextensions",
  apiregistration: "kube-aggregator.pkg.apis.apiregistration",
});

/**
 * Returns the name of a component: `io.k8s.api.core.v1.ConfigMap`; for other groups, and for custom resources of any group, the reversed
 * domain: `com.example.v1.Thing`.
 */
export function componentName(node: Pick<StructNode, "name" | "package" | "custom">, home: GroupVersion, names: Names): string {
  return `${packageName(node.package ?? home, names, node.custom !== undefined)}.${node.name}`;
}

function packageName(home: GroupVersion, names: Names, custom = false): string {
  const slash = home.lastIndexOf("/");
  const group = slash < 0 ? "core" : spell(names, home.slice(0, slash)), version = home.slice(slash + 1);
  const own = group.endsWith(`.${names.domain}`) && !custom;
  if (!own && group.includes(".")) return `${reverseDomain(group)}.${version}`;
  const short = group.split(".")[0]!;
  return `${reverseDomain(names.domain)}.${Object.hasOwn(homes, short) ? homes[short] : `api.${short}`}.${version}`;
}
function reverseDomain(domain: string): string {
  return domain.split(".").reverse().join(".");
}

/** Returns the components of the roots and of all their references, sorted by name. */
export function openapiSchemas(roots: readonly OpenapiRoot[], options: OpenapiOptions): Readonly<Record<string, OpenapiSchema>> {
  const done = new Map<string, OpenapiSchema>();
  const waiting = roots.map(({ node, home }) => structComponent(node, home, options));
  for (let component = waiting.pop(); component !== undefined; component = waiting.pop()) {
    if (done.has(component.name)) continue;
    const { schema, needs } = component.make();
    done.set(component.name, schema);
    append(waiting, needs);
  }
  return Object.fromEntries([...done].toSorted(byName));
}
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns a reference to the component of a struct, for operations. */
export function openapiReference({ node, home }: OpenapiRoot, { names, version }: OpenapiOptions): OpenapiSchema {
  return { $ref: pointerTo(componentName(node, home, names), version) };
}
function pointerTo(name: string, version: OpenapiVersion): string {
  return `${version === "v2" ? "#/definitions/" : "#/components/schemas/"}${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function structComponent(node: StructNode, home: GroupVersion, options: OpenapiOptions): Component {
  const name = componentName(node, home, options.names);
  return { name, make: () => structSchema(node, node.package ?? home, name, options) };
}

function structSchema(node: StructNode, home: GroupVersion, name: string, options: OpenapiOptions): Part {
  const kinds = kindsOf(name, options);
  if (options.version === "v2" && node.whole?.["x-kubernetes-preserve-unknown-fields"] === true) {
    // With properties, kubectl would reject unknown members.
    return { schema: { type: "object", ...kinds, ...node.custom?.keywords }, needs: [] };
  }
  const fold = partsOf(home, options);
  const go = (field: Node): Part => {
    const part = fold(field);
    return node.custom === undefined ? part : { schema: part.schema, needs: part.needs };
  };
  const properties: [string, OpenapiSchema][] = [], required: string[] = [], needs: Component[] = [];
  const add = (fields: StructNode["fields"]) => {
    for (const [key, field] of Object.entries(fields)) {
      if (field.inline) {
        const inner = resolve(field.node);
        if (inner.tag !== "struct") throw new Error(`field ${key} of ${node.name} is inline but not a struct`);
        add(inner.fields);
        continue;
      }
      const part = go(field.node);
      properties.push([key, propertySchema(field, part, options)]);
      append(needs, part.needs);
      if (field.required) required.push(key);
    }
  };
  if (node.typeMeta) append(properties, Object.entries(typeMetaProperties));
  add(node.fields);
  const schema = {
    ...descriptionOf(node.doc, options.names),
    type: "object",
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties.toSorted(byName)) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(node.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    ...(node.whole === undefined ? {} : keywordsOf(node.whole, options.version)),
    ...(node.union === undefined ? {} : { "x-kubernetes-unions": [publishedUnion(node.union)] }),
    ...publishedRules(node.rules),
    ...kinds,
    ...node.custom?.keywords,
  };
  return { schema, needs };
}
function kindsOf(name: string, options: OpenapiOptions): OpenapiSchema {
  const kinds = options.kinds?.(name) ?? [];
  if (kinds.length === 0) return {};
  return { "x-kubernetes-group-version-kind": kinds.map(({ group, version, kind }): Json => ({ group, kind, version })) };
}

const typeMetaProperties: Readonly<Record<string, OpenapiSchema>> = Object.freeze({
  apiVersion: {
    description: "APIVersion defines the group and the version of this representation. Unknown versions are rejected.",
    type: "string",
  },
  kind: { description: "Kind of the object, in CamelCase. Must match the path; cannot change.", type: "string" },
});

/** Returns the keywords of a kind's schema beside its properties. */
function keywordsOf(whole: StructuralSchema, version: OpenapiVersion): OpenapiSchema {
  const { properties: _, type: _object, description: _doc, ...rest } = whole;
  return publish(rest, { version, embedded: {} });
}

function publishedRules(rules: StructNode["rules"]): OpenapiSchema {
  return rules === undefined ? {} : { "x-kubernetes-validations": rules.map((rule) => ({ ...rule })) };
}

function publishedUnion({ discriminator, members }: Union): Json {
  return { discriminator, "fields-to-discriminateBy": members };
}

function propertySchema(field: Field, part: Part, options: OpenapiOptions): OpenapiSchema {
  const zero = part.always || field.written === "always" ? part.zero : undefined;
  const { default: unapplied, ...published } = field.publish ?? {};
  const value = field.default ?? unapplied ?? (field.pointer ? undefined : zero);
  return beside(part.schema, {
    ...descriptionOf(field.doc, options.names),
    ...(value === undefined || options.version === "v2" ? {} : { default: value }),
    ...(field.patch?.mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patch.mergeKey }),
    ...(field.patch?.strategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patch.strategy.join(",") }),
    ...(field.granular ? { "x-kubernetes-map-type": "granular" } : {}),
    ...published,
    ...publishedRules(field.rules),
  }, options.version);
}

/** Returns a schema with siblings. Version 3 allows no siblings of a reference, so the reference is wrapped in `allOf`. */
function beside(schema: OpenapiSchema, siblings: OpenapiSchema, version: OpenapiVersion): OpenapiSchema {
  if (Object.keys(siblings).length === 0) return schema;
  const { description, ...rest } = siblings;
  const first: OpenapiSchema = description === undefined ? {} : { description };
  if (version === "v3" && Object.hasOwn(schema, "$ref")) return { ...first, ...rest, allOf: [schema] };
  return { ...first, ...schema, ...rest };
}

function descriptionOf(doc: string, names: Names): { description?: string } {
  return doc === "" ? {} : { description: spell(names, doc) };
}

/** Returns the fold. It ends for recursive structs, because structs are references. */
function partsOf(home: GroupVersion, options: OpenapiOptions): (node: Node) => Part {
  const { names, version, enums = true } = options;
  const reference = ({ name, make }: Component): Part => ({ schema: { $ref: pointerTo(name, version) }, needs: [{ name, make }] });
  const known = (name: keyof typeof wellKnown): Part => {
    const { under, doc, ...shapes } = wellKnown[name];
    const make = () => ({ schema: { description: doc, ...shapes[version] }, needs: [] });
    return reference({ name: `${reverseDomain(names.domain)}.${under}.${name}`, make });
  };
  const element = ({ schema, zero }: Part): OpenapiSchema =>
    zero === undefined || version === "v2" ? schema : beside(schema, { default: zero }, version);
  const anyJson = reference({
    name: `${packageName("apiextensions.{domain}/v1", names)}.JSON`,
    make: () => ({ schema: { description: "Any JSON value." }, needs: [] }),
  });
  const scalar = (schema: OpenapiSchema, zero?: Json): Part => ({ schema, needs: [], ...(zero === undefined ? {} : { zero }) });
  return fold<Part>({
    boolean: () => scalar({ type: "boolean" }, false),
    string: ({ oneOf }) => scalar({ type: "string", ...(oneOf === undefined || !enums ? {} : { enum: oneOf }) }, ""),
    int32: () => scalar({ type: "integer", format: "int32" }, 0),
    int64: () => scalar({ type: "integer", format: "int64" }, 0),
    double: () => scalar({ type: "number", format: "double" }, 0),
    bytes: () => scalar({ type: "string", format: "byte" }),
    quantity: () => known("Quantity"),
    intOrString: () => known("IntOrString"),
    time: () => known("Time"),
    microTime: () => known("MicroTime"),
    duration: () => known("Duration"),
    raw: ({ sorted }) => sorted ? anyJson : known("RawExtension"),
    structural: ({ schema }) => {
      const meta = structComponent(ObjectMeta, home, options);
      const metadata = beside(reference(meta).schema, { description: "Standard object's metadata." }, version);
      const embedded = { ...typeMetaProperties, metadata };
      return { schema: publish(schema, { version, embedded }), needs: [meta] };
    },
    fieldsV1: () => known("FieldsV1"),
    list: (node, go) => {
      const of = go(node.of);
      const schema = {
        type: "array",
        items: element(of),
        ...(node.keys === undefined ? {} : { "x-kubernetes-list-map-keys": node.keys }),
        ...(node.published === false ? {} : { "x-kubernetes-list-type": node.type }),
      };
      return { schema, needs: of.needs };
    },
    record: (node, go) => {
      const of = go(node.of);
      const schema = {
        type: "object",
        additionalProperties: element(of),
        ...(node.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
      };
      return { schema, needs: of.needs };
    },
    either: (node) =>
      reference({
        name: componentName(node, home, names),
        make: () => ({ schema: { ...descriptionOf(node.doc, names) }, needs: [] }),
      }),
    struct: (node) => {
      const part = reference(structComponent(node, home, options));
      return node.custom === undefined ? { ...part, zero: {}, always: true } : part;
    },
  }, () => {
    throw new Error("a list or record contains itself without a struct between");
  });
}

const apiMachinery = "apimachinery.pkg";
const text = { type: "string" };
const moment = { type: "string", format: "date-time" };
const anyObject = { type: "object" };
/** Components that are not structs. */
const wellKnown = Object.freeze({
  Time: {
    under: `${apiMachinery}.apis.meta.v1`,
    doc: "A time in UTC with second precision, in RFC 3339 format.",
    v2: moment,
    v3: moment,
  },
  MicroTime: {
    under: `${apiMachinery}.apis.meta.v1`,
    doc: "A time in UTC with microsecond precision, in RFC 3339 format.",
    v2: moment,
    v3: moment,
  },
  Duration: { under: `${apiMachinery}.apis.meta.v1`, doc: "A duration as numbers with units, such as 1m30s.", v2: text, v3: text },
  FieldsV1: {
    under: `${apiMachinery}.apis.meta.v1`,
    doc: "A set of fields as nested objects: f: before a field's name, k: before the keys and v: before the value of a list's item, " +
      "i: before an item's index; a dot is the value itself.",
    v2: anyObject,
    v3: anyObject,
  },
  RawExtension: { under: `${apiMachinery}.runtime`, doc: "An object of any kind.", v2: anyObject, v3: anyObject },
  Quantity: {
    under: `${apiMachinery}.api.resource`,
    doc: "A number with a suffix: n, u, m, k, M, G, T, P and E are powers of a thousand, Ki, Mi, Gi, Ti, Pi and Ei powers of 1024; " +
      "a decimal exponent such as 1e3 is also allowed. Values are rounded up to a billionth and capped at 2^63-1. " +
      "Quantities are stored in canonical form: no fraction, and the largest possible suffix of the given suffix family.",
    v2: text,
    v3: { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  IntOrString: {
    under: `${apiMachinery}.util.intstr`,
    doc: "An integer or a string, such as a port number, a port name or a percentage.",
    v2: { type: "string", format: "int-or-string" },
    v3: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  },
});
