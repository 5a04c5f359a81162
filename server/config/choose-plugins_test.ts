import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { choosePlugins } from "./choose-plugins.ts";
import { ModuleError } from "./module-error.ts";

const plugin = definePlugin({ name: "one", summary: "A plugin." });

async function chosen(words: readonly string[], error?: Error) {
  const mistakes: string[] = [];
  const { plugins, isIncomplete } = await choosePlugins(
    words,
    [plugin],
    () => error === undefined ? Promise.resolve({}) : Promise.reject(error),
    mistakes,
  );
  return { names: plugins.map(({ name }) => name), isIncomplete, mistakes };
}

test("choosePlugins() reports the fault of a package that is there, and an unknown name otherwise", async () => {
  const fault = new ModuleError("/a.ts:3: Unexpected token"), absent = new Error("there is no such package");
  assert.deepEqual(await chosen(["package"], fault), {
    names: ["one"],
    isIncomplete: true,
    mistakes: ['cannot load the plugin module "package": /a.ts:3: Unexpected token'],
  });
  assert.deepEqual(await chosen(["package"], absent), {
    names: [],
    isIncomplete: false,
    mistakes: ['unknown plugin "package" (built in: one)'],
  });
  assert.deepEqual((await chosen(["./a.ts"])).isIncomplete, true);
  assert.deepEqual((await chosen(["one"])).isIncomplete, false);
});
