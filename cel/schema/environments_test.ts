// Which rules on a list of integers a kube-apiserver 1.36 accepted with --emulated-version and --min-compatibility-version 1.33 and 1.34.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import { extend } from "../environment.ts";
import { intType, listType } from "../types.ts";
import { newExpressions, rulesWithStored, storedExpressions } from "./environments.ts";
import type { Environment } from "../declarations.ts";

const always = [
  "self.map(i, string(i)).all(s, isSemver(s) || true)",
  "self.all(i, v, i >= 0)",
  '"%d".format([1]) == "1"',
  "self.first().hasValue()",
  "self.last().hasValue()",
  "optional.of(self).orValue([]) == self",
  "optional.unwrap([optional.of(1)]) == self",
  "[optional.of(1)].unwrapOpt() == self",
  "self.isSorted()",
  "self.sum() > 1",
  "self.transformList(i, v, v) == self",
  'format.named("dns1123Label").hasValue()',
  'ip("::1").family() == 6',
  'cidr("10.0.0.0/8").containsIP("10.0.0.1")',
  "sets.contains(self, [1])",
  'quantity("1").isInteger()',
  'semver("v1.0.0", true).major() == 1',
  "self.min() == 1 && self.indexOf(1) == 0",
  'url("https://a").getHost() == "a"',
  '"a".find("a") == "a"',
  "self[?0].hasValue()",
  'strings.quote("a") == "a"',
  "self.transformMap(i, v, v).size() == 1",
  "self.existsOne(i, v, v > 1)",
  "self.exists_one(v, v > 1)",
  '"a".charAt(0) == "a"',
  "self.lastIndexOf(1) == 1",
  "type(self) == list",
];
const since34 = [
  "self.sort() == self",
  "self.distinct() == self",
  "lists.range(3) == self",
  "self.slice(0,1) == self",
  "self.reverse() == self",
  "self.sortBy(e, -e) == self",
];
const never = [
  "math.greatest(self) > 1",
  "cel.bind(x, self, x == x)",
  'base64.encode(b"a") == "a"',
  '"a".quote() == "a"',
  '"ab".reverse() == "ba"',
  'regex.replace("a","a","b") == "b"',
  'jsonpatch.escapeKey("a") == "a"',
  "math.ceil(1.2) == 2.0",
];

const compiles = (text: string, base: Environment): boolean =>
  compile(text, extend(base, { variables: [{ name: "self", type: listType(intType) }] })).tag === "program";

test("newExpressions() has the libraries that kube-apiserver has with the same compatibility version", () => {
  for (const text of always) {
    assert.deepEqual([compiles(text, newExpressions("1.33")), compiles(text, newExpressions("1.34"))], [true, true], text);
  }
  for (const text of since34) {
    assert.deepEqual([compiles(text, newExpressions("1.33")), compiles(text, newExpressions("1.34"))], [false, true], text);
  }
  for (const text of never) assert.equal(compiles(text, newExpressions("1.35")), false, text);
});

test("rulesWithStored() compiles stored expressions with all libraries", () => {
  const [stored = "", other = ""] = since34;
  const { rule } = rulesWithStored(new Set([stored]), new Set(), "1.33");
  assert.deepEqual([compiles(stored, rule(stored)), compiles(other, rule(other)), compiles(other, storedExpressions())], [
    true,
    false,
    true,
  ]);
});
