import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPemBlock, pemBlocks } from "./pem.ts";

const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}-----END ${type}-----\n`;
const shown = (text: string) =>
  pemBlocks(text).map(({ type, hasHeaders, bytes }) => `${type} ${hasHeaders ? "headers " : ""}${Buffer.from(bytes).toString("latin1")}`);

test("blocks are found between other text, with line ends of all kinds and spaces at their ends", () => {
  assert.deepEqual(shown(block("A", "YWJj\n")), ["A abc"]);
  assert.deepEqual(shown(`text\n${block("A", "YW\nJj\n")}between\n${block("B B", "YWI=\n")}after`), ["A abc", "B B ab"]);
  assert.deepEqual(shown(block("A", "Y W\tJj\n").replaceAll("\n", "\r\n")), ["A abc"]);
  assert.deepEqual(shown(block("A", "YWJj\n").replaceAll("-----\n", "----- \t\n")), ["A abc"]);
  assert.deepEqual(shown(block("A", "")), ["A "]);
});

test("lines with a colon at the beginning of a block are headers", () => {
  assert.deepEqual(shown(block("A", "Key: value\nOther:\n\nYWJj\n")), ["A headers abc"]);
});

test("malformed blocks are skipped, and what follows is found", () => {
  const good = block("B", "YWJj\n");
  const wrong = [
    block("A", "YWJ\n"),
    block("A", "YW*j\n"),
    block("A", "YWJj=\n"),
    "x" + block("A", "YWJj\n"),
    "-----BEGIN A-----\nYWJj\n-----END B-----\n",
    "-----BEGIN A\nYWJj\n-----END A-----\n",
    "-----BEGIN A-----\nYWJj\n-----END A-----x\n",
    "-----END A-----\n",
    "-----BEGIN A-----\n",
  ];
  for (const each of wrong) assert.deepEqual(shown(each + good), ["B abc"], each);
});

test("a text without a whole block has none", () => {
  for (
    const text of [
      "",
      "-----BEGIN ",
      "-----BEGIN A-----",
      "-----BEGIN A-----\nYWJj\n",
      "\n-----END ",
      "-----BEGIN A-----\na:\n-----END A-----",
    ]
  ) {
    assert.equal(nextPemBlock(text), undefined, JSON.stringify(text));
  }
});

test("many beginnings and many ends are read in one pass", () => {
  assert.equal(pemBlocks("-----BEGIN A-----\n".repeat(50_000)).length, 0);
  assert.equal(pemBlocks("\n-----END A-----".repeat(50_000)).length, 0);
  assert.equal(pemBlocks("-----BEGIN A-----\na:\n-----END B-----\n".repeat(20_000)).length, 0);
});
