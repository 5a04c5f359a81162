import assert from "node:assert/strict";
import { test } from "node:test";
import { printable, printableJson, shellPath } from "./printable.ts";

test("printable() replaces what turns, hides or moves text, and keeps letters of all scripts", () => {
  for (
    const character of [
      "\u0000",
      "\n",
      "\r",
      "\u001b",
      "\u007f",
      "\u009b",
      "\u061c",
      "\u200b",
      "\u200e",
      "\u200f",
      "\u202a",
      "\u202e",
      "\u2028",
      "\u2066",
      "\u2069",
      "\ufeff",
      "\ud800",
      "\u{e0041}",
    ]
  ) {
    assert.equal(printable(`a${character}b`), "a\ufffdb", JSON.stringify(character));
  }
  const kept = "Zürich, 東京, עברית, العربية, emoji 🚀, \ufffd";
  assert.equal(printable(kept), kept);
});

test("printableJson() writes the same values without such characters", () => {
  const value = { name: "a\u202eb\u009b\u{e0041}\n\u007f", list: ["é", "\u2066"] };
  const text = printableJson(JSON.stringify(value, undefined, 2));
  assert.deepEqual(JSON.parse(text), value);
  assert.equal(printable(text.replaceAll("\n", "")), text.replaceAll("\n", ""));
});

test("shellPath() is one word of a shell that names the file", () => {
  for (
    const [path, word] of [
      ["deploy/night-1.yaml", "deploy/night-1.yaml"],
      ["-", "-"],
      ["-rf.yaml", "./-rf.yaml"],
      ["$(touch x).yaml", "'$(touch x).yaml'"],
      ["`id`;a b.yaml", "'`id`;a b.yaml'"],
      ["it's.yaml", "'it'\\''s.yaml'"],
      ["~/a.yaml", "'~/a.yaml'"],
      ["~root", "'~root'"],
      ["été.yaml", "'été.yaml'"],
      ["a\nb'\\\u202e.yaml", "$'a\\x0ab\\'\\\\\\xe2\\x80\\xae.yaml'"],
      ["", "''"],
    ] as const
  ) {
    assert.equal(shellPath(path), word);
  }
});
