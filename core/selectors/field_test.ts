import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesFields, parseFieldSelector } from "./field.ts";

test("parseFieldSelector() splits at commas and unescapes values", () => {
  assert.deepEqual(parseFieldSelector("a=b\\,c,d!=e\\=f,g==h"), {
    ok: true,
    requirements: [{ field: "a", operator: "=", value: "b,c" }, { field: "d", operator: "!=", value: "e=f" }, {
      field: "g",
      operator: "=",
      value: "h",
    }],
  });
});

test("parseFieldSelector() sorts terms by their text, as upstream", () => {
  const parsed = parseFieldSelector("b=2,a=1,a!=0,b=1");
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.requirements.map(({ field, operator, value }) => field + operator + value), ["a!=0", "a=1", "b=1", "b=2"]);
});

test("parseFieldSelector() ignores terms without field and value", () => {
  for (const text of ["", ",", "=", "==", "!=", "=,="]) assert.deepEqual(parseFieldSelector(text), { ok: true, requirements: [] }, text);
  assert.deepEqual(parseFieldSelector("=,a="), { ok: true, requirements: [{ field: "a", operator: "=", value: "" }] });
  assert.deepEqual(parseFieldSelector("=a"), { ok: true, requirements: [{ field: "", operator: "=", value: "a" }] });
});

test("parseFieldSelector() returns upstream's errors", () => {
  const refusal = (text: string) => {
    const parsed = parseFieldSelector(text);
    return parsed.ok ? "" : parsed.error;
  };
  assert.equal(refusal(" "), "invalid selector: ' '; can't understand ' '");
  assert.equal(refusal("type=a=b"), "invalid field selector: unescaped character in value: 61");
  assert.equal(refusal("type=a\\b"), "invalid field selector: invalid escape sequence: \\b");
  assert.equal(refusal("type=a\\"), "invalid field selector: invalid escape sequence: \\");
});

test("matchesFields() compares the values of fields", () => {
  const parsed = parseFieldSelector("a=1,b!=2");
  assert.ok(parsed.ok);
  assert.equal(matchesFields(parsed.requirements, (field) => field === "a" ? "1" : ""), true);
  assert.equal(matchesFields(parsed.requirements, () => "1"), true);
  assert.equal(matchesFields(parsed.requirements, (field) => field === "a" ? "1" : "2"), false);
});
