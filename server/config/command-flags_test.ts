import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFlagsOf, joinValues, readCommandFlags } from "./command-flags.ts";
import { UsageError } from "./commands.ts";

const read = (...args: readonly string[]) => Object.fromEntries(readCommandFlags({ name: "convert", args }));

test("readCommandFlags() reads values after =, as the next word, and behind a letter", () => {
  assert.deepEqual(read(), {});
  assert.deepEqual(read("-f", "a", "-fb", "-f=c", "--filename", "d", "--filename=e=f", "-R"), {
    filename: ["a", "b", "c", "d", "e=f"],
    recursive: [""],
  });
  assert.deepEqual(read("-f", "-", "--output-version=apps/v1"), { filename: ["-"], "output-version": ["apps/v1"] });
});

test("readCommandFlags() rejects other words, and names the command", () => {
  for (
    const [args, message] of [
      [["a.yaml"], 'convert: unexpected argument "a.yaml" (thole help convert)'],
      [["-x"], 'convert: unknown flag "-x" (thole help convert)'],
      [["--filenam=a"], 'convert: unknown flag "--filenam=a": did you mean "--filename"? (thole help convert)'],
      [["-f"], 'convert: flag "--filename" needs a value: FILE (thole help convert)'],
      [["--filename="], 'convert: flag "--filename" needs a value: FILE (thole help convert)'],
      [["-R=true"], 'convert: flag "--recursive" has no value: "true" (thole help convert)'],
      [["-R", "-R"], 'convert: flag "--recursive" is given twice (thole help convert)'],
      [["--"], 'convert: unknown flag "--" (thole help convert)'],
      [["--constructor"], 'convert: unknown flag "--constructor" (thole help convert)'],
    ] as const
  ) {
    assert.throws(() => read(...args), new UsageError(message));
  }
});

test("commandFlagsOf() separates the flags of a command from settings, in any form and order", () => {
  const { values, words, mistakes } = commandFlagsOf({
    name: "import",
    args: [
      "--from-snapshot",
      "a.db",
      "--list",
      "--data-dir=d",
      "--skip=a,b",
      "--skip",
      "c",
      "-o",
      "json",
      "--etcd-prefix",
      "--list",
      "-v",
      "2",
    ],
  });
  assert.deepEqual(Object.fromEntries(joinValues(values)), { "from-snapshot": "a.db", "list": "", "skip": "a,b,c", "output": "json" });
  assert.deepEqual(words, ["--data-dir=d", "--etcd-prefix", "--list", "-v", "2"]);
  assert.deepEqual(mistakes, []);
  assert.deepEqual(commandFlagsOf({ name: "import", args: ["--list=true", "--output=xml", "--from-snapshot="] }).mistakes, [
    'flag "--list" has no value: "true"',
    'flag "--output": "xml" is not text or json',
    'flag "--from-snapshot" needs a value: FILE',
  ]);
  assert.deepEqual(commandFlagsOf({ name: "import", args: ["--from-snapshot"] }).mistakes, ['flag "--from-snapshot" needs a value: FILE']);
  assert.deepEqual(
    commandFlagsOf({ name: "import", args: ["--from-snapshot=a", "--from-snapshot=b", "--list", "--list", "-o=json"] }).mistakes,
    [
      'flag "--from-snapshot" is given twice',
      'flag "--list" is given twice',
    ],
  );
  // As of the other commands, a value may stand behind a letter.
  assert.deepEqual(Object.fromEntries(commandFlagsOf({ name: "import", args: ["-ojson", "-v2"] }).values), { output: ["json"] });
  // Those of another command are no flags of this one.
  assert.deepEqual(commandFlagsOf({ name: "check", args: ["--store", "--list"] }).words, ["--list"]);
});
