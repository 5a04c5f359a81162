// Templates: what stages use, and the bounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../core/json.ts";
import { parseTemplate, renderTemplate, TemplateError } from "./template.ts";
import { templateFunctions } from "./template-functions.ts";

const functions = templateFunctions({
  now: () => "T",
  nodeAddress: (name) => name === "n" ? "10.0.0.1" : "",
  podAddress: (node, hostNetwork) => hostNetwork ? "host" : `pod on ${node}`,
  nodeConditions: [{ type: "Ready" }],
  nodeName: "n",
});
const render = (text: string, data: Json = { a: { b: "c" }, list: ["x", "y"], zero: 0 }) =>
  renderTemplate(parseTemplate(text), data, functions);

test("renderTemplate() has fields, variables, conditions, loops and pipelines", () => {
  for (
    const [text, expected] of [
      ["-{{ .a.b }}-", "-c-"],
      ["{{ .missing.deeper }}", "<no value>"],
      ["{{/* a comment */}}x", "x"],
      ["a {{- 1 -}} b", "a1b"],
      ["{{ $v := .a }}{{ $v.b }}{{ $.zero }}", "c0"],
      ["{{ if .zero }}yes{{ else if .a }}other{{ else }}no{{ end }}", "other"],
      ["{{ range .list }}[{{ . }}]{{ end }}", "[x][y]"],
      ["{{ range $i, $e := .list }}{{ $i }}{{ $e }}{{ end }}", "0x1y"],
      ["{{ range .missing }}{{ else }}none{{ end }}", "none"],
      ['{{ $found := false }}{{ range .list }}{{ if eq . "y" }}{{ $found = true }}{{ end }}{{ end }}{{ $found }}', "true"],
      ["{{ with .a }}{{ .b }}{{ $.zero }}{{ end }}", "c0"],
      ["{{ with .missing }}x{{ else }}y{{ end }}", "y"],
      ['{{ or .missing "d" | Quote }} {{ and 1 0 }}', '"d" 0'],
      ['{{ index .list 1 }}{{ index .a "b" }}{{ printf "<%s %d>" .a.b 3 }}', "yc<c 3>"],
      ['{{ eq .a.b "x" "c" }}{{ ne 1 2 }}{{ lt 1 2 }}{{ not .zero }}', "truetruetruetrue"],
      ['{{ Now }} {{ NodeIP }} {{ PodIPWith "m" ( or .h false ) "uid" }}', "T 10.0.0.1 pod on m"],
      ["{{ range NodeConditions }}{{ .type | Quote }}{{ end }}", '"Ready"'],
      ['{{ `""` }}{{ or .missing dict }}', '""map[]'],
      ["k:{{ YAML .a 1 }}", "k:\n  b: c\n  "],
    ] as const
  ) assert.equal(render(text), expected, text);
});

test("parseTemplate() and renderTemplate() refuse what is wrong, by name", () => {
  for (
    const text of [
      "{{",
      "{{ if }}x{{ end }}",
      "{{ if .a }}",
      "{{ end }}",
      "{{ else }}",
      "{{ nothing }}",
      "{{ $x }}",
      "{{ .a.b.c }}",
      '{{ "a }}',
      "{{ ( .a }}",
      "{{ .a .b }}",
      '{{ template "x" }}',
    ]
  ) assert.throws(() => render(text), TemplateError, text);
});

test("length, depth, steps and output of a template are bounded", () => {
  assert.throws(() => render("x".repeat(65_537)), TemplateError);
  assert.throws(() => render(`${"{{ if 1 }}".repeat(52)}${"{{ end }}".repeat(52)}`), TemplateError);
  assert.throws(() => render(`{{ ${"(".repeat(60)}1${")".repeat(60)} }}`), TemplateError);
  const long = Array.from({ length: 400 }, () => "y".repeat(2_000));
  assert.throws(() => render("{{ range . }}{{ . }}{{ end }}", long), TemplateError);
  assert.throws(() => render("{{ range . }}{{ range $ }}{{ if 0 }}{{ end }}{{ end }}{{ end }}", long), TemplateError);
});

test("values that grow in a template are bounded: lists in lists, texts and indents", () => {
  const grown = (step: string) => `{{ $x := "a" }}${`{{ $x = ${step} }}`.repeat(1_000)}{{ $x }}`;
  for (const step of ["list $x $x", "list $x", 'printf "%s%s" $x $x', "dict `a` $x `b` $x", "print $x $x $x"]) {
    assert.throws(() => render(grown(step)), TemplateError, step);
  }
  assert.throws(() => render("{{ YAML . 100 }}", Array(2_000).fill(1)), TemplateError);
  assert.equal(render("{{ YAML . 1 }}", [1, 2]), "\n  - 1\n  - 2\n  ");
});

test("values of the object that a template reads often are counted", () => {
  const large = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  assert.throws(() => render("{{ if eq . . }}{{ end }}".repeat(100), large), TemplateError);
  assert.throws(() => render("{{ len . }}".repeat(100), large), TemplateError);
  assert.equal(render("{{ if . }}a{{ end }}".repeat(100), large), "a".repeat(100));
});
