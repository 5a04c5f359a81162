/** Requests that cost a server much more than their bytes suggest, each as large as the server takes it. */
import { backendRequests } from "./hostile-backends.ts";
import { kmsRequests } from "./hostile-kms.ts";
import { kubeletRequests } from "./hostile-kubelets.ts";
import { remoteRequests } from "./hostile-remote.ts";
import type { Before, HostileRequest } from "./hostile-request.ts";
import { mutating, mutatingFlags, ruleRequests } from "./hostile-rules.ts";
import { bodyBytesMax, inlineBodyBytesMax } from "../../kernel/request-context.ts";
import { tokenLengthMax } from "../../plugins/authentication/service-accounts/untrusted.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const json = "application/json", yaml = "application/yaml";
/** Room for what stands around the long part. */
const bytes = bodyBytesMax - 4096;
/** Of finalizers in a stored object: its managed fields name each of them again. */
const storedBytes = 550_000;
const meta = `"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x"}`;
const numbered = (bytesMax: number, share: number, each: (index: number) => string, separator = ","): string => {
  const parts: string[] = [];
  for (let index = 0, size = 0; size < bytesMax * share; index++) {
    const part = each(index);
    size += part.length + separator.length;
    parts.push(part);
  }
  parts.pop();
  return parts.join(separator);
};
const repeated = (text: string, share: number, around = 0): string =>
  text.repeat(Math.max(1, Math.floor((bytes - around) * share / text.length)));
const list = (share: number): string => `[${repeated("0,", share)}0]`;
const finalizers = (bytesMax: number) => (share: number): string => numbered(bytesMax, share, (index) => `"a.b/${index}"`);
const long = (name: string): readonly Before[] => [{
  path: configMaps,
  body: (share) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","finalizers":[${finalizers(storedBytes)(share)}]}}`,
}];

function create(name: string, body: HostileRequest["body"], type = json, path = configMaps): HostileRequest {
  return { name, method: "POST", path, type, body };
}
const small: readonly Before[] = [{
  path: configMaps,
  body: () => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"long"}}`,
}];
function patch(name: string, dialect: string, body: HostileRequest["body"], before = small): HostileRequest {
  const query = dialect === "apply-patch+yaml" ? "?fieldManager=hostile&force=true" : "";
  return { name, method: "PATCH", path: `${configMaps}/long${query}`, type: `application/${dialect}`, body, before };
}

/** A body of some kB against a definition of some kB, whose sizes multiply: `items` of the list in it, `count` times `item`. */
function multiplied(name: string, items: object, count: number, item: string): HostileRequest {
  const schema = { type: "object", properties: { l: { type: "array", items } } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "products.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "products", kind: "Product" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  return {
    name,
    method: "POST",
    path: "/apis/example.com/v1/products",
    type: json,
    body: (share) => `{"apiVersion":"example.com/v1","kind":"Product","metadata":{"name":"a"},"l":[${numbered(count, share, () => item)}]}`,
    before: [{ path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: () => JSON.stringify(definition) }],
  };
}
const enumeration = Array.from({ length: 20_000 }, (_, index) => index + 100);

/** Envelope and message of a ConfigMap in protobuf, with so many empty finalizers. */
function protobuf(share: number): Uint8Array {
  const meta = Buffer.from([0x12, 1, 0x78]); // generateName
  const many = Buffer.alloc(Math.floor(bytes * share / 2) * 2);
  for (let at = 0; at < many.length; at += 2) many[at] = 0x72; // field 14, no bytes
  const inner = field(1, Buffer.concat([meta, many]));
  const type = field(1, Buffer.concat([field(1, Buffer.from("v1")), field(2, Buffer.from("ConfigMap"))]));
  return Buffer.concat([Buffer.from("k8s\0"), type, field(2, inner)]);
}
function field(number: number, value: Uint8Array): Buffer {
  const head = [number << 3 | 2];
  let length = value.length;
  for (; length >= 0x80; length = Math.floor(length / 0x80)) head.push(length % 0x80 | 0x80);
  return Buffer.concat([Buffer.from([...head, length]), value]);
}
/** A map of CBOR with kind, version, name and one list of zeros. */
function cbor(share: number): Uint8Array {
  const text = (value: string) => Buffer.from([0x60 | value.length, ...Buffer.from(value)]);
  const count = Math.floor(bytes * share);
  const head = Buffer.from([0xd9, 0xd9, 0xf7, 0xa4]), listHead = Buffer.from([0x9a, 0, 0, 0, 0]);
  listHead.writeUInt32BE(count, 1);
  const metadata = Buffer.concat([text("metadata"), Buffer.from([0xa1]), text("generateName"), text("x")]);
  const type = [text("kind"), text("ConfigMap"), text("apiVersion"), text("v1")];
  return Buffer.concat([head, ...type, metadata, text("x"), listHead, Buffer.alloc(count)]);
}

const nested = (share: number, levels: number): string => {
  const depth = Math.floor(levels * Math.min(1, share * 10));
  return numbered(bytes, share, () => `${"[".repeat(depth)}${"]".repeat(depth)}`);
};
const selector = (share: number): string => encodeURIComponent(numbered(600_000, share, (index) => `!a${index}`));

/** A token of the server's issuer with a bad signature, as long as this. `claims`: what its payload holds beside the issuer. */
function token(length: number, claims: (length: number) => string): string {
  const segment = (text: string) => Buffer.from(text).toString("base64url");
  const payload = `{"iss":"https://kubernetes.default.svc","x":${claims(Math.floor(length * 3 / 4) - 200)}}`;
  return `${segment('{"alg":"RS256"}')}.${segment(payload)}.${"A".repeat(342)}`;
}
const filler = (length: number): string => `"${"x".repeat(length)}"`;
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews", robots = "/api/v1/namespaces/default/serviceaccounts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
/** A definition with one long list of members of its schema. */
const definition = (properties: string): string =>
  `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.example.com"},"spec":{"group":"example.com",` +
  `"scope":"Cluster","names":{"plural":"as","kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` +
  `{"type":"object","properties":{${properties}}}}}]}}`;
/** A definition with such rules. They have no quotation marks. */
const withRules = (rules: readonly string[]): string =>
  definition(`"spec":{"type":"object","x-kubernetes-validations":[${rules.map((rule) => `{"rule":"${rule}"}`).join()}]}`);
const pattern = (index: number): string => `"a${index}":{"type":"string","pattern":"x{1000}${index}"}`;

export const hostileRequests: readonly HostileRequest[] = Object.freeze([
  create("JSON, list of 1.5 M numbers", (share) => `{${meta},"x":${list(share)}}`),
  create("JSON, 300,000 objects", (share) => `{${meta},"x":[${repeated('{"a":{}},', share)}0]}`),
  create("JSON, nested lists", (share) => `{${meta},"x":[${nested(share, 9_000)}]}`),
  create("JSON, duplicate keys", (share) => `{${meta},"data":{${numbered(bytes, share, () => '"a":""')}}}`),
  create("JSON, 200,000 unknown fields", (share) => `{${meta},${numbered(bytes, share, (index) => `"f${index}":0`)}}`),
  create("JSON, a body just below the bound", () => `{${meta},"x":[${"0,".repeat(inlineBodyBytesMax / 2 - 100)}0]}`),
  create(
    "JSON, finalizers just below the bound",
    () =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x","finalizers":[${
        numbered(inlineBodyBytesMax - 200, 1, (index) => `"${index}"`)
      }]}}`,
  ),
  create(
    "a definition of 100,000 schemas",
    (share) => definition(numbered(bytes, share, (index) => `"a${index}":{"type":"string"}`)),
    json,
    definitions,
  ),
  create(
    "a definition of 120,000 errors",
    (share) => definition(numbered(bytes, share, (index) => `"a${index}":{"id":"a"}`)),
    json,
    definitions,
  ),
  create(
    "a definition of patterns just below the bound",
    () => definition(numbered(inlineBodyBytesMax - 1000, 1, pattern)),
    json,
    definitions,
  ),
  create("TokenReview, a token of 3 MB", (share) => `{"spec":{"token":"${token(bytes * share, filler)}"}}`, json, reviews),
  create(
    "TokenReview, a nested token at its bound",
    () => `{"spec":{"token":"${token(tokenLengthMax - 4096, (length) => `${"[".repeat(length / 2)}${"]".repeat(length / 2)}`)}"}}`,
    json,
    reviews,
  ),
  create(
    "TokenReview, 200,000 audiences",
    (share) => `{"spec":{"token":"${token(1000, filler)}","audiences":[${numbered(bytes - 2000, share, (index) => `"a${index}"`)}]}}`,
    json,
    reviews,
  ),
  create(
    "SubjectAccessReview, 300,000 groups",
    (share) =>
      `{"spec":{"user":"a","groups":[${
        numbered(bytes, share, (index) => `"g${index}"`)
      }],"resourceAttributes":{"verb":"get","resource":"pods","namespace":"default"}}}`,
    json,
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  ),
  {
    name: "a bearer token of 900 kB",
    method: "GET",
    path: "/api",
    type: json,
    body: () => "",
    token: (share) => token(900_000 * share, filler),
  },
  {
    name: "TokenRequest, 200,000 audiences",
    method: "POST",
    path: `${robots}/default/token`,
    type: json,
    body: (share) => `{"spec":{"audiences":[${numbered(bytes, share, (index) => `"a${index}"`)}]}}`,
  },
  create("YAML, list of 1.4 M numbers", (share) => `{${meta},"x":${list(share)}}`, yaml),
  create(
    "YAML, 700,000 lines",
    (share) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x}\nx:\n${repeated("- 1\n", share)}`,
    yaml,
  ),
  create("YAML, aliases", (share) => `a: &a ${"k".repeat(1000 * share)}\nx:\n${repeated("- *a\n", share, 2000)}`, yaml),
  create("YAML, nested lists", (share) => `x: [${nested(share, 490)}]\n`, yaml),
  create("CBOR, list of 3 M numbers", cbor, "application/cbor"),
  create("protobuf, 1.5 M finalizers", protobuf, "application/vnd.kubernetes.protobuf"),
  create(
    "250,000 finalizers",
    (share) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x","finalizers":[${finalizers(bytes)(share)}]}}`,
  ),
  create(
    "180,000 bad labels",
    (share) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x","labels":{${
        numbered(bytes, share, (index) => `"-${index}":"-"`)
      }}}}`,
  ),
  create(
    "annotations at their bound",
    (share) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a","annotations":{${
        numbered(380_000, share, (index) => `"a${index}":""`)
      }}}}`,
  ),
  create(
    "binaryData",
    (share) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"b"},"binaryData":{"a":"${"AAAA".repeat(340_000 * share)}"}}`,
  ),
  create(
    "data of 150,000 keys",
    (share) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"d"},"data":{${
        numbered(900_000, share, (index) => `"k${index}":""`)
      }}}`,
  ),
  create(
    "managedFields",
    (share) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"m","managedFields":[{"manager":"a","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{${
        numbered(1_000_000, share, (index) => `"f:k${index}":{}`)
      }}}}]}}`,
  ),
  create(
    "a long quantity",
    (share) =>
      `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"q"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1${
        repeated("0", share)
      }"}}}}`,
    json,
    "/api/v1/namespaces/default/persistentvolumeclaims",
  ),
  create(
    "topologies of a storage class",
    (share) =>
      `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s"},"provisioner":"a/b","allowedTopologies":[${
        numbered(bytes, share, (index) => `{"matchLabelExpressions":[{"key":"a","values":["${index}"]}]}`)
      }]}`,
    json,
    "/apis/storage.k8s.io/v1/storageclasses",
  ),
  create(
    "CEL, a rule of 100,000 characters with a mistake at its end",
    (share) => withRules([`[${"[].map(x,x),".repeat(8300 * share)}1)`]),
    json,
    definitions,
  ),
  create(
    "CEL, 25 rules of 100,000 characters",
    (share) => withRules(Array.from({ length: 25 }, () => `[${"[].map(x,x),".repeat(8300 * share)}[]] == []`)),
    json,
    definitions,
  ),
  {
    ...create(
      "a mutating policy with three patches of a large object",
      (share) => `{${meta},"data":{"a":"${"x".repeat(900_000 * share)}"}}`,
    ),
    before: mutating(Array.from({ length: 3 }, (_, index) => `[JSONPatch{op: 'add', path: '/data/b${index}', value: 'c'}]`)),
    flags: mutatingFlags,
  },
  create(
    "drivers of a node",
    (share) =>
      `{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[${
        numbered(bytes, share, (index) => `{"name":"a${index}","nodeID":"b","topologyKeys":["a"]}`)
      }]}}`,
    json,
    "/apis/storage.k8s.io/v1/csinodes",
  ),
  create(
    "tokens of a driver",
    (share) =>
      `{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"n"},"spec":{"tokenRequests":[${
        numbered(bytes, share, (index) => `{"audience":"${index}"}`)
      }]}}`,
    json,
    "/apis/storage.k8s.io/v1/csidrivers",
  ),
  patch(
    "JSON patch, 9,999 inserts at the head",
    "json-patch+json",
    (share) =>
      `[{"op":"add","path":"/x","value":[${repeated("0,", share, 400_000)}0]}${
        ',{"op":"add","path":"/x/0","value":0}'.repeat(9_998 * share)
      }]`,
  ),
  patch(
    "JSON patch, 9,999 removals at the head",
    "json-patch+json",
    (share) =>
      `[{"op":"add","path":"/x","value":[${repeated("0,", share, 400_000)}0]}${',{"op":"remove","path":"/x/0"}'.repeat(9_998 * share)}]`,
  ),
  patch(
    "JSON patch, copies",
    "json-patch+json",
    (share) =>
      `[{"op":"add","path":"/x","value":[${repeated("0,", share, 1_400_000)}0]},{"op":"copy","from":"/x","path":"/y"}${
        ',{"op":"test","path":"/y/0","value":0}'.repeat(9_900 * share)
      }]`,
  ),
  patch("merge patch, 300,000 objects", "merge-patch+json", (share) => `{"x":[${repeated('{"a":{}},', share)}0]}`),
  patch("merge patch, many keys", "merge-patch+json", (share) => `{"x":{${numbered(bytes, share, (index) => `"k${index}":null`)}}}`),
  patch(
    "strategic patch, finalizers",
    "strategic-merge-patch+json",
    (share) => `{"metadata":{"finalizers":[${finalizers(bytes)(share)}]}}`,
    long("long"),
  ),
  patch(
    "strategic patch, deletions",
    "strategic-merge-patch+json",
    (share) => `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${finalizers(bytes)(share)}]}}`,
    long("long"),
  ),
  patch(
    "apply, finalizers",
    "apply-patch+yaml",
    (share) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"long","finalizers":[${finalizers(bytes)(share)}]}}`,
  ),
  patch(
    "apply, data",
    "apply-patch+yaml",
    (share) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"long"},"data":{${numbered(600_000, share, (index) => `"k${index}":""`)}}}`,
  ),
  patch("a small patch of a large object", "json-patch+json", () => `[{"op":"add","path":"/data","value":{"a":"1"}}]`, long("long")),
  patch(
    "JSON patch of a large object, 1,000 inserts",
    "json-patch+json",
    () => `[${numbered(120_000, 1, (index) => `{"op":"add","path":"/metadata/finalizers/0","value":"c/${index}"}`)}]`,
    long("long"),
  ),
  { name: "a large object in YAML", method: "GET", path: `${configMaps}/long`, type: yaml, body: () => "", before: long("long") },
  { name: "a list with a large object in YAML", method: "GET", path: configMaps, type: yaml, body: () => "", before: long("long") },
  {
    name: "options of a deletion",
    method: "DELETE",
    path: configMaps,
    type: json,
    body: (share) => `{"apiVersion":"v1","kind":"DeleteOptions","dryRun":[${repeated('"All",', share)}"All"]}`,
  },
  multiplied("enumeration of 20,000 values", { type: "integer", enum: enumeration }, 120_000, "1"),
  multiplied("2,000 alternatives", { anyOf: Array.from({ length: 2_000 }, () => ({ minimum: 100 })), type: "integer" }, 10_000, "1"),
  multiplied(
    "pattern of 50,000 instructions",
    { type: "string", pattern: `^(${"(a?){1000}".repeat(12)})$` },
    2_000,
    `"${"a".repeat(1_900)}!"`,
  ),
  multiplied("default of 20 kB", { type: "object", properties: { d: { type: "string", default: "x".repeat(20_000) } } }, 30_000, "{}"),
  patch("JSON patch, copies that double", "json-patch+json", () => {
    const copies = Array.from({ length: 30 }, (_, index) => `{"op":"copy","from":"/data","path":"/data/${index}"}`);
    return `[{"op":"add","path":"/data","value":{}},${copies}]`;
  }),
  { name: "label selector of 600 kB", method: "GET", path: `${configMaps}?labelSelector=`, type: json, body: () => "" },
  { name: "field selector of 600 kB", method: "GET", path: `${configMaps}?fieldSelector=`, type: json, body: () => "" },
  ...ruleRequests,
  ...remoteRequests,
  ...backendRequests,
  ...kmsRequests,
  ...kubeletRequests,
]);

/** The path of a request with the selector that is too long for a table. */
export function hostilePath({ path }: HostileRequest, share: number): string {
  if (path.endsWith("labelSelector=")) return `${path}${selector(share)}`;
  if (path.endsWith("fieldSelector=")) return `${path}${encodeURIComponent(numbered(600_000, share, () => "metadata.name!=a"))}`;
  return path;
}
