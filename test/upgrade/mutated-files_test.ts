// Files of the cases with random changes: a conversion ends, reports what it cannot read, and what it writes can be read again.
// In Deno's suite only: folds of schemas and their readers use nothing of the runtime.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { objectsInText } from "../../commands/upgrade/advise/text-objects.ts";
import { randomOf } from "../../core/random.ts";
import { caseNames, convertCase, inputOf } from "./cases.ts";

const seed = Number(process.env.THOLE_SEED ?? 5), rounds = Number(process.env.THOLE_ROUNDS ?? 300);
const pieces = Object.freeze([
  "\n",
  " ",
  "  ",
  "- ",
  ": ",
  "#",
  "\t",
  "'",
  '"',
  "&a ",
  "*a",
  "!!str ",
  "|\n",
  ">-\n",
  "{",
  "}",
  "[",
  "]",
  ",",
  "<<: ",
  "---\n",
  "...\n",
  "? ",
  "%",
  "\r\n",
  "\u0000",
  "é",
  "null",
  "~",
]);

test(`conversions of changed files end and can be read again (seed ${seed})`, () => {
  const next = randomOf(seed), pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  let converted = 0, broken = 0;
  for (let round = 0; round < rounds; round++) {
    let text = inputOf(pick(caseNames));
    for (let changes = 1 + Math.floor(next() * 3); changes > 0; changes--) {
      const at = Math.floor(next() * text.length), length = Math.floor(next() * 8);
      text = text.slice(0, at) + (next() < 0.7 ? pick(pieces) : "") + text.slice(at + length);
    }
    const shown = JSON.stringify(text);
    const first = convertCase(text);
    if (first.objects.length === 0) assert.equal(first.text, text);
    const again = convertCase(first.text);
    assert.deepEqual(again.errors.length, first.errors.length, shown);
    assert.deepEqual(again.objects, [], shown);
    assert.equal(again.text, first.text, shown);
    assert.ok([...objectsInText(text, (line) => ({ name: "f", line }))].length >= 0);
    converted += first.objects.length;
    broken += first.errors.length;
  }
  assert.ok(converted > rounds / 2 && broken > rounds / 20, `${converted} converted, ${broken} broken`);
});
