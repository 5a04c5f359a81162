import assert from "node:assert/strict";
import { test } from "node:test";
import {
  generatedNames,
  normalise,
  normaliseText,
  undescribed,
  withoutDescriptions,
  withoutInnerValues,
  withoutYamlReasons,
} from "./normalise.ts";
import type { Json } from "./recording.ts";

const none = new Map<string, string>();
const names = new Map<string, Json>([["ns", "t-abcdef"], ["id", "xabcdef"], ["rv1", "41"], ["other", "77"]]);

test("normaliseText() hides uids, times, names and saved versions", () => {
  const text =
    "t-abcdef/xabcdef 0a1b2c3d-0000-1111-2222-333344445555 2025-01-02T03:04:05Z 2025-01-02 03:04:05.1 +0000 UTC m=+0.5 at 41, 141, 4.41, 77";
  assert.equal(normaliseText(text, names, none), "${ns}/${id} <uid> <time> <time> at <rv>, 141, 4.41, 77");
});

test("normaliseText() keeps numbers that only look like a saved version", () => {
  const text = 'scheme.go:41, 299 - "41"';
  assert.equal(normaliseText(text, new Map([["rv1", "41"], ["rv2", "299"]]), none), 'scheme.go:41, 299 - "<rv>"');
});

test("normaliseText() replaces versions by the words before them", () => {
  assert.equal(
    normaliseText('too large resource version: 900, current: 12, ResourceVersion: "8"', new Map(), none),
    'too large resource version: <rv>, current: <rv>, ResourceVersion: "<rv>"',
  );
});

test("normaliseText() removes the inner diff up to the next cause", () => {
  assert.equal(normaliseText("immutable\n@@ -1 +1 @@\n-a\n+b\n, spec.x: bad", new Map(), none), "immutable, spec.x: bad");
  assert.equal(normaliseText("immutable\n@@ -1 +1 @@\n-a\n", new Map(), none), "immutable");
});

test("normaliseText() replaces tokens and certificates, plain and in base64, and no text with a similar start", () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.${"Sig-_".repeat(8)}`;
  const certificate = btoa(`-----BEGIN CERTIFICATE-----\n${"A".repeat(64)}\n`);
  const text = `a ${token} b ${btoa(token.repeat(2))} c ${certificate}.`;
  assert.equal(normaliseText(text, none, none), "a <token> b <token> c <certificate>.");
  assert.equal(
    normaliseText("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.short ZXlK LS0tLS1CRUdJTi", none, none),
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.short ZXlK LS0tLS1CRUdJTi",
  );
});

test("withoutInnerValues() replaces whole objects and lists, and no text that does not parse", () => {
  assert.equal(
    withoutInnerValues('Invalid value: {"a":["}",{}]}: bad, Forbidden value: [1]: no'),
    "Invalid value: <value>: bad, Forbidden value: <value>: no",
  );
  assert.equal(withoutInnerValues("Invalid value: {a:1}: bad"), "Invalid value: {a:1}: bad");
  assert.equal(withoutInnerValues('Invalid value: {"a":1'), 'Invalid value: {"a":1');
  assert.equal(withoutInnerValues('Invalid value: "{}": bad'), 'Invalid value: "{}": bad');
});

test("generatedNames() finds objects at any depth", () => {
  assert.deepEqual(generatedNames({ items: [{ metadata: { generateName: "a-", name: "a-x1" } }, { metadata: { name: "b" } }] }), [[
    "a-x1",
    "a-<suffix>",
  ]]);
  assert.equal(normaliseText('pods "a-x1" not found', new Map(), new Map([["a-x1", "a-<suffix>"]])), 'pods "a-<suffix>" not found');
});

test("normalise() recognizes versions, continue tokens and uids by their field", () => {
  assert.deepEqual(
    normalise(
      {
        resourceVersion: "12",
        continue: "abc",
        uid: "0a1b2c3d-0000-1111-2222-333344445555",
        "t-abcdef": [{ resourceVersion: "0", uid: "mine", continue: "" }],
      },
      names,
      none,
    ),
    { resourceVersion: "<rv>", continue: "<continue>", uid: "<uid>", "${ns}": [{ resourceVersion: "0", uid: "mine", continue: "" }] },
  );
});

test("normalise() treats __proto__ as a key like any other", () => {
  const value = normalise(JSON.parse('{"__proto__":{"a":1}}'), names, none);
  assert.equal(JSON.stringify(value), '{"__proto__":{"a":1}}');
});

test("normalise() removes descriptions of columns and of OpenAPI documents, and no others", () => {
  const column = { name: "Name", type: "string", description: "a sentence" };
  assert.deepEqual(normalise({ columnDefinitions: [column] }, none, none), { columnDefinitions: [{ name: "Name", type: "string" }] });
  assert.deepEqual(normalise({ "columnDefinitions.1": column }, none, none), { "columnDefinitions.1": { name: "Name", type: "string" } });
  assert.deepEqual(undescribed({ kept: { "columnDefinitions.1": column } }), {
    kept: { "columnDefinitions.1": { name: "Name", type: "string" } },
  });
  const field = { type: "string", description: "a sentence" };
  const schema = { description: "a sentence", properties: { description: field, other: { ...field, description: { type: "string" } } } };
  assert.deepEqual(withoutDescriptions(schema), {
    properties: { description: { type: "string" }, other: { type: "string", description: { type: "string" } } },
  });
  for (const key of ["components", "components.schemas.A", "definitions.A", "paths", "paths./api/v1"]) {
    assert.deepEqual(normalise({ [key]: { A: field } }, none, none), { [key]: { A: { type: "string" } } });
  }
  for (const key of ["data", "componentsOf", "spec"]) assert.deepEqual(normalise({ [key]: field }, none, none), { [key]: field });
});

test("withoutYamlReasons() hides the reasons of the parser, not duplicate keys and the body", () => {
  const start = "error converting YAML to JSON: yaml: ";
  assert.equal(withoutYamlReasons(`${start}line 2: found character that cannot start any token (6d65)`), `${start}<reason> (6d65)`);
  assert.equal(withoutYamlReasons(`${start}document contains excessive aliasing`), `${start}<reason>`);
  assert.equal(withoutYamlReasons(`${start}unmarshal errors:\n  line 7: key`), `${start}unmarshal errors:\n  line 7: key`);
  assert.equal(
    withoutYamlReasons('unsupported map key of type: %!s(<nil>), key: <nil>, value: "v" (6d)'),
    "unsupported map key of type: <reason> (6d)",
  );
  assert.deepEqual(undescribed({ message: `${start}unknown anchor` }), { message: `${start}<reason>` });
});
