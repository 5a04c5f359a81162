import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import { boolean, bytes, double, field, fieldsV1, int32, int64, list, quantity, raw, record, string, structsOf, time } from "../schema.ts";
import { readJson } from "../tree/json.ts";
import { decodeStored } from "./decode.ts";
import { encoder } from "./encode.ts";

const struct = structsOf("core/v1");
const Inner = struct("Inner", { name: field(1, string, "", { required: true }), on: field(2, boolean, "", { pointer: true }) });
const Hoisted = struct("Hoisted", { b: field(1, Inner, "", { pointer: true }), c: field(2, string, "") });
const Thing = object("Thing", {
  text: field(2, string, ""),
  inner: field(3, Inner, ""),
  hoisted: field(4, Hoisted, "", { inline: true }),
  rules: field(5, list(string), "", { written: "always" }),
  data: field(6, record(string), ""),
  seen: field(7, time, "", { written: "always" }),
  group: field(8, string, "", { pointer: true, written: "always" }),
  count: field(9, int64, ""),
  port: field(10, int32, "", { required: true }),
  weight: field(11, double, ""),
  blob: field(12, record(bytes), ""),
  divisor: field(13, quantity, "", { written: "always" }),
  free: field(14, raw, "", { pointer: true }),
  managed: field(15, fieldsV1, "", { pointer: true }),
  lists: field(16, record(list(string)), ""),
}, { package: "core/v1" });
const encode = encoder(Thing) as (value: object) => string;
const always = '"rules":null,"seen":null,"group":null,"port":0,"divisor":"0"';
const rest = `"metadata":{},"inner":{"name":""},${always}`;

test("encoder() writes an empty object as Go does", () => {
  assert.equal(encode({}), `{${rest}}`);
  assert.equal(encode({ kind: "", apiVersion: "", metadata: {} }), `{${rest}}`);
  assert.equal(encode({ kind: "Thing", apiVersion: "v1" }), `{"kind":"Thing","apiVersion":"v1",${rest}}`);
});

test("encoder() omits zero values that a hook has set", () => {
  assert.equal(encode({ text: "", data: {}, count: 0, weight: 0, blob: {}, c: "", rules: [] }), `{${rest}}`);
});

test("encoder() writes zero values of pointers", () => {
  assert.equal(
    encode({ inner: { name: "a", on: false }, b: { name: "" }, group: "" }),
    `{"metadata":{},"inner":{"name":"a","on":false},"b":{"name":""},"rules":null,"seen":null,"group":"","port":0,"divisor":"0"}`,
  );
});

test("encoder() writes keys in schema order, not in the object's order", () => {
  const value = { port: 1, c: "x", text: "t", metadata: { namespace: "b", name: "a" }, apiVersion: "v1", kind: "Thing" };
  assert.equal(
    encode(value),
    `{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"text":"t","inner":{"name":""},"c":"x","rules":null,"seen":null,"group":null,"port":1,"divisor":"0"}`,
  );
});

test("encoder() sorts records by the bytes of their keys", () => {
  const data = JSON.parse('{"b":"","10":"","9":"","\u{1f600}":"","\uffee":"","":"","__proto__":"","Z":""}');
  assert.match(encode({ data }), /"data":\{"":"","10":"","9":"","Z":"","__proto__":"","b":"","\uffee":"","\u{1f600}":""\}/u);
});

test("encoder() escapes as Go does", () => {
  assert.match(
    encode({ text: '<a href="x">&\u2028\u0001\n\\\u007f' }),
    /"text":"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\\u0001\\n\\\\\u007f"/,
  );
  assert.match(encode({ data: { "<": "\ud800" } }), /"data":\{"\\u003c":"\\ufffd"\}/);
});

test("encoder() writes numbers exactly", () => {
  assert.match(encode({ count: 9223372036854775807n, weight: 1e21 }), /"count":9223372036854775807,"port":0,"weight":1e\+21,/);
  assert.match(encode({ weight: 1e-7 }), /"weight":1e-7,/);
});

test("encoder() keeps the key order of raw values and writes values of any depth", () => {
  assert.match(
    encode({ free: { z: [1, null, { y: "<" }], a: 2n ** 60n }, managed: { "f:b": {}, "f:a": { ".": {} } } }),
    /"free":\{"z":\[1,null,\{"y":"\\u003c"\}\],"a":1152921504606846976\},"managed":\{"f:b":\{\},"f:a":\{".":\{\}\}\}/,
  );
  const deep = "[".repeat(9000) + "]".repeat(9000);
  const read = readJson(`{"free":${deep}}`);
  assert.ok(read.ok);
  assert.ok(encode(decodeStored(Thing)(read.tree) as object).includes(`"free":${deep}`));
});

test("encoder() writes empty lists inside records", () => {
  assert.match(encode({ lists: { b: [], a: ["x"] } }), /"lists":\{"a":\["x"\],"b":\[\]\}/);
});
