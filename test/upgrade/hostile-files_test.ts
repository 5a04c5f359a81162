// Limits of files: size, nesting, tokens, aliases, duplicate keys, and what is not YAML. A document that cannot be read stays as it is.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { objectsInText } from "../../commands/upgrade/advise/text-objects.ts";
import { manifestFiles } from "../../commands/manifest-files.ts";
import { convertCase } from "./cases.ts";
import { manifestDepthMax } from "../../commands/upgrade/bounds.ts";
import { manifestAliasesMax, manifestTokensMax } from "../../commands/upgrade/document.ts";
import { manifestFindingsMax } from "../../commands/upgrade/convert.ts";

const head = "apiVersion: batch/v1beta1\nkind: CronJob\n";

/** The messages of the errors of a file, which must stay as it is. */
function errorsOf(text: string): readonly string[] {
  const { text: written, errors, objects } = convertCase(text);
  assert.equal(written, text);
  assert.deepEqual(objects, []);
  return errors.map(({ line, message }) => `${line}: ${message}`);
}

test("nesting has a limit, in blocks and in brackets", () => {
  const flow = (depth: number) => `${head}spec: ${"[".repeat(depth)}${"]".repeat(depth)}\n`;
  assert.deepEqual(convertCase(flow(manifestDepthMax - 10)).errors, []);
  for (const text of [flow(100_000), `${head}spec:\n  ${"- ".repeat(50_000)}a\n`, `${head}${deepBlock(5_000)}`]) {
    const [error, ...more] = errorsOf(text);
    assert.match(error!, /nested deeper than 200 levels$/);
    assert.deepEqual(more, []);
  }
});

const deepBlock = (depth: number) => Array.from({ length: depth }, (_, index) => `${" ".repeat(index)}a:\n`).join("");

test("aliases have a limit, and those within aliases are expanded to a limit", () => {
  const aliases = (count: number) => `${head}a: &a b\nb: [${"*a, ".repeat(count)}]\n`;
  assert.deepEqual(convertCase(aliases(manifestAliasesMax)).errors, []);
  assert.deepEqual(errorsOf(aliases(manifestAliasesMax + 1)), ["4: more than 1000 aliases in one document"]);
  const laughs = Array.from({ length: 20 }, (_, index) => `  l${index + 1}: &l${index + 1} {a: *l${index}, b: *l${index}}\n`).join("");
  const text =
    `apiVersion: apps/v1beta1\nkind: Deployment\nx:\n  l0: &l0 {a: b}\n${laughs}spec:\n  template:\n    metadata:\n      labels: *l20\n`;
  const { findings, objects } = convertCase(text);
  assert.deepEqual(objects, []);
  assert.match(findings[0]!.text, /has too many values/);
});

test("aliases that name nothing, or a value that they are in, or one that the conversion moves, are reported at their line", () => {
  assert.deepEqual(errorsOf(`${head}a: *b\nb: &b 1\n`), ["3: *b names no value before it"]);
  assert.deepEqual(errorsOf(`${head}a: &a [*a]\n`), ["3: *a names no value before it"]);
  const text =
    "apiVersion: apps/v1beta1\nkind: Deployment\nspec:\n  rollbackTo: &x {revision: 1}\n  selector: {matchLabels: {a: b}}\n  other: *x\n";
  const { text: written, findings, objects } = convertCase(text);
  assert.deepEqual([written, objects], [text, []]);
  assert.deepEqual(findings.map(({ line, field, text }) => `${line}: ${field}: ${text}`), [
    "6: *x: the alias names a value that is moved or removed: write the value out; the document is not converted",
  ]);
});

test("a chain of aliases is read to a limit of its depth", () => {
  const chain = Array.from({ length: 900 }, (_, index) => `  l${index + 1}: &l${index + 1} {a: *l${index}}\n`).join("");
  const text = `apiVersion: apps/v1beta1\nkind: Deployment\nx:\n  l0: &l0 {a: b}\n${chain}spec: {template: {metadata: {labels: *l900}}}\n`;
  assert.match(convertCase(text).findings[0]!.text, /is nested too deeply/);
  const [found] = objectsInText(text, (line) => ({ name: "f", line }));
  assert.equal(found?.tag, "unread");
});

test("tokens have a limit", () => {
  const text = `${head}spec: [${"a,".repeat(manifestTokensMax / 2)}]\n`;
  assert.deepEqual(errorsOf(text), [`3: more than ${manifestTokensMax} tokens in one document`]);
});

test("duplicate keys, complex keys, templates and broken documents are reported at their line, and other documents are converted", () => {
  assert.deepEqual(errorsOf(`${head}a: 1\nb: 2\na: 3\n`), ['5: key "a" is already set in its mapping']);
  assert.deepEqual(errorsOf(`${head}? [a]\n: b\n`), ["1: a key is not a scalar"]);
  assert.deepEqual(errorsOf(`${head}a: "b\n`).length, 1);
  assert.match(errorsOf(`# a\n${head}metadata:\n{{- include "x" . }}\n`)[0]!, /^5: invalid YAML: /);
  assert.match(errorsOf(`${head}a: b\n...\nc: d\n`)[0]!, /^5: a second document without a line of ---$/);
  const both = convertCase(`${head}a: 1\na: 2\n---\n${head}`);
  assert.equal(both.text, `${head}a: 1\na: 2\n---\n${head.replace("v1beta1", "v1")}`);
});

test("what is no object stays as it is", () => {
  for (
    const text of [
      "",
      "\n",
      "---\n",
      "--- # batch/v1beta1\n",
      "# batch/v1beta1\n",
      "batch/v1beta1\n",
      "- batch/v1beta1\n",
      "kind: [batch/v1beta1]\n",
      "\u0000batch/v1beta1",
    ]
  ) {
    const { text: written, objects } = convertCase(text);
    assert.equal(written, text);
    assert.deepEqual(objects, []);
  }
  for (const name of ["__proto__", "constructor", "toString"]) {
    assert.equal(convertCase(`apiVersion: batch/v1beta1\nkind: ${name}\n`).objects.length, 0);
    const kept = `apiVersion: batch/v1beta1\nkind: CronJob\n${name}: {${name}: 1}\n`;
    assert.equal(convertCase(kept).text, kept.replace("v1beta1", "v1"));
  }
});

test("findings of one file have a limit, and further ones are counted", () => {
  const webhook = (index: number) => `- name: n${index}\n`;
  const text = `apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingWebhookConfiguration\nwebhooks:\n${
    Array.from({ length: 400 }, (_, index) => webhook(index)).join("")
  }`;
  const { findings, moreFindings } = convertCase(text);
  assert.equal(findings.length, manifestFindingsMax);
  assert.equal(findings.length + moreFindings, 400 * 5);
});

test("keys without a value are kept", () => {
  const text = `${head}metadata: {name: a, labels: {b}}   # kept\nspec:\n  ? c\n`;
  assert.equal(convertCase(text).text, text.replace("v1beta1", "v1"));
});

test("lines that do not change keep their ends, also mixed ones, and documents their empty lines", () => {
  const unchanged = (text: string) => assert.equal(convertCase(text).text, text.replaceAll("batch/v1beta1", "batch/v1"));
  unchanged("apiVersion: batch/v1beta1\r\nkind: CronJob\nspec: |\r\n  a\n  b\r\n---\na: b\r\n");
  unchanged("a: b\r\n---\napiVersion: batch/v1beta1\nkind: CronJob\n");
  unchanged("\n\n# a\n\napiVersion: batch/v1beta1\nkind: CronJob  \n\n\n---\n\nb: c\n\n");
  unchanged("apiVersion: batch/v1beta1\nkind: CronJob\nx: |+\n  a\n\n\n");
  unchanged("apiVersion: batch/v1beta1\nkind: CronJob");
  const { text } = convertCase(
    "apiVersion: extensions/v1beta1\nkind: Ingress\nspec:\r\n  backend: {serviceName: a, servicePort: 1}\r\nx: y\n",
  );
  assert.match(text, /^apiVersion: networking\.k8s\.io\/v1\nkind: Ingress\nspec:\r\n(?: .*\r\n)+x: y\n$/);
});

test("JSON with escaped slashes is converted; a number that no server holds stays a number, and text stays text", () => {
  const { text, objects } = convertCase('{"kind":"CronJob","apiVersion":"batch\\/v1beta1","n":1e400,"s":"1e400","t":"1","b":"true"}');
  assert.equal(text, '{"kind":"CronJob","apiVersion":"batch/v1","n":1e400,"s":"1e400","t":"1","b":"true"}');
  assert.equal(objects.length, 1);
});

test("a template has a hint in its error", () => {
  const [error] = errorsOf(`${head}metadata:\n{{- include "x" . }}\n`);
  assert.match(error!, /^4: invalid YAML: .* \(it has "\{\{": render the template first\)$/);
});

test(
  "a folder counts for its plain files: not for pipes and sockets, which would be waited for",
  { skip: process.platform === "win32" },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-manifests-"));
    const socket = createServer().listen(join(folder, "a.yaml"));
    try {
      await once(socket, "listening");
      await writeFile(join(folder, "b.yaml"), head);
      await symlink(".", join(folder, "loop"));
      await symlink("b.yaml", join(folder, "c.yaml"));
      const found = [];
      for await (const { path } of manifestFiles([folder], true)) found.push(path);
      assert.deepEqual(found, [join(folder, "b.yaml"), join(folder, "c.yaml")]);
    } finally {
      socket.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test("an empty list of review versions, which the old version filled, is filled as an absent one", () => {
  const text = "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingWebhookConfiguration\nwebhooks:\n" +
    "- {name: a, sideEffects: None, failurePolicy: Fail, matchPolicy: Exact, timeoutSeconds: 1, admissionReviewVersions: []}\n";
  assert.match(convertCase(text).text, /admissionReviewVersions: \[ ?v1beta1 ?\]/);
});
