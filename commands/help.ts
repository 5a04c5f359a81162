/** `thole help`. */
import type { Plugin } from "../core/plugin.ts";
import { kernelGates } from "../core/released/gates.ts";
import { helpText, listedGates } from "../server/config/help.ts";
import { commands, flagForm, flagsOf, isCommand, UsageError } from "../server/config/commands.ts";
import { choosePlugins } from "../server/config/choose-plugins.ts";
import { loadModule } from "../server/config/load-module.ts";
import { readArguments } from "../server/config/parse.ts";
import { readBounded } from "../server/startup/read-configuration.ts";
import { valueText } from "../core/value-text.ts";

export async function run(words: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const [name, ...rest] = words;
  if (name?.startsWith("-")) {
    console.log(generalHelp(plugins, await modulesOf(words, plugins)));
    return 0;
  }
  if (rest.length > 0 || (name !== undefined && !isCommand(name))) {
    throw new UsageError(
      `help: no command ${valueText([name, ...rest].join(" "))}: the commands are ${Object.keys(commands).join(", ")}`,
    );
  }
  console.log(name === undefined ? generalHelp(plugins, []) : commandHelp(name));
  return 0;
}

/** Resolves with the plugins of the modules that settings name. A module that cannot be loaded is reported and left out. */
async function modulesOf(words: readonly string[], builtIn: readonly Plugin[]): Promise<readonly Plugin[]> {
  const read = readArguments(words, readBounded, { leavesOthers: true }), mistakes: string[] = [];
  if (read.help) return [];
  const { plugins } = await choosePlugins(read.config, builtIn, loadModule, mistakes);
  for (const each of mistakes) console.error(`thole: ${each}`);
  return plugins.filter(({ name }) => !builtIn.some((each) => each.name === name));
}

/** Returns the commands, and the flags of the server and of plugins. */
function generalHelp(plugins: readonly Plugin[], others: readonly Plugin[]): string {
  const width = Object.keys(commands).reduce((most, { length }) => Math.max(most, length), 0);
  const list = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  const flags = helpText(
    listedGates([kernelGates, ...[...plugins, ...others].map((plugin) => plugin.featureGates ?? {})]),
    plugins,
    others,
  );
  return ["Usage: thole [COMMAND] [--flag=value ...]", "", "Commands:", ...list, "", flags].join("\n");
}

function commandHelp(name: keyof typeof commands): string {
  const { usage, summary, details } = commands[name];
  const flags = flagsOf(name).flatMap((flag) => [`  ${flagForm(flag)}`, `      ${flag.help}`]);
  return [
    `Usage: thole ${name} ${usage}`,
    "",
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    ...(details === "" ? [] : ["", details]),
    ...(flags.length === 0 ? [] : ["", "Flags:", ...flags]),
  ].join("\n");
}
