import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandFlags } from "./command-flags.ts";
import { UsageError } from "./commands.ts";

const read = (...args: readonly string[]) => Object.fromEntries(readCommandFlags("convert", args));

test("readCommandFlags() reads values after =, as the next word, and behind a letter", () => {
  assert.deepEqual(read(), {});
  assert.deepEqual(read("-f", "a", "-fb", "-f=c", "--filename", "d", "--filename=e=f", "-R"), {
    filename: ["a", "b", "c", "d", "e=f"],
    recursive: [""],
  });
  assert.deepEqual(read("-f", "-", "--output-version=apps/v1"), { filename: ["-"], "output-version": ["apps/v1"] });
  assert.deepEqual(read("--filename="), { filename: [""] });
});

test("readCommandFlags() rejects other words, and names the command", () => {
  for (
    const [args, message] of [
      [["a.yaml"], 'convert: unexpected argument "a.yaml" (thole help convert)'],
      [["-x"], 'convert: unknown flag "-x" (thole help convert)'],
      [["--filenam=a"], 'convert: unknown flag "--filenam=a": did you mean "--filename"? (thole help convert)'],
      [["-f"], 'convert: flag "--filename" needs a value: FILE (thole help convert)'],
      [["-R=true"], 'convert: flag "--recursive" has no value (thole help convert)'],
      [["-R", "-R"], 'convert: flag "--recursive" is given twice (thole help convert)'],
      [["--"], 'convert: unknown flag "--" (thole help convert)'],
      [["--constructor"], 'convert: unknown flag "--constructor" (thole help convert)'],
    ] as const
  ) {
    assert.throws(() => read(...args), new UsageError(message));
  }
});
