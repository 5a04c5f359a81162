import assert from "node:assert/strict";
import type { Grammar } from "../grammar.ts";
import type { Target } from "../fuzz.ts";

/** Values of RFC 8259. */
export const jsonGrammar: Grammar = {
  value: ["null", "<string>", "<number>", "<array>", "<object>", "true", "false"],
  array: ["[<space>]", (w) => `[${w.write("value")}${w.many("next-value")}]`],
  "next-value": ["<space>,<space><value>"],
  object: ["{<space>}", (w) => `{${w.write("member")}${w.many("next-member")}}`],
  member: ["<space><key><space>:<space><value>"],
  "next-member": [",<member>"],
  key: ['"a"', "<string>", '"b"', '"__proto__"', '""'],
  string: ['""', (w) => `"${w.many("character")}"`],
  character: ["a", "é", "\u{1f600}", "\\<escape>", "\u2028", "\x7f", "0"],
  escape: ["n", '"', "\\", "/", "b", "f", "r", "t", "u<hex><hex><hex><hex>", "ud83d\\ude00", "ud800", "udc00"],
  hex: ["0", "a", "F", "9"],
  number: ["0", "-<integer>", "<integer><fraction><exponent>", "<integer>"],
  integer: ["0", (w) => `1${w.many("digit")}`],
  digit: ["0", "1", "9"],
  fraction: ["", (w) => `.0${w.many("digit")}`],
  exponent: ["", "e1", "E-<digit>", "e+<digit><digit>"],
  space: ["", " ", "\t", "\n", "\r"],
};

/** Compares the reader with the engine's: both reject the same texts, and read the same values. */
export const json: Target = {
  name: "json",
  grammar: { ...jsonGrammar, document: ["<space><value><space>"] },
  start: "document",
  binary: false,
  stepsPerCharacter: 120,
  async open(code) {
    const { readJson, readWrittenJson, jsonFromTree, treeFromJson } = await code.load("core/tree/json.ts");
    const { goJson, prettyJson } = await code.load("core/tree/json-text.ts");
    return (input) => {
      const text = input.isWellFormed() ? input : input.toWellFormed();
      const read = readJson(text);
      let expected: unknown, valid = true;
      try {
        expected = JSON.parse(text);
      } catch {
        valid = false;
      }
      assert.equal(read.ok, valid, `readJson ${read.ok ? "accepts" : `refuses: ${read.error}`}`);
      assert.equal(readWrittenJson(text).ok, valid);
      if (!valid) return;
      const value = jsonFromTree(read.tree);
      // V8 (13.6 to 15.0 at least) sometimes reads a key that is a single escaped character as a backslash.
      if (/"\\[^"]{1,5}"\s*:|"[\u2028<>&]"\s*:/.test(text) || text.includes('"\\""')) return;
      // Beyond the range of a double there is no value; the decoder reports that.
      if (!isFiniteAll(expected)) return;
      const written = goJson(value);
      if (!holdsHuge(text)) assert.equal(JSON.stringify(JSON.parse(written)), JSON.stringify(wellFormed(expected)));
      assert.equal(goJson(jsonFromTree(treeFromJson(value))), written);
      assert.equal(JSON.stringify(JSON.parse(prettyJson(written))), JSON.stringify(JSON.parse(written)));
    };
  },
};

/** Numbers that a double cannot represent are kept as text. */
function holdsHuge(text: string): boolean {
  return /[0-9]{16}|[eE]/.test(text);
}

function isFiniteAll(value: unknown): boolean {
  return !JSON.stringify(value, (_key, each) => each === Infinity || each === -Infinity ? "\uffff" : each).includes("\uffff");
}

/** Lone surrogates become U+FFFD in what Go reads, and -0 is an integer. */
function wellFormed(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  const made: Record<string, unknown> = Object.create(null);
  for (const [key, each] of Object.entries(value)) made[key.toWellFormed()] = wellFormed(each);
  return Object.setPrototypeOf({ ...made }, Object.prototype);
}
