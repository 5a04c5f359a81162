import assert from "node:assert/strict";
import type { Target } from "../fuzz.ts";
import { jsonGrammar } from "./json.ts";
import { canonicalText } from "./things.ts";

/** The part of YAML 1.1 that API documents use: blocks, flows, scalars of all styles, anchors, aliases, merges, tags, directives. */
export const yaml: Target = {
  name: "yaml",
  grammar: {
    ...jsonGrammar,
    stream: ["<block>", "<value>", "<directives>---<break><block><end>", "<block><break>---<break><block>"],
    directives: ["", "%YAML 1.1\n", "%TAG ! tag:example.com,2000:\n", "# comment\n"],
    break: ["\n", " # comment\n", "\r\n"],
    end: ["", "...\n"],
    block: ["<scalar>\n", "<mapping>", "<sequence>", "<anchored>"],
    mapping: [(w) => w.write("pair") + w.many("pair"), "? <scalar>\n: <scalar>\n"],
    pair: ["a: <node>\n", "<plain-key>: <node>\n", "<key>: <node>\n", "b:\n  - <node>\n  - c: <node>\n", "<merge>\n"],
    "plain-key": ["b", "c d", "1", "true", "~", "0x1F", "1.5", "2001-01-01", "<<"],
    merge: ["<<: {x: 1}", "<<: [{x: 1}, {y: 2}]"],
    sequence: [(w) => `- ${w.write("node")}\n${w.many("entry")}`],
    entry: ["- <node>\n", "-\n  - <node>\n", "- a: <node>\n  b: <node>\n"],
    node: ["<scalar>", "<flow>", "<tag> <scalar>", "<block-scalar>"],
    flow: ["[]", (w) => `[${w.many("flow-item", ", ")}]`, (w) => `{${w.many("flow-pair", ", ")}}`],
    "flow-item": ["<scalar>", "<flow>", "a: 1"],
    "flow-pair": ["a: <scalar>", "<key>: <scalar>", "b"],
    scalar: ["a", "<plain>", "'<quoted>'", "<string>", "<number-word>"],
    plain: ["two words", "a#b", "x:y", "-1a", "é", "yes", "null", "=", ".", "..."],
    quoted: ["", "it''s", "a\n  b", "x"],
    "number-word": ["0o17", "017", "0b101", "0x1F", "1_000", "+1", "1e3", ".5", ".inf", "-.INF", ".nan", "12:30:45", "0", "-", "1."],
    "block-scalar": ["|<header>\n    line\n    more", ">\n    folded\n\n    text"],
    header: ["", "-", "+", "2", "2-"],
    tag: ["!!str", "!!int", "!!binary", "!local", "!!float", "!", "!<lt>tag:yaml.org,2002:null>", "!!bool", "!!timestamp"],
    lt: ["<"],
    anchored: [
      "a: &x <scalar>\nb: *x\n",
      "a: &x {k: <scalar>}\nb: {<<: *x, c: 1}\n",
      (w) => `a: &x [<1>]\nb: [${Array.from({ length: w.below(50) }, () => "*x").join(", ")}]\n`,
      (w) => `a: &x {k: 1}\nb: {<<: [${Array.from({ length: 1 + w.below(50) }, () => "*x").join(", ")}]}\n`,
      "&a [*a]\n",
    ],
  },
  start: "stream",
  binary: false,
  // Aliases expand to almost a hundred nodes per node of the document.
  stepsPerCharacter: 600,
  async open(code) {
    const { readYaml, readStream } = await code.load("core/tree/yaml.ts");
    const { jsonFromTree, readJson } = await code.load("core/tree/json.ts");
    const textOf = await canonicalText(code.load);
    const { goJson } = await code.load("core/tree/json-text.ts");
    const { writeYaml } = await code.load("core/codec/yaml.ts");
    return (input) => {
      const text = input.toWellFormed();
      const read = readYaml(text);
      const plainly = readStream(text);
      assert.equal(read.ok, plainly.ok);
      if (!read.ok) return;
      const value = jsonFromTree(read.tree);
      // Compared as text: an assertion on values is recursive.
      const json = goJson(value);
      assert.equal(goJson(jsonFromTree(plainly.tree)), json);
      // A block scalar without a parent has another indentation in YAML 1.2. No object is one.
      if (json.length > 50_000 || typeof value === "string") return;
      // Written documents are read as the same value.
      const again = readYaml(writeYaml(value));
      assert.ok(again.ok, "the document as it is written was refused");
      assert.equal(goJson(jsonFromTree(again.tree)), json);
      const asJson = readJson(text);
      if (asJson.ok && asJson.tree !== null && typeof asJson.tree === "object" && isSimple(text)) {
        assert.equal(textOf(jsonFromTree(asJson.tree)), textOf(value));
      }
    };
  },
};

/** Whether a JSON text has the same meaning in YAML: no escaped surrogates or line ends in strings, no ambiguous numbers. */
function isSimple(text: string): boolean {
  return !/\\|[eE.]|[0-9]{16}|-0|[\x7f-\x9f\u2028\u2029\ufeff\ufffd]|\t|\r/.test(text) && !/"(\w*)"[^]*"\1"\s*:/.test(text);
}
