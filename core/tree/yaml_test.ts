import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { randomOf } from "../random.ts";
import { assertCheap } from "../test-cost.ts";
import { NumberText, type Tree, TreeObject } from "./tree.ts";
import { readStream, readYaml, yamlSyntaxError } from "./yaml.ts";
import { yamlDepthMax, yamlIndentedLengthMax } from "./yaml/parse.ts";
import { bodyBytesMax } from "../../kernel/request-context.ts";
import { documentDepthMax } from "../bounds.ts";
import { yamlDuplicatesLengthMax, yamlTextLengthMax } from "./yaml/decode.ts";

/** The tree as compact JSON text with numbers as written. */
function textOf(tree: Tree): string {
  if (tree instanceof NumberText) return tree.text;
  if (tree instanceof TreeObject) {
    return `{${tree.keys.map((key, at) => `${JSON.stringify(key)}:${textOf(tree.values[at] ?? null)}`).join(",")}}`;
  }
  return Array.isArray(tree) ? `[${tree.map(textOf).join(",")}]` : JSON.stringify(tree);
}

/** The start of a body, for messages. */
function shown(body: string | Uint8Array): string {
  return JSON.stringify(body.slice(0, 100));
}

function jsonOf(body: string | Uint8Array): string {
  const read = readYaml(body);
  assert.ok(read.ok, read.ok ? "" : `${shown(body)}: ${read.error}`);
  return textOf(read.tree);
}

function errorOf(body: string | Uint8Array): string {
  const read = readYaml(body);
  assert.ok(!read.ok, `${shown(body)} was read`);
  return read.error;
}

function duplicatesOf(body: string): readonly string[] {
  const read = readYaml(body);
  return read.ok ? read.duplicates : [read.error];
}

function checkAll(cases: readonly (readonly [body: string, json: string])[]): void {
  for (const [body, json] of cases) assert.equal(jsonOf(body), json, JSON.stringify(body));
}

test("readYaml() reads block and flow collections", () => {
  checkAll([
    ["a: 1\nb:\n  - c\n  - d: e\n    f: g\n", '{"a":1,"b":["c",{"d":"e","f":"g"}]}'],
    ["a:\n- b\n- c\nd:\n  - e", '{"a":["b","c"],"d":["e"]}'],
    ["- - a\n  - b\n- - c\n-", '[["a","b"],["c"],null]'],
    ["{a: [1, {b: c}], d: , e}", '{"a":[1,{"b":"c"}],"d":null,"e":null}'],
    ["[a: 1, ? b, c]", '[{"a":1},{"b":null},"c"]'],
    ['{"a":b,c:d}', '{"a":"b","c:d":null}'],
    ["? a\n? |\n  b\n: c", '{"a":null,"b\\n":"c"}'],
    ["a:\r\n  b\r\nc: d\r", '{"a":"b","c":"d"}'],
    ["b: 1\na: 2\n\u{10000}: 3\n\uffee: 4\n", '{"a":2,"b":1,"\uffee":4,"\u{10000}":3}'],
    ["__proto__: {a: b}\nconstructor: c", '{"__proto__":{"a":"b"},"constructor":"c"}'],
  ]);
});

test("readYaml() reads the first document only, and null if there is none", () => {
  checkAll([
    ["", "null"],
    ["# nothing\n", "null"],
    ["---", "null"],
    ["---\na: 1\n---\nb: {\n", '{"a":1}'],
    ["a: 1\n...\nb", '{"a":1}'],
    ["%YAML 1.1\n%TAG !e! tag:x:\n--- !e!y z", '"z"'],
    ["\ufeffa: 1", '{"a":1}'],
  ]);
  assert.equal(jsonOf(Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x3a, 0, 0x20, 0, 0x31, 0])), '{"a":1}');
});

test("readYaml() reads scalars in every style", () => {
  checkAll([
    ["a: b\n  c\n\n  d # e\n", '{"a":"b c\\nd"}'],
    ["a: 'it''s\n  b\n\n  c'", '{"a":"it\'s b\\nc"}'],
    ['a: "b\\\n   c\\n\\x41\\u00e9\\U0001F600\\0\\e\\_\\N\\L\\P\\ "', `{"a":${JSON.stringify("bc\nAé😀\0\x1b\xa0\x85\u2028\u2029 ")}}`],
    ["a: |\n  b\n   c\n\n  d\n\ne: 1", '{"a":"b\\n c\\n\\nd\\n","e":1}'],
    ["a: >\n b\n c\n\n d\n  e\n f\n", '{"a":"b c\\nd\\n e\\nf\\n"}'],
    ["a: |+\n b\n\nc: |-\n b\n\nd: |2-\n   e\nf: >-\n\n g", '{"a":"b\\n\\n","c":"b","d":" e","f":"\\ng"}'],
    ["a: |", '{"a":""}'],
    ['- "a\u2028b"\n- "a\u0085 b"', '["a\u2028b","a b"]'],
  ]);
});

test("readYaml() reads the literals and numbers of YAML 1.1", () => {
  checkAll([
    [
      "[y, Yes, on, TRUE, n, NO, off, False, ~, Null, '', yES, 'yes']",
      '[true,true,true,true,false,false,false,false,null,null,"","yES","yes"]',
    ],
    ["[0x1F, 0X1f, 010, 0o17, 0b11, -0b11, 0b-1, +1, -0, 00, 1_000, 0_7]", "[31,31,8,15,3,-3,-1,1,0,0,1000,7]"],
    ["[09, 0o8, 0x, 0b2, _1, 1:30, '-', +, 0x1p-2]", '[9,"0o8","0x","0b2","_1","1:30","-","+","0x1p-2"]'],
    ["[1.50, 1., .5, .5_0, -.5e1, 1e3, 1e+2, 1e21, 1e-7, -0.0]", "[1.5,1,0.5,0.5,-5,1000,100,1e+21,1e-7,-0]"],
    ["[1e400, .e3, ., 1e, 1.5.2]", '["1e400",".e3",".","1e","1.5.2"]'],
    [
      "[9223372036854775807, 18446744073709551615, -9223372036854775809, 123456789012345678901]",
      "[9223372036854775807,18446744073709551615,-9223372036854776000,123456789012345680000]",
    ],
    ["[2001-02-03, 2001-02-03T04:05:06Z, <<, =]", '["2001-02-03","2001-02-03T04:05:06Z","<<","="]'],
  ]);
});

test("readYaml() converts keys to strings", () => {
  checkAll([
    [
      "{1: a, 0x1F: b, 1.50: c, on: d, 1e3: e, .inf: f, 123456789.5: g, 1e21: h, .nan: i, 2001-01-01: j}",
      '{".inf":"f",".nan":"i","1":"a","1.2345679e+08":"g","1.5":"c","1000":"e","1e+21":"h","2001-01-01":"j","31":"b","true":"d"}',
    ],
  ]);
  assert.equal(errorOf("data: {null: c}"), "unsupported map key of type: null, key: <nil>");
  assert.equal(errorOf("? "), "unsupported map key of type: null, key: <nil>");
  assert.equal(errorOf("18446744073709551615: [x, ~]"), "unsupported map key of type: int, key: 18446744073709551615");
  assert.equal(errorOf("x: y\na: {{ .Values.x }}"), "yaml: line 2: invalid map key");
  assert.equal(errorOf("{[a, 1]: b}"), "yaml: line 1: invalid map key");
});

test("readYaml() honours tags", () => {
  checkAll([
    [
      "[!!str 5, !!int '5', !!float 5, !!bool yes, !!null '', !custom x, ! 5, !!str , !!binary aGk=]",
      '["5",5,5,true,null,"x","5","","hi"]',
    ],
    ["!!binary |\n  aG\n  k=\n", '"hi"'],
    ["!!binary /w==", '"\ufffd"'],
    ["!<tag:yaml.org,2002:int> 7", "7"],
    ["!!set {a}", '{"a":null}'],
  ]);
  assert.equal(errorOf("a: !!int x"), "yaml: cannot decode !!str `x` as a !!int");
  assert.equal(errorOf("!!bool 5"), "yaml: cannot decode !!int `5` as a !!bool");
  assert.equal(errorOf("!!binary a"), "yaml: !!binary value contains invalid base64 data");
  assert.equal(errorOf("!e!x y"), 'yaml: line 1: undeclared tag handle "!e!"');
  assert.equal(errorOf("!%FF b"), "yaml: found an invalid escape in a tag");
});

test("readYaml() expands aliases and merges", () => {
  checkAll([
    ["a: &x {b: 1}\nc: *x\nd: {<<: *x, e: f}\n", '{"a":{"b":1},"c":{"b":1},"d":{"b":1,"e":"f"}}'],
    ["<<: [{a: 1}, {a: 2, b: 3}]\nc: 4", '{"a":1,"b":3,"c":4}'],
    ["a: &x 1\nb: *x\nc: &x 2\nd: *x", '{"a":1,"b":1,"c":2,"d":2}'],
    ["&a a: *a", '{"a":"a"}'],
    ['"<<": {a: 1}', '{"<<":{"a":1}}'],
  ]);
  assert.equal(errorOf("a: *nope"), "yaml: unknown anchor 'nope' referenced");
  assert.equal(errorOf("a: &x [*x]"), "yaml: anchor 'x' value contains itself");
  assert.equal(errorOf("<<: a"), "yaml: map merge requires map or sequence of maps as the value");
});

test("readYaml() keeps the last duplicate key and reports each duplicate with its line", () => {
  assert.deepEqual(duplicatesOf("metadata:\n  name: a\n  name: b\ndata: {a: one, a: two}\n"), [
    'line 3: key "name" already set in map',
    'line 4: key "a" already set in map',
  ]);
  assert.deepEqual(duplicatesOf("{y: one, on: two, 1: a, 1: b, 1.5: c, 1.50: d, ~: e, null: f}").slice(0, 1), [
    "unsupported map key of type: null, key: <nil>",
  ]);
  assert.deepEqual(duplicatesOf("{y: one, on: two, 1: a, 0x1: b, 1.5: c, 1.50: d, '1': e}"), [
    "line 1: key true already set in map",
    "line 1: key 1 already set in map",
    "line 1: key 1.5 already set in map",
  ]);
  assert.deepEqual(duplicatesOf("<<: {a: x, b: v}\nb: z\n"), ['line 2: key "b" already set in map']);
  assert.deepEqual(duplicatesOf('{"a":{"b":1,\n"b":2},\n"a":3}'), [
    'line 2: key "b" already set in map',
    'line 3: key "a" already set in map',
  ]);
  assert.deepEqual(duplicatesOf("a: 1\r\nb:\r\n  c\ra: |\n  d\nb: &x\n  !!str e\na:\n"), [
    'line 4: key "a" already set in map',
    'line 6: key "b" already set in map',
    'line 8: key "a" already set in map',
  ]);
  checkAll([["a: 1\na: 2", '{"a":2}'], ["b: z\n<<: {b: v}", '{"b":"v"}']]);
});

test("readYaml() rejects values without a JSON form", () => {
  assert.equal(errorOf("a: .inf"), "json: unsupported value: +Inf");
  assert.equal(errorOf("[-.Inf]"), "json: unsupported value: -Inf");
  assert.equal(errorOf("a: .nan"), "json: unsupported value: NaN");
  assert.equal(errorOf("a: &x .inf\nb: {*x : 1}"), "json: unsupported value: +Inf");
});

const rejected: readonly (readonly [body: string, line: number])[] = [
  ["a: b: c", 1],
  ["x: 1\na: b: c\n", 2],
  ["a: - b", 1],
  ["a:\n\t- b", 2],
  ["a: @b", 1],
  ["{metadata: {name: one", 1],
  ["a: [b", 1],
  ["a: [\n", 2],
  ["[a,,b]", 1],
  ["- a\nb: c", 2],
  ["x:\n  - a\n - b", 3],
  ["a: 'b' c", 1],
  ["a: b\nc\nd: e", 3],
  ["a: |0\n x", 1],
  ["a: | x", 1],
  ["a: |\n\tx", 2],
  ["a: b\n\tc: d", 2],
  ['a: "x', 1],
  ["a: 'x\n---\n'", 2],
  ['"\\q"', 1],
  ['"\\xZ"', 1],
  ["!<x y", 1],
  ["%YAML 1.1\n%YAML 1.1\n--- a", 3],
  ["%YAML 1.1\na", 2],
];

test("readYaml() rejects what is no YAML, with its line", () => {
  for (const [body, line] of rejected) assert.match(errorOf(body), new RegExp(`^yaml: line ${line}: .`), JSON.stringify(body));
  for (const body of ["a: \u007f", "a: \0"]) assert.equal(errorOf(body), "yaml: control characters are not allowed");
  assert.equal(yamlSyntaxError("a: b\nc: d: e"), "line 2: bad indentation of a mapping entry");
  assert.equal(yamlSyntaxError("a: b\nc: *d"), "unknown anchor 'd' referenced");
  assert.equal(yamlSyntaxError("a: {~: 1}"), undefined);
});

test("readYaml() differs from upstream where its parser follows YAML 1.2", () => {
  checkAll([
    ['["\\/", "\\ud83d\\ude00", "\\ud800"]', '["/","😀","\ufffd"]'],
    ['{"a"\n:1, a?b}', '{"a":1,"a?b":null}'],
    ["[?a, :b]", '["?a",":b"]'],
    ["%YAML 1.2\n%FOO x\n---\na", '"a"'],
    ["...\na", '"a"'],
    ['"a \u2028 b"', '"a \u2028 b"'],
    [`${"k".repeat(2000)}: v`, `{"${"k".repeat(2000)}":"v"}`],
  ]);
  for (const body of ["{a: 1} x", '"a" b', "[-, a]", "a: &x b\n*x: c", "a:\t[b]", "!a!!b c", "a: &x &y b", "a: .inf\na: 1"]) errorOf(body);
});

test("readYaml() ignores the indentation of lines within brackets and quotes, up to a bound", () => {
  checkAll([
    ['command: [\n  "sh",\n]\nx:\n- a: {\n  b: c\n}\n- d\n', '{"command":["sh"],"x":[{"a":{"b":"c"}},"d"]}'],
    ["a: 'x\ny\n\n---z'\nb: \"x\\\n y\"\n", '{"a":"x y\\n---z","b":"xy"}'],
    ["- k: {\r\na: 'x\r\ny',\r\n# c\r\n}\r\n- |\n  {\n  }\n", '[{"k":{"a":"x y"}},"{\\n}\\n"]'],
    [`${" ".repeat(100)}a: [\n]`, '{"a":[]}'],
  ]);
  // The line of a tab is not changed: what follows it may be an item of another collection then.
  assert.equal(errorOf("b:\na:\t{x: 1}"), "yaml: line 2: deficient indentation");
  const list = (length: number) => `x: "${"x".repeat(length)}"\na: [\n]`, half = yamlIndentedLengthMax - list(0).length;
  assert.ok(readYaml(list(half)).ok);
  assert.match(errorOf(list(half + 1)), /^yaml: line 3: deficient indentation$/);
  assert.match(assertCheap("lines", () => errorOf(`a: [\n${"b,\n".repeat(100_000)}]`)), /deficient indentation/);
});

/** A document whose brackets and quotes go over several lines, which begin with `indentation`. The same seed gives the same values. */
function brokenLines(seed: number, indentation: string): string {
  const random = randomOf(seed), below = (most: number) => Math.floor(random() * most);
  const list = (depth: number): string => {
    const gap = below(2) === 0 ? `\n${indentation}` : " ";
    const items = Array.from({ length: below(4) }, () => depth === 0 || below(3) === 0 ? `"x${gap}y"` : list(depth - 1));
    return `[${gap}${items.join(`,${gap}`)}${gap}]`;
  };
  const entries = Array.from({ length: 1 + below(4) }, (_, key) => {
    const value = ["plain", list(3), `\n  - ${list(2)}\n  - 2`][below(3)];
    return `a${key}: ${value}\n`;
  });
  return entries.join("# note\n");
}

test("lines in brackets and quotes need no indentation, whatever follows them", () => {
  for (let seed = 0; seed < 500; seed++) {
    const body = brokenLines(seed, "");
    assert.equal(jsonOf(body), jsonOf(brokenLines(seed, "        ")), body);
  }
  // Each line alone would parse the text 1,000 times.
  const read = assertCheap("lines without indentation", () => jsonOf(`a: [\n${"1,\n".repeat(1_000)}]\nb: 2\n`));
  assert.equal(read, `{"a":[${"1,".repeat(999)}1],"b":2}`);
});

test("readYaml() rejects invalid UTF-8", () => {
  const body = (...tail: number[]) => Uint8Array.from([...new TextEncoder().encode('a: "'), ...tail, 0x22, 0x0a]);
  for (const tail of [[0xff], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) assert.equal(errorOf(body(...tail)), "yaml: invalid UTF-8");
  assert.equal(errorOf(Uint8Array.from([0x61, 0xf0, 0x9f])), "yaml: invalid UTF-8");
  assert.equal(jsonOf(body(0xc3, 0xa9)), '{"a":"é"}');
});

test("readYaml() returns the same result for JSON with and without the fast path", () => {
  const bodies = [
    '{"b":[1,-0,1.50,1e400,12345678901234567890,true,null],"a":{"d":"\\u00e9\\n","c":{}},"😀":1,"\uffee":2}',
    '{\n  "a": [\n    1,\n    "x # y"\n  ],\n  "__proto__": {}\n}\n',
    '{"a":1,"a":2}',
    '{"a" :1}',
    '{"a"\n:1}',
    '{"a":"\\/"}',
    '{"a":"\\ud83d\\ude00"}',
    '{"a":\t1}',
    '{"a":"\u007f"}',
    '{"a":"\u2028"}',
    `{"${"k".repeat(1025)}":1}`,
    '{"a":1} x',
    '{"a":1}{}',
    "[".repeat(3) + "{}" + "]".repeat(3),
  ];
  for (const body of bodies) assert.deepEqual(readYaml(body), readStream(body), body);
});

test("readYaml() bounds the levels of a text, of JSON and of expanded aliases", () => {
  const max = yamlDepthMax - 1; // the innermost list and an item that it does not have count as well
  const flow = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assert.ok(readYaml(flow(max)).ok);
  assert.equal(errorOf(flow(max + 1)), `yaml: exceeded max depth of ${yamlDepthMax}`);
  assert.ok(readYaml("- ".repeat(max)).ok);
  assert.equal(errorOf("- ".repeat(max + 2)), `yaml: exceeded max depth of ${yamlDepthMax}`);
  for (const open of ["[", "{", "- ", "? ", "[a: ", "{a: ", "{? ", "&a [", "!a {"]) {
    assert.equal(errorOf(open.repeat(bodyBytesMax / open.length)), `yaml: exceeded max depth of ${yamlDepthMax}`, open);
  }
  assert.ok(readYaml(`{"a":${flow(documentDepthMax - 1)}}`).ok);
  assert.match(errorOf(`{"a":${flow(documentDepthMax)}}`), /^yaml: exceeded max depth/);
  // Aliases nest deeper than the text.
  const nested = (levels: number, inner: string) => "[".repeat(levels) + inner + "]".repeat(levels);
  const chain = (last: number) => {
    const items = Array.from({ length: 20 }, (_, at) => `- &a${at} ${nested(490, at === 0 ? "" : `*a${at - 1}`)}\n`);
    return `${items.join("")}- ${nested(last, "*a19")}`;
  };
  assert.ok(readYaml(chain(199)).ok);
  assert.equal(errorOf(chain(200)), `yaml: exceeded max depth of ${documentDepthMax}`);
});

test("readYaml() rejects excessive expansion of aliases and allows a few", () => {
  const bomb = Array.from({ length: 9 }, (_, at) => `a${at}: &a${at} [${Array(10).fill(at === 0 ? "x" : `*a${at - 1}`).join(",")}]\n`).join(
    "",
  );
  assert.equal(errorOf(bomb), "yaml: document contains excessive aliasing");
  assert.equal(errorOf(bomb.replaceAll("[", "{k: [").replaceAll("]", "]}")), "yaml: document contains excessive aliasing");
  const merges = `m: &m {${Array.from({ length: 100 }, (_, at) => `k${at}: 1`).join(",")}}\nx: {<<: [${Array(500).fill("*m").join(",")}]}`;
  assert.equal(errorOf(merges), "yaml: document contains excessive aliasing");
  assert.ok(readYaml(`a: &a [x]\nb: [${Array(1000).fill("*a").join(",")}]`).ok);
  const large = `a: &a [${"x,".repeat(400_000)}]\nb: [*a, *a, *a]\n`;
  assert.equal(errorOf(large), "yaml: document contains excessive aliasing");
});

test("readYaml() reads bodies of the maximum size with any content", () => {
  const size = bodyBytesMax;
  const bodies = [
    `a: ${"x ".repeat(size / 2 - 2)}`,
    `a: "${"\\n".repeat(size / 2 - 4)}"`,
    `a: |\n${" x\n".repeat(size / 3 - 2)}`,
    "\n".repeat(size),
    `a: ${"9".repeat(size - 3)}`,
    `a: 0${"7".repeat(size - 4)}`,
    `#${"x".repeat(size - 1)}`,
  ];
  for (const body of bodies) assert.ok(readYaml(body).ok, body.slice(0, 20));
});

// Recorded responses of kube-apiserver to YAML bodies

interface Step {
  readonly raw?: string;
  readonly base64?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
}

interface Answer {
  readonly headers?: { readonly warning?: readonly string[] };
  readonly json?: { readonly message?: string };
}

interface Area {
  readonly scenarios: readonly { readonly name: string; readonly steps: readonly Step[]; readonly answers: readonly Answer[] }[];
}

const recorded = [new URL("../../test/transcripts/recorded/", import.meta.url)];

test("readYaml() agrees with every recorded response to a YAML body", (context) => {
  const folder = recorded.find(hasRecordings);
  if (folder === undefined) return context.skip("test/transcripts/recorded is missing");
  let bodies = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const area = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Area; // the format of the recordings
    for (const { name, steps, answers } of area.scenarios) {
      steps.forEach((step, at) => {
        const body = yamlBody(step);
        if (body === undefined) return;
        bodies++;
        checkAnswer(`${file}: ${name}`, body, answers[at] ?? {});
      });
    }
  }
  assert.ok(bodies > 50, `only ${bodies} bodies were found`);
});

function hasRecordings(folder: URL): boolean {
  try {
    return readdirSync(folder).includes("negotiation.json");
  } catch { // the folder does not exist
    return false;
  }
}

/** The YAML body of a step; undefined if it depends on earlier responses. */
function yamlBody(step: Step): string | Uint8Array | undefined {
  if (!/\/(?:yaml|apply-patch\+yaml)$/.test(step.headers?.["Content-Type"] ?? "")) return undefined;
  if (step.base64 !== undefined) return Uint8Array.from(atob(step.base64), (character) => character.charCodeAt(0));
  return step.raw?.includes("${o1000}") || /^\{ broken/.test(step.raw ?? "") ? undefined : step.raw;
}

/** Upstream's parser has other words for the same reasons: whether it fails is compared. */
function checkAnswer(name: string, body: string | Uint8Array, answer: Answer): void {
  const read = readYaml(body);
  const message = answer.json?.message ?? "";
  const fails = /yaml: (?!unmarshal errors)|json: unsupported value|unsupported map key/.test(message);
  if (!read.ok) return assert.ok(message === "" || fails, `${name}: ${read.error}\n${message}`);
  assert.equal(fails, false, `${name}: was read, but upstream said ${message}`);
  const messages = [...(answer.headers?.warning ?? []).map((text) => text.replaceAll('\\"', '"')), message].join("\n");
  for (const line of messages.match(/line \d+: key .* already set in map/g) ?? []) {
    assert.ok(read.duplicates.includes(line), `${name}: ${line}`);
  }
}

test("readYaml() bounds the text of duplicate keys and counts the rest", () => {
  const key = "k".repeat(1000);
  const read = readYaml(`a: &a {${key}: 1}\nb: {<<: [${"*a,".repeat(40_000)}*a]}`);
  assert.ok(read.ok);
  const text = read.duplicates.join("");
  assert.ok(text.length < yamlDuplicatesLengthMax + 2000, `${text.length}`);
  assert.equal(read.duplicates[0], `line 1: key "${key}" already set in map`);
  assert.equal(read.duplicates.at(-1), `and ${40_000 - (read.duplicates.length - 1)} more keys already set`);
  const few = readYaml(`{${"a: 1, ".repeat(3000)}}`);
  assert.equal(few.ok && few.duplicates.length, 2999);
});

test("readYaml() reads a long key that many aliases merge in linear time", () => {
  const merged = `a: &a {${"k".repeat(900)}${"\u{1f600}x".repeat(20_000)}: 1}\n`.replace(/^(a: &a \{)(.*)(: 1\}\n)$/s, '$1? "$2"$3');
  const read = assertCheap("merges", () => readYaml(`${merged}b: {<<: [${"*a,".repeat(80_000)}*a]}`));
  assert.ok(read.ok);
  assert.ok(read.duplicates.length < 100);
});

test("readYaml() rejects aliases that repeat long texts", () => {
  const long = "v".repeat(1_000_000);
  const list = (count: number) => `a: &a ${long}\nb: [${"*a,".repeat(count)}*a]`;
  const count = Math.floor(yamlTextLengthMax / long.length);
  assert.ok(readYaml(list(count - 3)).ok);
  assert.equal(errorOf(list(count)), "yaml: document contains excessive aliasing");
  assert.equal(errorOf(list(60_000)), "yaml: document contains excessive aliasing");
  const keys = Array.from({ length: 30_000 }, () => "- {<<: *a}\n").join("");
  const pair = `? ${'"' + "k".repeat(400_000)}1"\n  : 1\n  ? "${"k".repeat(400_000)}2"\n  : 1\n`;
  assert.equal(assertCheap("keys", () => errorOf(`a: &a\n  ${pair}b:\n${keys}`)), "yaml: document contains excessive aliasing");
});
