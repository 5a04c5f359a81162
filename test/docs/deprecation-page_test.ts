// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { policyRules } from "../../core/define/deprecation-policy.ts";
import { conventions } from "../../tools/docs/conventions.ts";
import { deprecationPage } from "../../tools/docs/deprecation-page.ts";
import { rulesIn, testsOfRules } from "../../tools/docs/named-tests.ts";

test("docs/deprecation-policy.md is up to date; `npm run docs` updates it", async () => {
  assert.equal(await readFile(new URL("../../docs/deprecation-policy.md", import.meta.url), "utf8"), await deprecationPage());
});

test("every rule has a test that names it, and every named rule exists", async () => {
  const rules = [...Object.keys(policyRules), ...Object.keys(conventions)];
  assert.equal(new Set(rules).size, rules.length);
  assert.deepEqual([...(await testsOfRules()).keys()].toSorted(), rules.toSorted());
});

test("rulesIn() reads one and several rules in the names of tests", () => {
  const names = ["rule a: one", "rule b, c: two", "rules: none", "rule without a promise"];
  const text = names.map((name) => `test(${JSON.stringify(name)}, () => {});`);
  assert.deepEqual(rulesIn(text.join("\n")), [
    { rule: "a", promise: "one" },
    { rule: "b", promise: "two" },
    { rule: "c", promise: "two" },
  ]);
});
