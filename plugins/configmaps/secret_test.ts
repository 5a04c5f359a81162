import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { cellAt } from "../../core/test-cells.ts";
import { noMetric } from "../../core/test-context.ts";
import { secrets } from "./mod.ts";
import { configBytesMax } from "./bounds.ts";

const at: HookContext = {
  names: defaultNames,
  gates: () => false,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const metadata = { name: "one", namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const make = (rest: object) => ({ kind: "Secret", apiVersion: "v1", metadata, ...rest });
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
const created = (rest: object) => texts(secrets.create?.(make(rest), at));
const updated = (next: object, prior: object) => texts(secrets.update?.(make(next), make(prior), at));
const base64 = (text: string) => Buffer.from(text).toString("base64");
const served = secrets.served["v1"]!;
const toStored = (rest: object) => served.toStored!(make(rest));

/** Each type with invalid data, the errors, and valid data. */
const byType: readonly [string, object, readonly string[], object][] = [
  ["kubernetes.io/basic-auth", { user: "eA==" }, ["data[username]: Required value", "data[password]: Required value"], { password: "" }],
  ["kubernetes.io/ssh-auth", { "ssh-privatekey": "" }, ["data[ssh-privatekey]: Required value"], { "ssh-privatekey": "eA==" }],
  ["kubernetes.io/tls", {}, ["data[tls.crt]: Required value", "data[tls.key]: Required value"], { "tls.crt": "", "tls.key": "" }],
  ["kubernetes.io/dockercfg", { other: "e30=" }, ["data[.dockercfg]: Required value"], { ".dockercfg": "e30=" }],
  ["kubernetes.io/dockerconfigjson", {}, ["data[.dockerconfigjson]: Required value"], { ".dockerconfigjson": base64("null") }],
  ["Opaque", {}, [], {}],
  ["example.com/own", {}, [], {}],
  ["thole.io/tls", {}, [], {}],
];
for (const [type, bad, wrong, good] of byType) {
  test(`a Secret of type ${type} must have the keys of its type`, () => {
    assert.deepEqual(created({ type, data: bad }), wrong);
    assert.deepEqual(created({ type, data: good }), []);
  });
}

test("a docker Secret must hold a JSON object, and the error does not show its content", () => {
  const problem = (text: string) => created({ type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64(text) } });
  const redacted = 'data[.dockercfg]: Invalid value: "<secret contents redacted>": ';
  assert.deepEqual(problem("not json"), [`${redacted}invalid character 'o' in literal null (expecting 'u')`]);
  assert.deepEqual(problem(""), [`${redacted}unexpected end of JSON input`]);
  assert.deepEqual(problem("[1]"), [`${redacted}json: cannot unmarshal array into Go value of type map[string]interface {}`]);
  assert.deepEqual(problem('"text"'), [`${redacted}json: cannot unmarshal string into Go value of type map[string]interface {}`]);
  assert.deepEqual(problem("true"), [`${redacted}json: cannot unmarshal bool into Go value of type map[string]interface {}`]);
  assert.deepEqual(problem("7"), [`${redacted}json: cannot unmarshal number into Go value of type map[string]interface {}`]);
  assert.deepEqual(problem('{"a": 1} x'), [`${redacted}invalid character 'x' after top-level value`]);
  assert.deepEqual(problem('{"a": [1, {"b": 1e400}]}'), [`${redacted}json: cannot unmarshal number 1e400 into Go value of type float64`]);
  assert.deepEqual(problem('{"auths": 7}'), []);
});

test("a Secret of type service-account-token requires the annotation with the service account's name", () => {
  const type = "kubernetes.io/service-account-token";
  const key = "kubernetes.io/service-account.name";
  const wrong = [`metadata.annotations[${key}]: Required value`];
  assert.deepEqual(created({ type }), wrong);
  assert.deepEqual(created({ type, metadata: { ...metadata, annotations: { [key]: "" } } }), wrong);
  assert.deepEqual(created({ type, metadata: { ...metadata, annotations: { [key]: "builder" } } }), []);
});

test("the types of Secrets use --platform-name", () => {
  const here = { ...at, names: { domain: "thole.example", platform: "thole" } };
  assert.deepEqual(texts(secrets.create?.(make({ type: "thole.io/ssh-auth" }), here)), ["data[ssh-privatekey]: Required value"]);
});

test("the values of a Secret may have 1 MiB in total; the error names data", () => {
  const bytes = (length: number) => Buffer.alloc(length).toString("base64");
  assert.deepEqual(created({ data: { a: bytes(configBytesMax - 1), b: "AA==" } }), []);
  assert.deepEqual(created({ data: { a: bytes(configBytesMax), b: "AA==" } }), [
    "data: Too long: may not be more than 1048576 bytes",
  ]);
});

test("the type of a Secret is immutable, and the rules of the new type are checked too", () => {
  assert.deepEqual(updated({ type: "kubernetes.io/tls", data: { a: "Yg==" } }, { type: "Opaque" }), [
    'type: Invalid value: "kubernetes.io/tls": field is immutable',
    "data[tls.crt]: Required value",
    "data[tls.key]: Required value",
  ]);
});

test("an immutable Secret rejects changes of its flag and data; an empty map is a change", () => {
  const forbidden = "Forbidden: field is immutable when `immutable` is set";
  const frozen = { immutable: true, data: { a: "MQ==" }, type: "Opaque" };
  assert.deepEqual(updated({ data: { a: "Mg==" }, type: "Opaque" }, frozen), [`immutable: ${forbidden}`, `data: ${forbidden}`]);
  assert.deepEqual(updated(frozen, frozen), []);
  assert.deepEqual(updated({ immutable: true, data: {}, type: "Opaque" }, { immutable: true, type: "Opaque" }), [`data: ${forbidden}`]);
});

test("an update of a Secret reports metadata errors twice, as upstream", () => {
  const broken = {
    metadata: {
      ...metadata,
      labels: { "a b": "c" },
      annotations: { "d e": "f" },
      finalizers: ["nope"],
      ownerReferences: [{ apiVersion: "v1", kind: "", name: "", uid: "" }],
    },
    type: "example.com/other",
    data: { "g h": "AAA=" },
  };
  const paths = secrets.update?.(make(broken), make({ type: "Opaque" }), at).map((error) => error.path);
  const meta = ["labels", "annotations", "ownerReferences.kind", "ownerReferences.name", "ownerReferences.uid", "finalizers[0]"].map((
    path,
  ) => `metadata.${path}`);
  assert.deepEqual(paths, [...meta, "type", ...meta, "data[g h]"]);
});

test("stringData is merged into data and is not stored", () => {
  const stored = toStored({ immutable: false, data: { a: "YQ==", b: "Yg==" }, stringData: { a: "b", c: "ž\n" }, type: "Opaque" });
  assert.deepEqual(stored, make({ immutable: false, data: { a: "Yg==", b: "Yg==", c: "xb4K" }, type: "Opaque" }));
  assert.deepEqual(Object.keys(stored), ["kind", "apiVersion", "metadata", "immutable", "data", "type"]);
  assert.deepEqual(toStored({ stringData: {} }), make({}));
  assert.deepEqual(toStored({ stringData: {}, data: {} }), make({ data: {} }));
  const plain = make({ data: { a: "YQ==" } });
  assert.equal(served.toStored!(plain), plain);
});

test("stringData accepts keys that are names of Object.prototype", () => {
  const stored = toStored({ stringData: JSON.parse('{"__proto__": "x", "constructor": "y"}') });
  assert.deepEqual(Object.entries(stored.data ?? {}), [["__proto__", "eA=="], ["constructor", "eQ=="]]);
});

test("the type of a Secret defaults to Opaque if it is absent or empty", () => {
  const applyDefaults = served.schema.applyDefaults!;
  assert.deepEqual(applyDefaults(make({})), make({ type: "Opaque" }));
  assert.deepEqual(applyDefaults(make({ type: "" })), make({ type: "Opaque" }));
  const typed = make({ type: "example.com/own" });
  assert.equal(applyDefaults(typed), typed);
});

test("Secrets are selectable by type, and their Data column counts keys", () => {
  const secret = make({ type: "example.com/own", data: { a: "", b: "" } });
  assert.deepEqual(Object.keys(served.selectableFields!), ["type"]);
  assert.equal(served.selectableFields!["type"]!(secret), "example.com/own");
  const now = Date.parse("2024-01-02T03:05:05Z");
  assert.deepEqual(served.columns!.map((column) => column.name), ["Name", "Type", "Data", "Age"]);
  assert.deepEqual(served.columns!.map((column) => cellAt(column.cell(secret), now)), ["one", "example.com/own", 2, "60s"]);
});
