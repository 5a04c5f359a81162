// Conversions of files: each case beside its expected output, and each removal of the table has a case.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { defaultNames, spell } from "../../core/names.ts";
import { RemovedKinds } from "../../core/removed-apis.ts";
import { convertManifest } from "../../commands/upgrade/convert.ts";
import { rules } from "../../commands/upgrade/rules/rules.ts";
import { blockOf } from "../../tools/docs/page-blocks.ts";
import { caseNames, convertCase, expectedFile, inputOf, reportOf } from "./cases.ts";

for (const name of caseNames) {
  test(`convertManifest() writes the expected output: ${name}`, () => {
    const done = convertCase(inputOf(name));
    for (const [what, text] of [["output", done.text], ["report", reportOf(done)]] as const) {
      const file = expectedFile(name, what);
      if (process.env.THOLE_REWRITE === "true") writeFileSync(file, text);
      assert.equal(text, existsSync(file) ? readFileSync(file, "utf8") : undefined);
    }
  });

  test(`a second conversion changes nothing: ${name}`, () => {
    const { text } = convertCase(inputOf(name));
    const again = convertCase(text);
    assert.equal(again.text, text);
    assert.deepEqual(again.objects, []);
  });
}

test("each removal of the table has a case", () => {
  const cases = caseNames.map((name) => reportOf(convertCase(inputOf(name))) + inputOf(name)).join("\n");
  const missing = [...new RemovedKinds().all()].filter(({ groupVersion, kind }) =>
    !new RegExp(`apiVersion"?: ?"?${groupVersion.replaceAll(".", "\\.")}"?,?\\s+"?kind"?: ?"?${kind}\\b`).test(cases)
  );
  assert.deepEqual(missing.map(({ groupVersion, kind }) => `${groupVersion} ${kind}`), []);
});

test("each rule is for a removal of the table", () => {
  const kinds = new RemovedKinds();
  for (const [kind, byVersion] of Object.entries(rules)) {
    for (const groupVersion of Object.keys(byVersion)) {
      assert.ok(kinds.get(spell(defaultNames, groupVersion), kind), `${groupVersion} ${kind}`);
    }
  }
});

test("convertManifest() converts to the version that is asked for, and leaves other objects as they are", () => {
  const text = inputOf("flowcontrol").split("---\n")[0]! + "---\n" + inputOf("batch");
  const to = "flowcontrol.apiserver.k8s.io/v1beta3";
  assert.deepEqual(convertWith(text, to).map(({ kind, to }) => `${kind} ${to}`), [`PriorityLevelConfiguration ${to}`]);
  assert.deepEqual(convertWith(inputOf("policy"), "policy/v1beta1").map(({ kind, from }) => `${kind} ${from}`), [
    "PodSecurityPolicy extensions/v1beta1",
  ]);
});

function convertWith(text: string, to: string) {
  return convertManifest(text, { names: defaultNames, to }).objects;
}

test("group names have the domain of the server", () => {
  const names = { ...defaultNames, domain: "example.org" }, text = "apiVersion: storage.example.org/v1beta1\nkind: CSIDriver\n";
  assert.equal(convertManifest(text, { names }).text, "apiVersion: storage.example.org/v1\nkind: CSIDriver\n");
  assert.equal(convertManifest(text, { names: defaultNames }).text, text);
});

test("the ends of lines and a byte order mark stay", () => {
  const text = "\ufeff# a\r\napiVersion: batch/v1beta1\r\nkind: CronJob   # b\r\n\r\n\r\nmetadata:\r\n  name:  x";
  assert.equal(convertCase(text).text, text.replace("v1beta1", "v1"));
});

test("the example of docs/upgrading.md is what the command writes", () => {
  const block = (begin: string) => blockOf("docs/upgrading.md", `# The front door.\napiVersion: ${begin}`);
  assert.equal(convertCase(block("extensions")).text, block("networking"));
});
