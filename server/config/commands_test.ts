import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsOf } from "./command-flags.ts";
import { chooseCommand, UsageError } from "./commands.ts";
import { readArguments } from "./parse.ts";

test("chooseCommand() takes flags for serve, and words for the other commands", () => {
  assert.deepEqual(chooseCommand([]), { name: "serve", args: [] });
  assert.deepEqual(chooseCommand(["--secure-port=1"]), { name: "serve", args: ["--secure-port=1"] });
  assert.deepEqual(chooseCommand(["serve", "--secure-port=1"]), { name: "serve", args: ["--secure-port=1"] });
  assert.deepEqual(chooseCommand(["check", "thole.yaml", "-v=2"]), { name: "check", args: ["thole.yaml", "-v=2"] });
  assert.deepEqual(chooseCommand(["--version", "--secure-port=1"]), { name: "version", args: [] });
  assert.deepEqual(chooseCommand(["serve", "--version"]), { name: "version", args: [] });
  assert.deepEqual(chooseCommand(["-h"]), { name: "help", args: [] });
  assert.deepEqual(chooseCommand(["--plugins=./a.ts", "--help"]), { name: "help", args: ["--plugins=./a.ts"] });
  assert.deepEqual(chooseCommand(["dev", "--help"]), { name: "help", args: ["dev"] });
});

test("chooseCommand() rejects other words, with the nearest command", () => {
  assert.throws(
    () => chooseCommand(["serv"]),
    new UsageError(
      'unknown command "serv": did you mean "serve"? (the commands are serve, check, verify, history, import, backup, restore, envtest, record, dev, convert, advise, completion, version, help; a setting is --name=value)',
    ),
  );
  for (const word of ["", "constructor", "__proto__", "thole.yaml", "x".repeat(100_000)]) {
    assert.throws(() => chooseCommand([word]), (error) => error instanceof UsageError && error.message.length < 300);
  }
});

test("settingsOf() has the settings of a command; the file of check is --config", () => {
  assert.deepEqual(settingsOf({ name: "check", args: ["a.yaml", "--store", "--secure-port=1"] }), ["--config=a.yaml", "--secure-port=1"]);
  assert.deepEqual(settingsOf({ name: "check", args: ["--store", "--secure-port=1"] }), ["--secure-port=1"]);
  assert.deepEqual(settingsOf({ name: "check", args: ["--secure-port=1", "a.yaml"] }), ["--secure-port=1", "--config=a.yaml"]);
  assert.deepEqual(settingsOf({ name: "check", args: ["--secure-port", "1", "--anonymous-auth", "a.yaml", "-v", "2"] }), [
    "--secure-port",
    "1",
    "--anonymous-auth",
    "--config=a.yaml",
    "-v",
    "2",
  ]);
  assert.deepEqual(settingsOf({ name: "check", args: ["a", "b"] }), ["--config=a", "b"]);
  assert.deepEqual(settingsOf({ name: "dev", args: ["--secure-port=1"] }), ["--secure-port=1"]);
  assert.deepEqual(settingsOf({ name: "completion", args: ["bash"] }), []);
});

test("a word that is no setting is a mistake of any command with settings", () => {
  const mistakesOf = (...words: readonly string[]) => {
    const read = readArguments(settingsOf(chooseCommand(words)), () => "");
    return read.help ? [] : read.mistakes;
  };
  const unexpected = (word: string) => [`unexpected argument "${word}": the form of a setting is --name=value`];
  assert.deepEqual(mistakesOf("serve", "serve"), unexpected("serve"));
  assert.deepEqual(mistakesOf("check", "a", "b"), unexpected("b"));
  assert.deepEqual(mistakesOf("--"), unexpected("--"));
});
