import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Json } from "../schema.ts";
import { jsonFromTree } from "../tree/values.ts";
import { readYaml } from "../tree/yaml.ts";
import { goJson, indentationLengthMax } from "../tree/json-text.ts";
import { writeYaml, yamlPieces } from "./yaml.ts";

function readBack(text: string): Json {
  const read = readYaml(text);
  assert.ok(read.ok, read.ok ? "" : `${read.error}: ${text.slice(0, 200)}`);
  return jsonFromTree(read.tree);
}

test("writeYaml() writes collections in blocks, lists not indented under their key", () => {
  assert.equal(
    writeYaml({ b: [1, { c: true, d: [] }, [["x"], []]], a: { e: null, f: {} } }),
    "a:\n  e: null\n  f: {}\nb:\n- 1\n- c: true\n  d: []\n- - - x\n  - []\n",
  );
  assert.equal(writeYaml({}), "{}\n");
  assert.equal(writeYaml([]), "[]\n");
  assert.equal(writeYaml("a b"), "a b\n");
  assert.equal(writeYaml(null), "null\n");
});

test("writeYaml() orders keys naturally", () => {
  const keys = ["a10", "a2", "a02", "B", "a", "_", "10", "2", "v1", "v1beta1", "v1alpha1", "f:x", ".", "a00", "a0", "é", "a-b", "a.b"];
  const text = writeYaml(Object.fromEntries(keys.map((key) => [key, 0])));
  assert.deepEqual(
    text.trim().split("\n").map((line) => line.replace(/"?: 0$|^"/g, "")),
    [".", "_", "2", "10", "B", "a", "a-b", "a.b", "a0", "a00", "a2", "a02", "a10", "f:x", "v1", "v1alpha1", "v1beta1", "é"],
  );
});

test("writeYaml() writes numbers as Go does", () => {
  const numbers = [0, -0, 1.5, 1e6, 1e20, 1e21, 1e-7, 123456789.5, 9007199254740993n, -9223372036854775808n, 18446744073709551615n];
  assert.equal(
    writeYaml(numbers),
    "- 0\n- 0\n- 1.5\n- 1000000\n- 1e+20\n- 1e+21\n- 1e-07\n- 1.234567895e+08\n- 9007199254740993\n- -9223372036854775808\n- 18446744073709551615\n",
  );
  assert.throws(() => writeYaml(NaN), RangeError);
});

const styles: readonly (readonly [text: string, yaml: string])[] = [
  // Text that would not be read as a string is in double quotes.
  ...[
    "",
    "~",
    "null",
    "yes",
    "Y",
    "n",
    "on",
    "TRUE",
    "1",
    "1.5",
    "0x1F",
    "010",
    "1_000",
    "1e3",
    ".5",
    ".inf",
    "2001-02-03",
    "2001-1-2",
    "12:30",
    "-1:30.5",
  ]
    .map((text) => [text, `"${text}"`] as const),
  // Similar text that is read as a string is plain.
  ...[
    "yES",
    "1e400",
    "0o8",
    "2001-13-01",
    "2001-02-30",
    "a:b",
    ":a",
    "-a",
    "?a",
    "a#b",
    "a]",
    "http://x.y/z?q=1#f",
    "=",
    "<<",
    "\\",
    "é 日本",
  ]
    .map((text) => [text, text] as const),
  // Indicators and spaces at the ends need single quotes.
  ...[
    "- a",
    "-",
    "? a",
    "a:",
    "a: b",
    "a #b",
    "#",
    "[a]",
    "{",
    "&a",
    "*a",
    "!a",
    "|",
    "> a",
    "%a",
    "@a",
    "`a",
    '"q"',
    "---",
    "...a",
    " a",
    "a ",
    ",",
  ]
    .map((text) => [text, `'${text}'`] as const),
  ["'q'", "'''q'''"],
  ["a'b", "a'b"],
  // Escapes need double quotes.
  ["a\tb", '"a\\tb"'],
  ["a\r\nb", '"a\\r\\nb"'],
  ["\0\x07\x1b\x7f\u0085\ufeff", '"\\0\\a\\e\\x7F\\N\\uFEFF"'],
  ["😀", '"\\U0001F600"'],
  ["\ufeffa é", '"\\uFEFF\\x61\\x20\\xE9"'],
  ["\ud800", "\ufffd"],
  ["a\xa0b", "a\xa0b"],
  // Characters that only YAML 1.1 reads as line breaks.
  ["a \u2028 b", '"a \\L b"'],
  ["a\n\u2029", '"a\\n\\P"'],
  // Text of several lines is a block, unless a line ends with a space.
  ["a\nb", "|-\n  a\n  b"],
  ["a\n\n b\n", "|\n  a\n\n   b"],
  ["a\n\n", "|+\n  a\n"],
  ["\n", "|2+\n"],
  [" a\nb", "|2-\n   a\n  b"],
  ["a \nb", '"a \\nb"'],
  ["a\tb\nc", '"a\\tb\\nc"'],
];

test("writeYaml() chooses the style of each string", () => {
  for (const [text, yaml] of styles) assert.equal(writeYaml({ k: text }), `k: ${yaml}\n`, JSON.stringify(text));
});

test("writeYaml() folds long strings at spaces", () => {
  const words = "word ".repeat(30).trim();
  assert.equal(writeYaml({ k: words }), `k: ${"word ".repeat(16).trim()}\n  ${words.slice(80)}\n`);
  assert.equal(writeYaml({ k: `a: ${words}` }), `k: 'a: ${"word ".repeat(15).trim()}\n  ${words.slice(75)}'\n`);
  assert.equal(writeYaml({ k: `\t${words}` }), `k: "\\t${"word ".repeat(16).trim()}\n  ${words.slice(80)}"\n`);
  assert.equal(writeYaml({ k: `\t${"x".repeat(80)}  y` }), `k: "\\t${"x".repeat(80)}\n  \\ y"\n`);
  assert.equal(writeYaml({ k: `${"x".repeat(80)}  y` }), `k: ${"x".repeat(80)}  y\n`);
  assert.equal(writeYaml({ k: "x".repeat(200) }), `k: ${"x".repeat(200)}\n`);
});

test("writeYaml() writes keys of more than 128 bytes or several lines after a question mark", () => {
  const key = "k".repeat(128);
  assert.equal(writeYaml({ [key]: 1 }), `${key}: 1\n`);
  assert.equal(writeYaml({ [`${key}k`]: { a: [1] } }), `? ${key}k\n: a:\n  - 1\n`);
  assert.equal(writeYaml({ ["é".repeat(65)]: [1] }), `? ${"é".repeat(65)}\n: - 1\n`);
  assert.equal(writeYaml({ "a\nb": "c" }), "? |-\n  a\n  b\n: c\n");
  assert.equal(writeYaml({ yes: 1, "a: b": 2, __proto__: null }), "'a: b': 2\n\"yes\": 1\n");
});

test("readYaml() reads the value that writeYaml() wrote", () => {
  const hard = [
    ...styles.map(([text]) => text.toWellFormed()),
    "x ".repeat(100),
    "a\u2028b",
    "it's ".repeat(40),
    "\n a\n",
    "a\n  \nb",
    " \n",
    "#\n#",
    "--- a\n",
    "k".repeat(300),
  ];
  const value: Json = {
    list: hard,
    nested: [[hard], { deep: { deeper: hard } }],
    keys: Object.fromEntries(hard.filter((text) => text !== "<<").map((text) => [text, text])), // upstream writes this key plain
  };
  assert.deepEqual(readBack(writeYaml(value)), value);
});

test("yamlPieces() writes a large value in pieces of bounded length", () => {
  const value = { keys: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, "value"])) };
  const pieces = [...yamlPieces(value)];
  assert.ok(pieces.length > 10, `${pieces.length} pieces`);
  assert.ok(Math.max(...pieces.map(({ length }) => length)) < 20_000);
  assert.equal(pieces.join(""), writeYaml(value));
});

test("writeYaml() writes deep values without recursion", () => {
  let value: Json = "x";
  for (let level = 0; level < 10_000; level++) value = [value];
  assert.equal(writeYaml(value), `${"- ".repeat(10_000)}x\n`);
});

// Recorded responses of kube-apiserver

interface Area {
  readonly scenarios: readonly { readonly name: string; readonly answers: readonly Answer[] }[];
}

interface Answer {
  readonly headers?: { readonly "content-type"?: string };
  readonly text?: string;
}

const recorded = [new URL("../../test/transcripts/recorded/", import.meta.url)];

test("writeYaml() writes the text of every recorded YAML answer", (context) => {
  const folder = recorded.find(hasRecordings);
  if (folder === undefined) return context.skip("test/transcripts/recorded is missing");
  let answers = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const area = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Area; // the format of the recordings
    for (const { name, answers: all } of area.scenarios) {
      for (const { headers, text } of all) {
        if (headers?.["content-type"] !== "application/yaml" || text === undefined) continue;
        answers++;
        // A normalised value was quoted because of its original text.
        const original = text.replaceAll('"<time>"', '"2024-05-01T10:00:00Z"').replaceAll('"<rv>"', '"41"');
        assert.equal(writeYaml(readBack(original)), original, `${file}: ${name}`);
      }
    }
  }
  assert.ok(answers > 10, `only ${answers} answers were found`);
});

function hasRecordings(folder: URL): boolean {
  try {
    return readdirSync(folder).includes("negotiation.json");
  } catch { // the folder does not exist
    return false;
  }
}

test("writeYaml() bounds the indentation of deep values: they are on one line, and are read back", () => {
  const nested = (depth: number, inner: Json): Json => {
    let value = inner;
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { "a: b": value } : [value, 1.5, '<x> "y"', null, true];
    return value;
  };
  const text = writeYaml(nested(4_000, "end"));
  assert.ok(text.length < 2 * indentationLengthMax, `${text.length}`);
  const deepest = nested(450, "end");
  assert.equal(goJson(readBack(writeYaml(deepest))), goJson(deepest));
  const key = "k".repeat(2_000), wide = nested(400, { [key]: Array.from({ length: 20_000 }, () => 1) });
  assert.ok(writeYaml(wide).length < 3 * indentationLengthMax);
  assert.equal(goJson(readBack(writeYaml(wide))), goJson(wide));
  assert.doesNotMatch(writeYaml(nested(30, Array.from({ length: 1_000 }, () => 1))), /\?/, "few columns always fit");
});
