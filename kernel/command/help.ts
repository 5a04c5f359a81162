/** `thole help`. */
import type { Plugin } from "../../core/plugin.ts";
import { kernelGates } from "../catalog/gates.ts";
import { helpText, listedGates } from "../config/help.ts";
import { type Command, type CommandName, commands, isCommand, ownFlags, UsageError } from "../config/commands.ts";

export async function run([name, ...rest]: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  if (rest.length > 0 || (name !== undefined && !isCommand(name))) {
    throw new UsageError(
      `help: no command ${JSON.stringify([name, ...rest].join(" "))}: the commands are ${Object.keys(commands).join(", ")}`,
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

function commandHelp(name: CommandName): string {
  const { usage, summary, details }: Command = commands[name];
  const flags = ownFlags(name).flatMap(([flag, { value, help }]) => [`  --${flag}${value === "" ? "" : `=${value}`}`, `      ${help}`]);
  return [
    `Usage: thole ${name} ${usage}`,
    "",
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    ...(details === "" ? [] : ["", details]),
    ...(flags.length === 0 ? [] : ["", "Flags:", ...flags, "", "Other flags are settings of the server: thole help"]),
  ].join("\n");
}
