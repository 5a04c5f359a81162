import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { choosePlugins } from "./choose-plugins.ts";
import { ModuleError } from "./module-error.ts";

const plugin = definePlugin({ name: "one", summary: "A plugin." });

test("choosePlugins() keeps the authenticators that the server requires if other plugins are named, and drops them if they are excluded", async () => {
  const login = { name: "login", summary: "Accepts a header.", required: true, open: () => ({}) } as const;
  const optional = { name: "optional", summary: "Accepts another.", open: () => ({}) } as const;
  const builtIn = [
    plugin,
    definePlugin({ name: "access", summary: "Users.", authenticators: [login, optional], groupPriorities: { "users.example.com": 1 } }),
    definePlugin({ name: "more", summary: "Others.", authenticators: [optional] }),
  ];
  const of = async (...words: readonly string[]) =>
    (await choosePlugins({ plugins: words, preset: "kubernetes", simulate: false }, builtIn, () => Promise.resolve({}), [])).plugins;
  const named = await of("one");
  assert.deepEqual(named.map(({ name, groupPriorities }) => [name, groupPriorities]), [["one", undefined], ["access", undefined]]);
  assert.equal(named[1]!.authenticators![0], builtIn[1]!.authenticators![0]);
  assert.equal((await of("one"))[1], named[1], "the same value in each reload, so that the catalog stays");
  assert.deepEqual((await of("one", "-access")).map(({ name }) => name), ["one"]);
  assert.deepEqual(await of("access"), [builtIn[1]]);
  assert.deepEqual(await of(), builtIn);
});

async function chosen(words: readonly string[], error?: Error) {
  const mistakes: string[] = [];
  const { plugins, isIncomplete } = await choosePlugins(
    { plugins: words, preset: "kubernetes", simulate: false },
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

test("a preset selects the plugins when none is named; one that is named is served with each", async () => {
  const pods = definePlugin({ name: "pods", summary: "Pods.", presets: ["kubernetes"] });
  const of = async (preset: string, ...words: readonly string[]) => {
    const { plugins } = await choosePlugins({ plugins: words, preset, simulate: false }, [plugin, pods], () => Promise.resolve({}), []);
    return plugins.map(({ name }) => name);
  };
  assert.deepEqual(await of("kubernetes"), ["one", "pods"]);
  assert.deepEqual(await of("control-plane"), ["one"]);
  assert.deepEqual(await of("kubernetes", "-one"), ["pods"]);
  assert.deepEqual(await of("control-plane", "-one"), []);
  assert.deepEqual(await of("control-plane", "pods"), ["pods"]);
});

test("--simulate adds the plugin of the simulated cluster, to a preset and to named plugins", async () => {
  const simulated = definePlugin({ name: "simulation", summary: "Pods that live.", presets: [] });
  const of = async (simulate: boolean, ...words: readonly string[]) => {
    const { plugins } = await choosePlugins(
      { plugins: words, preset: "kubernetes", simulate },
      [plugin, simulated],
      () => Promise.resolve({}),
      [],
    );
    return plugins.map(({ name }) => name);
  };
  assert.deepEqual(await of(false), ["one"]);
  assert.deepEqual(await of(true), ["one", "simulation"]);
  assert.deepEqual(await of(true, "one"), ["one", "simulation"]);
  assert.deepEqual(await of(false, "one", "simulation"), ["one", "simulation"]);
});
