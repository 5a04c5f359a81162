/**
 * Nodes as OpenAPI schemas. A struct becomes a component of its own and is referred to by name; everything else is
 * written where it stands. Version 2 and 3 differ in how a reference is spelled, in defaults (version 2 publishes
 * none) and in the two types that are not one JSON type.
 */
import { append } from "../append.ts";
import { type Names, spell } from "../names.ts";
import type { GroupVersion } from "../versions.ts";
import { type Field, fold, type Json, type Node, resolve, type StructNode, type Union } from "../schema.ts";

export type OpenapiVersion = "v2" | "v3";
export type OpenapiSchema = { readonly [key: string]: Json };
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
/** A struct and the group version that it belongs to where it names no package. */
export interface OpenapiRoot {
  readonly node: StructNode;
  readonly home: GroupVersion;
}
export interface OpenapiOptions {
  readonly version: OpenapiVersion;
  readonly names: Names;
  /** Kinds that a component describes, by its name: published as `x-kubernetes-group-version-kind`. */
  readonly kinds?: (component: string) => readonly GroupVersionKind[];
  /** Publish closed sets of values as `enum`; default true (OpenAPIEnums). */
  readonly enums?: boolean;
}

/** A published component: its name, and how its schema is made at the first reference. */
interface Component {
  readonly name: string;
  readonly make: () => Part;
}
interface Part {
  readonly schema: OpenapiSchema;
  /** Components that the schema refers to. */
  readonly needs: readonly Component[];
  /** Default of a field that is always written, and of what lists and maps hold. */
  readonly zero?: Json;
  /** The zero is the default of every field that is no pointer (structs). */
  readonly always?: true;
}

/** Groups whose types live elsewhere than in `api`: the names are those that kube-apiserver publishes. */
const homes: Readonly<Record<string, string>> = Object.freeze({
  apimachinery: "apimachinery.pkg",
  meta: "apimachinery.pkg.apis.meta",
  apiextensions: "apiextensions-apiserver.pkg.apis.apiextensions",
  apiregistration: "kube-aggregator.pkg.apis.apiregistration",
});

/** `io.k8s.api.core.v1.ConfigMap`; groups of others reversed as kube-apiserver does for custom resources, `com.example.v1.Thing`. */
export function componentName(node: StructNode, home: GroupVersion, names: Names): string {
  return `${packageName(node.package ?? home, names)}.${node.name}`;
}

function packageName(home: GroupVersion, names: Names): string {
  const slash = home.lastIndexOf("/");
  const group = slash < 0 ? "core" : spell(names, home.slice(0, slash)), version = home.slice(slash + 1);
  const own = group.endsWith(`.${names.domain}`);
  if (!own && group.includes(".")) return `${reversed(group)}.${version}`;
  const short = group.split(".")[0]!;
  return `${reversed(names.domain)}.${Object.hasOwn(homes, short) ? homes[short] : `api.${short}`}.${version}`;
}
function reversed(domain: string): string {
  return domain.split(".").reverse().join(".");
}

/** Every component that the roots are or refer to, by name, in the order of names. */
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

/** A reference to a struct's component, as operations use it. */
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
  const go = partsOf(home, options);
  const properties: [string, OpenapiSchema][] = [], required: string[] = [], needs: Component[] = [];
  const add = (fields: StructNode["fields"]) => {
    for (const [key, field] of Object.entries(fields)) {
      if (field.inline) {
        const inner = resolve(field.node);
        if (inner.tag !== "struct") throw new Error(`field ${key} of ${node.name} is inline and no struct`);
        add(inner.fields);
        continue;
      }
      const part = go(field.node);
      properties.push([key, propertySchema(field, part, options)]);
      append(needs, part.needs);
      if (field.required) required.push(key);
    }
  };
  if (node.typeMeta) {
    for (const [key, doc] of Object.entries(typeMetaDocs)) {
      properties.push([key, { description: doc, type: "string" }]);
    }
  }
  add(node.fields);
  const kinds = options.kinds?.(name) ?? [];
  const schema = {
    ...described(node.doc, options.names),
    type: "object",
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties.toSorted(byName)) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(node.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    ...(node.union === undefined ? {} : { "x-kubernetes-unions": [publishedUnion(node.union)] }),
    ...(kinds.length > 0
      ? { "x-kubernetes-group-version-kind": kinds.map(({ group, version, kind }): Json => ({ group, kind, version })) }
      : {}),
  };
  return { schema, needs };
}
const typeMetaDocs = Object.freeze({
  apiVersion: "Group and version in which this representation is written; one that the server does not know is refused.",
  kind: "What this is, in CamelCase; the path says it as well, and it cannot change.",
});

function publishedUnion({ discriminator, members }: Union): Json {
  return { discriminator, "fields-to-discriminateBy": members };
}

function propertySchema(field: Field, part: Part, options: OpenapiOptions): OpenapiSchema {
  const zero = part.always || field.written === "always" ? part.zero : undefined;
  const value = field.default ?? (field.pointer ? undefined : zero);
  return beside(part.schema, {
    ...described(field.doc, options.names),
    ...(value === undefined || options.version === "v2" ? {} : { default: value }),
    ...(field.patch?.mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patch.mergeKey }),
    ...(field.patch?.strategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patch.strategy.join(",") }),
    ...(field.granular ? { "x-kubernetes-map-type": "granular" } : {}),
    ...field.publish,
  }, options.version);
}

/** Version 3 allows nothing beside a reference: there it goes into an `allOf`. */
function beside(schema: OpenapiSchema, siblings: OpenapiSchema, version: OpenapiVersion): OpenapiSchema {
  if (Object.keys(siblings).length === 0) return schema;
  const { description, ...rest } = siblings;
  const first: OpenapiSchema = description === undefined ? {} : { description };
  if (version === "v3" && Object.hasOwn(schema, "$ref")) return { ...first, ...rest, allOf: [schema] };
  return { ...first, ...schema, ...rest };
}

function described(doc: string, names: Names): { description?: string } {
  return doc === "" ? {} : { description: spell(names, doc) };
}

/** The fold itself; structs are referred to, so it never goes round. */
function partsOf(home: GroupVersion, options: OpenapiOptions): (node: Node) => Part {
  const { names, version, enums = true } = options;
  const known = (name: keyof typeof wellKnown): Part => {
    const { under, doc, ...shapes } = wellKnown[name];
    const full = `${reversed(names.domain)}.${under}.${name}`;
    const make = () => ({ schema: { description: doc, ...shapes[version] }, needs: [] });
    return { schema: { $ref: pointerTo(full, version) }, needs: [{ name: full, make }] };
  };
  const element = ({ schema, zero }: Part): OpenapiSchema =>
    zero === undefined || version === "v2" ? schema : beside(schema, { default: zero }, version);
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
    raw: () => known("RawExtension"),
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
    struct: (node) => {
      const component = structComponent(node, home, options);
      return { schema: { $ref: pointerTo(component.name, version) }, needs: [component], zero: {}, always: true };
    },
  }, () => {
    throw new Error("a list or record contains itself without a struct between");
  });
}

const apiMachinery = "apimachinery.pkg";
const text = { type: "string" };
const moment = { type: "string", format: "date-time" };
const anyObject = { type: "object" };
/** Types that are components although they are no structs. */
const wellKnown = Object.freeze({
  Time: {
    under: `${apiMachinery}.apis.meta.v1`,
    doc: "A moment in UTC with whole seconds, as RFC 3339 writes it.",
    v2: moment,
    v3: moment,
  },
  MicroTime: {
    under: `${apiMachinery}.apis.meta.v1`,
    doc: "A moment in UTC with microseconds, as RFC 3339 writes it.",
    v2: moment,
    v3: moment,
  },
  Duration: { under: `${apiMachinery}.apis.meta.v1`, doc: "A span of time as numbers with units, such as 1m30s.", v2: text, v3: text },
  FieldsV1: {
    under: `${apiMachinery}.apis.meta.v1`,
    doc: "A set of fields as nested objects: f: before a field's name, k: before the keys and v: before the value of a list's item, " +
      "i: before an item's index; a dot is the thing itself.",
    v2: anyObject,
    v3: anyObject,
  },
  RawExtension: { under: `${apiMachinery}.runtime`, doc: "An object of any kind.", v2: anyObject, v3: anyObject },
  Quantity: {
    under: `${apiMachinery}.api.resource`,
    doc: "A number with a suffix: n, u, m, k, M, G, T, P and E are powers of a thousand, Ki, Mi, Gi, Ti, Pi and Ei powers of 1024; " +
      "an exponent such as 1e3 does as well. Nothing below a billionth or beyond 2^63-1 is kept. " +
      "What is stored is canonical: no fraction and the largest suffix that allows it, in the family of suffixes that was given.",
    v2: text,
    v3: { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  IntOrString: {
    under: `${apiMachinery}.util.intstr`,
    doc: "A whole number or a text, such as a port's number or its name, or a percentage.",
    v2: { type: "string", format: "int-or-string" },
    v3: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  },
});
