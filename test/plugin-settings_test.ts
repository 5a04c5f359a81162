// In Deno's suite only: what a setting changes does not depend on the runtime.
// Settings that plugins declare: those of the plugin of docs/writing-a-plugin.md, and clashes of names.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { PluginSetting } from "../core/setting.ts";
import type { Plugin } from "../core/plugin.ts";
import { jsonLog } from "../kernel/observe/log.ts";
import { definePlugin } from "../plugin.ts";
import { helpText } from "../server/config/help.ts";
import { ConfigError } from "../server/config/parse.ts";
import { settingOf } from "../server/config/plugin-settings.ts";
import { openMetrics } from "../server/startup/open-metrics.ts";
import { readConfiguration } from "../server/startup/read-configuration.ts";
import { reloader } from "../server/startup/reload.ts";
import { flagsOf } from "../server/startup/zpages.ts";
import { openTestServer } from "../testing.ts";
import { defineSetting } from "../toolbox.ts";
import { send } from "./requests.ts";

/** The plugin of the page, and a folder that is removed afterwards. */
async function ofThePage(use: (badges: Plugin, folder: string) => Promise<void>): Promise<void> {
  const page = await readFile(new URL("../docs/writing-a-plugin.md", import.meta.url), "utf8");
  const code = /^```ts badges\n([\s\S]*?)^```$/m.exec(page)?.[1];
  assert.ok(code !== undefined, "the block of the page");
  const folder = await mkdtemp(join(tmpdir(), "thole-plugin-settings-"));
  try {
    const file = join(folder, "badges.ts");
    const module = (name: string) => JSON.stringify(new URL(`../${name}.ts`, import.meta.url).href);
    await writeFile(file, code.replaceAll('"thole/plugin"', module("plugin")).replaceAll('"thole/plugin/toolbox"', module("toolbox")));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await use((await import(pathToFileURL(file).href)).badgesPlugin, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads arguments with a module `./plugin.ts` that exports these plugins. */
async function read(args: readonly string[], ...plugins: readonly Plugin[]) {
  const configuration = await readConfiguration(["--plugins=./plugin.ts", ...args], [], () => Promise.resolve({ ...plugins }));
  assert.ok(configuration !== undefined);
  return configuration;
}

async function mistakesOf(args: readonly string[], ...plugins: readonly Plugin[]): Promise<readonly string[]> {
  try {
    await read(args, ...plugins);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, `${error}`);
    return error.mistakes;
  }
}

const key = { kind: "string", name: "badge-user-prefix" } as const;

test("a plugin's setting is a flag and a key of the file, a flag wins, and without both it has its default", () =>
  ofThePage(async (badges, folder) => {
    const file = join(folder, "thole.yaml");
    await writeFile(file, "badge-user-prefix: 'file:'\nsecure-port: 1\n");
    const prefixOf = async (...args: readonly string[]) => {
      const { config, plugins } = await read(args, badges);
      return settingOf(() => ({ config, plugins }))(key);
    };
    assert.equal(await prefixOf(), "badge:");
    assert.equal(await prefixOf("--badge-user-prefix=flag:"), "flag:");
    assert.equal(await prefixOf(`--config=${file}`), "file:");
    assert.equal(await prefixOf(`--config=${file}`, "--badge-user-prefix=flag:"), "flag:");
  }));

test("values of plugins' settings are checked by kind and by the plugin, and other names are unknown", () =>
  ofThePage(async (badges, folder) => {
    const file = join(folder, "thole.yaml");
    await writeFile(file, "badge-fil: a\n");
    assert.deepEqual(await mistakesOf([`--config=${file}`, "--badge-user-prefx=x", "--badge-user-prefix=system:"], badges), [
      'unknown flag "--badge-user-prefx": did you mean "--badge-user-prefix"?',
      `configuration file "${file}": unknown setting "badge-fil": did you mean "badge-file"?`,
      'flag "--badge-user-prefix": users of the server itself begin with "system:"',
    ]);
    assert.deepEqual(await mistakesOf(["--badge-user-prefix", "x"], badges), [
      'flag "--badge-user-prefix" needs a value: --badge-user-prefix=value',
      'unexpected argument "x": the form of a setting is --name=value',
    ]);
    assert.deepEqual(
      await mistakesOf(["--badge-user-prefix=x"]),
      ['plugin module "./plugin.ts" exports no plugin: export the result of definePlugin()'],
      "a plugin that could not be loaded may have the flag",
    );
  }));

test("two settings of one name are a mistake: of the server, of another plugin, of a command", async () => {
  const of = (name: string, ...names: readonly string[]) =>
    definePlugin({
      name,
      summary: "Has settings.",
      settings: names.map((name) => defineSetting({ name, kind: "bool", default: false, help: "A switch." })),
    });
  assert.deepEqual(await mistakesOf([], of("one", "secure-port", "colour", "strict", "help"), of("two", "colour")), [
    'plugin "one" cannot have the setting "secure-port": it belongs to the server',
    'plugin "one" cannot have the setting "strict": it belongs to the command check',
    'plugin "one" cannot have the setting "help": it belongs to the program',
    'plugin "two" cannot have the setting "colour": it belongs to plugin one',
  ]);
});

test("the authenticator of the page reads its settings, and a changed prefix has an effect at once", () =>
  ofThePage(async (badges, folder) => {
    const file = join(folder, "badges.csv");
    await writeFile(file, "17,carol\n");
    const pluginSettings = { "badge-file": file, "badge-user-prefix": "guest:" };
    await using server = await openTestServer({ plugins: [badges], pluginSettings });
    const answer = await send(server, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, {
      headers: { "x-badge": "17" },
      user: "authenticate",
    });
    assert.equal((await answer.json()).status.userInfo.username, "guest:carol");
    await assert.rejects(openTestServer({ plugins: [badges], pluginSettings: { "badge-fil": "", "badge-file": 1 } }), {
      message: 'unknown setting "badge-fil": did you mean "badge-file"?\nsetting "badge-file" must be a string',
    });
  }));

test("a reload changes a plugin's setting, and rejects a change of one that is fixed", () =>
  ofThePage(async (badges, folder) => {
    const file = join(folder, "thole.yaml"), logged: string[] = [];
    await writeFile(file, "badge-user-prefix: 'a:'\n");
    let { active, source } = await read([`--config=${file}`], badges);
    const log = jsonLog((line) => logged.push(line), () => 0);
    const reload = reloader({
      read: source.read,
      text: source.text,
      inForce: () => active,
      swap: (next) => active = next,
      record: openMetrics(active.config, log).record,
      log,
      now: () => 0,
    });
    const setting = settingOf(() => active);
    await writeFile(file, "badge-user-prefix: 'b:'\n");
    await reload(true);
    assert.equal(setting(key), "b:");
    assert.deepEqual(JSON.parse(logged.at(-1)!).changed, ["badge-user-prefix"]);
    await writeFile(file, "badge-user-prefix: 'c:'\nbadge-file: other\n");
    await reload(true);
    assert.equal(setting(key), "b:");
    assert.deepEqual(JSON.parse(logged.at(-1)!).mistakes, [
      'setting "badge-file" cannot change while the server runs: the file is read once, at start; restart the server to change it',
    ]);
  }));

test("--help lists the settings of a plugin below its name, and /flagz hides secrets", () =>
  ofThePage(async (badges) => {
    assert.match(
      helpText([], [], [badges]),
      /^Plugin badges: Users with badges\.\n {2}--badge-file=<text>\n.*\[not reloaded: the file is read once, at start\]\n {2}--badge-user-prefix=<text>\n.*\(default badge:\) \[reloaded\]$/m,
    );
    const secret = defineSetting({ name: "api-key", kind: "string", default: "", isSecret: true, help: "The key." });
    const plugin = definePlugin({ name: "keyed", summary: "Has a key.", settings: [secret] });
    const shown = async (...args: readonly string[]) => flagsOf((await read(args, plugin)).config, [plugin])["api-key"];
    assert.deepEqual([await shown(), await shown("--api-key=17")], ["", "***"]);
  }));

test("defineSetting() rejects names, defaults and secrets that cannot be", () => {
  const good = { name: "colour", kind: "string", default: "red", help: "A colour." } as const;
  const wrong: readonly (readonly [Partial<PluginSetting>, RegExp])[] = [
    [{ name: "c" }, /at least two/],
    [{ name: "Colour" }, /lower-case/],
    [{ kind: "int" }, /default is not of the kind int/],
    [{ kind: "colour" as "int" }, /kind must be one of string, bool, int, duration, list, texts/],
    [{ help: "A colour" }, /full stop/],
    [{ fixed: "" }, /the reason of fixed is empty/],
    [{ kind: "bool", default: true, isSecret: true as never }, /only a string/],
    [{ check: () => "it is not blue" }, /refuses the default: it is not blue/],
  ];
  defineSetting(good);
  for (const [part, text] of wrong) assert.throws(() => defineSetting({ ...good, ...part } as PluginSetting), text);
  assert.throws(
    () => definePlugin({ name: "twice", summary: "Has one setting twice.", settings: [good, good] }),
    /two settings are named "colour"/,
  );
});
