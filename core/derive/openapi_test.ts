import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import { ObjectMeta } from "../meta/object-meta.ts";
import { APIResource, DeleteOptions } from "../meta/options.ts";
import { defaultNames } from "../names.ts";
import {
  atomicRecord,
  boolean,
  bytes,
  double,
  duration,
  field,
  fieldsV1,
  int32,
  int64,
  intOrString,
  lazy,
  list,
  mapBy,
  microTime,
  type Node,
  oneOf,
  plainList,
  quantity,
  raw,
  record,
  setOf,
  string,
  struct,
  type StructNode,
  structsOf,
  time,
} from "../schema.ts";
import { componentName, openapiReference, openapiSchemas, type OpenapiVersion } from "./openapi.ts";

const names = defaultNames;

function schemasOf(node: StructNode, version: OpenapiVersion = "v3", home = "core/v1") {
  return openapiSchemas([{ node, home }], { names, version });
}
/** The schema of a field with the type `node`. */
function fieldOf(node: Node, options = {}, version: OpenapiVersion = "v3"): unknown {
  const made = schemasOf(struct("Holder", { held: field(1, node, "", options) }), version);
  return (made["io.k8s.api.core.v1.Holder"]!["properties"] as Record<string, unknown>)["held"];
}
const meta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.";

test("componentName() reverses the domain and uses the packages of kube-apiserver", () => {
  const named = (home: string, own = names) => componentName(struct("Thing", {}), home, own);
  assert.equal(named("v1"), "io.k8s.api.core.v1.Thing");
  assert.equal(named("core/v1"), "io.k8s.api.core.v1.Thing");
  assert.equal(named("meta/v1"), "io.k8s.apimachinery.pkg.apis.meta.v1.Thing");
  assert.equal(named("autoscaling/v1"), "io.k8s.api.autoscaling.v1.Thing");
  assert.equal(named("storage.k8s.io/v1beta1"), "io.k8s.api.storage.v1beta1.Thing");
  assert.equal(named("storage.{domain}/v1"), "io.k8s.api.storage.v1.Thing");
  assert.equal(named("rbac.authorization.k8s.io/v1"), "io.k8s.api.rbac.v1.Thing");
  assert.equal(named("apiextensions.k8s.io/v1"), "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.Thing");
  assert.equal(named("apiregistration.k8s.io/v1"), "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.Thing");
  assert.equal(named("stable.example.com/v2"), "com.example.stable.v2.Thing");
  assert.equal(named("storage.{domain}/v1", { domain: "acme.dev", platform: "acme" }), "dev.acme.api.storage.v1.Thing");
  assert.equal(named("constructor/v1"), "io.k8s.api.constructor.v1.Thing");
});

test("componentName() uses the package of the struct before the group version", () => {
  assert.equal(componentName(ObjectMeta, "storage.k8s.io/v1", names), "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
});

test("openapiSchemas() writes scalars with their formats", () => {
  assert.deepEqual(fieldOf(boolean), { type: "boolean" });
  assert.deepEqual(fieldOf(string), { type: "string" });
  assert.deepEqual(fieldOf(oneOf("Block", "Filesystem")), { type: "string", enum: ["Block", "Filesystem"] });
  assert.deepEqual(fieldOf(int32), { type: "integer", format: "int32" });
  assert.deepEqual(fieldOf(int64), { type: "integer", format: "int64" });
  assert.deepEqual(fieldOf(double), { type: "number", format: "double" });
  assert.deepEqual(fieldOf(bytes), { type: "string", format: "byte" });
});

test("openapiSchemas() references components that are not structs", () => {
  const refs: [Node, string][] = [
    [time, `${meta}Time`],
    [microTime, `${meta}MicroTime`],
    [duration, `${meta}Duration`],
    [fieldsV1, `${meta}FieldsV1`],
    [quantity, "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"],
    [intOrString, "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"],
    [raw, "#/components/schemas/io.k8s.apimachinery.pkg.runtime.RawExtension"],
  ];
  for (const [node, $ref] of refs) {
    assert.deepEqual(fieldOf(node, { required: true }), { $ref });
    assert.ok(Object.hasOwn(schemasOf(struct("Holder", { held: field(1, node, "") })), $ref.slice("#/components/schemas/".length)));
  }
});

test("openapiSchemas() publishes the zero value of scalars that are always written, and of elements in version 3", () => {
  assert.deepEqual(fieldOf(string, { required: true }), { type: "string", default: "" });
  assert.deepEqual(fieldOf(boolean, { written: "always" }), { type: "boolean", default: false });
  assert.deepEqual(fieldOf(int64, { required: true }), { type: "integer", format: "int64", default: 0 });
  assert.deepEqual(fieldOf(string, { required: true, pointer: true }), { type: "string" });
  assert.deepEqual(fieldOf(plainList(string)), { type: "array", items: { type: "string", default: "" } });
  assert.deepEqual(fieldOf(plainList(string), {}, "v2"), { type: "array", items: { type: "string" } });
  assert.deepEqual(fieldOf(record(int32)), { type: "object", additionalProperties: { type: "integer", format: "int32", default: 0 } });
  assert.deepEqual(fieldOf(record(quantity)), {
    type: "object",
    additionalProperties: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity" },
  });
  assert.deepEqual(fieldOf(record(plainList(string))), {
    type: "object",
    additionalProperties: { type: "array", items: { type: "string", default: "" } },
  });
  assert.deepEqual(fieldOf(record(bytes)), { type: "object", additionalProperties: { type: "string", format: "byte" } });
});

test("openapiSchemas() publishes a declared default instead of the zero value", () => {
  assert.deepEqual(fieldOf(string, { default: "TCP" }), { type: "string", default: "TCP" });
  assert.deepEqual(fieldOf(string, { default: "TCP", pointer: true }), { type: "string", default: "TCP" });
});

test("openapiSchemas() wraps a reference with siblings in version 3 only, and publishes no defaults in version 2", () => {
  const Inner = struct("Inner", { name: field(1, string, "", { required: true }) });
  assert.deepEqual(fieldOf(Inner), { default: {}, allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.Inner" }] });
  assert.deepEqual(fieldOf(Inner, { pointer: true }), { $ref: "#/components/schemas/io.k8s.api.core.v1.Inner" });
  assert.deepEqual(fieldOf(list(Inner)), {
    type: "array",
    items: { default: {}, allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.Inner" }] },
    "x-kubernetes-list-type": "atomic",
  });
  assert.deepEqual(fieldOf(Inner, {}, "v2"), { $ref: "#/definitions/io.k8s.api.core.v1.Inner" });
  assert.deepEqual(fieldOf(list(Inner), {}, "v2"), {
    type: "array",
    items: { $ref: "#/definitions/io.k8s.api.core.v1.Inner" },
    "x-kubernetes-list-type": "atomic",
  });
});

test("openapiSchemas() publishes how lists and maps merge", () => {
  const Port = struct("Port", { port: field(1, int32, "", { required: true }), protocol: field(2, string, "") });
  const ports = fieldOf(mapBy(["port", "protocol"], Port), { patch: { strategy: ["merge", "retainKeys"], mergeKey: "port" } });
  assert.deepEqual({ ...ports as object, items: undefined }, {
    type: "array",
    items: undefined,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
    "x-kubernetes-patch-strategy": "merge,retainKeys",
    "x-kubernetes-patch-merge-key": "port",
  });
  assert.equal((fieldOf(setOf(string)) as Record<string, unknown>)["x-kubernetes-list-type"], "set");
  assert.equal((fieldOf(atomicRecord(string)) as Record<string, unknown>)["x-kubernetes-map-type"], "atomic");
  const atomic = schemasOf(struct("Atom", {}, { atomic: true }));
  assert.deepEqual(atomic["io.k8s.api.core.v1.Atom"], { type: "object", "x-kubernetes-map-type": "atomic" });
});

test("openapiSchemas() publishes the discriminator of a union", () => {
  const Profile = struct("Profile", { type: field(1, string, ""), onNode: field(2, string, "") }, {
    union: { discriminator: "type", members: { onNode: "OnNode" } },
  });
  for (const version of ["v2", "v3"] as const) {
    assert.deepEqual(schemasOf(Profile, version)["io.k8s.api.core.v1.Profile"]!["x-kubernetes-unions"], [
      { discriminator: "type", "fields-to-discriminateBy": { onNode: "OnNode" } },
    ]);
  }
});

test("openapiSchemas() describes ObjectMeta as kube-apiserver does", () => {
  const schema = schemasOf(ObjectMeta)["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]!;
  const properties = schema["properties"] as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(properties), Object.keys(properties).toSorted());
  const { description: _, ...owners } = properties["ownerReferences"]!;
  assert.deepEqual(owners, {
    type: "array",
    items: { default: {}, allOf: [{ $ref: `${meta}OwnerReference` }] },
    "x-kubernetes-list-map-keys": ["uid"],
    "x-kubernetes-list-type": "map",
    "x-kubernetes-patch-merge-key": "uid",
    "x-kubernetes-patch-strategy": "merge",
  });
  const { description: __, ...created } = properties["creationTimestamp"]!;
  assert.deepEqual(created, { allOf: [{ $ref: `${meta}Time` }] });
  assert.equal(Object.hasOwn(schema, "required"), false);
});

test("openapiSchemas() adds apiVersion, kind and the group version kinds of the caller to kinds", () => {
  const Thing = object("Thing", { spec: field(2, struct("ThingSpec", {}), "What is wanted.") }, { doc: "A thing on {platform}." });
  const kinds = [{ group: "example.com", version: "v1", kind: "Thing" }];
  const made = openapiSchemas([{ node: Thing, home: "example.com/v1" }], {
    names,
    version: "v3",
    kinds: (name) => name === "com.example.v1.Thing" ? kinds : [],
  });
  const thing = made["com.example.v1.Thing"]!;
  assert.equal(thing["description"], "A thing on kubernetes.");
  assert.deepEqual(Object.keys(thing["properties"] as object), ["apiVersion", "kind", "metadata", "spec"]);
  assert.deepEqual(thing["x-kubernetes-group-version-kind"], kinds);
  assert.ok(Object.hasOwn(made, "com.example.v1.ThingSpec"));
  assert.equal(Object.hasOwn(made["com.example.v1.ThingSpec"]!, "x-kubernetes-group-version-kind"), false);
});

test("openapiSchemas() inlines structs with their required fields", () => {
  const verbs =
    (schemasOf(APIResource)["io.k8s.apimachinery.pkg.apis.meta.v1.APIResource"]!["properties"] as Record<string, object>)["verbs"];
  assert.deepEqual({ ...verbs, description: "" }, { description: "", type: "array", items: { type: "string", default: "" } });
  assert.ok((schemasOf(APIResource)["io.k8s.apimachinery.pkg.apis.meta.v1.APIResource"]!["required"] as string[]).includes("verbs"));
});

test("openapiSchemas() writes recursive structs", () => {
  const Tree: StructNode = struct("Tree", { children: field(1, list(lazy(() => Tree)), "") });
  assert.deepEqual(Object.keys(schemasOf(Tree)), ["io.k8s.api.core.v1.Tree"]);
});

test("openapiSchemas() rejects a recursive list", () => {
  const endless: Node = list(lazy(() => endless));
  assert.throws(() => fieldOf(endless), /contains itself/);
});

test("openapiSchemas() keeps fields named __proto__ and constructor", () => {
  const fields = Object.fromEntries(["__proto__", "constructor"].map((key, at) => [key, field(at + 1, string, "")]));
  const made = schemasOf(struct("Odd", fields))["io.k8s.api.core.v1.Odd"]!["properties"] as object;
  assert.deepEqual(Object.keys(made), ["__proto__", "constructor"]);
});

test("openapiSchemas() gives structs without a package the package of their parent", () => {
  const Inner = struct("Inner", {});
  const Outer = structsOf("core/v1")("Outer", { inner: field(1, Inner, "") });
  assert.deepEqual(Object.keys(schemasOf(struct("Top", { outer: field(1, Outer, "") }), "v3", "storage.k8s.io/v1")), [
    "io.k8s.api.core.v1.Inner",
    "io.k8s.api.core.v1.Outer",
    "io.k8s.api.storage.v1.Top",
  ]);
});

test("openapiReference() points into the document of its version", () => {
  const root = { node: DeleteOptions, home: "v1" };
  assert.deepEqual(openapiReference(root, { names, version: "v3" }), { $ref: `${meta}DeleteOptions` });
  assert.deepEqual(openapiReference(root, { names, version: "v2" }), {
    $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  });
});
