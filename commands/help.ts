/** `thole help`. */
import type { Plugin } from "../core/plugin.ts";
import { kernelGates } from "../core/released/gates.ts";
import { helpText, listedGates } from "../server/config/help.ts";
import { commands, flagForm, flagsOf, isCommand, UsageError } from "../server/config/commands.ts";
import { valueText } from "../core/value-text.ts";

export async function run([name, ...rest]: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  if (rest.length > 0 || (name !== undefined && !isCommand(name))) {
    throw new UsageError(
      `help: no command ${valueText([name, ...rest].join(" "))}: the commands are ${Object.keys(commands).join(", ")}`,
    );
  }
  console.log(name === undefined ? generalHelp(plugins) : commandHelp(name));
  return 0;
}

/** The commands, and the flags of the server. */
function generalHelp(plugins: readonly Plugin[]): string {
  const width = Object.keys(commands).reduce((most, { length }) => Math.max(most, length), 0);
  const list = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  const flags = helpText(listedGates([kernelGates, ...plugins.map((plugin) => plugin.featureGates ?? {})]), plugins);
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
