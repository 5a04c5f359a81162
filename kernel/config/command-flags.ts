/** Reads the flags of one command, by the table of commands. */
import { nearest } from "../../core/nearest.ts";
import { type CommandFlag, type CommandName, flagsOf, UsageError } from "./commands.ts";

/** The values of each flag by its name. A switch has the value "". */
export type CommandFlags = ReadonlyMap<string, readonly string[]>;

/** Reads `--name=value`, `--name value`, `-n value`, `-nvalue` and switches. Throws a UsageError for anything else. */
export function readCommandFlags(command: CommandName, args: readonly string[]): CommandFlags {
  const flags = flagsOf(command), read = new Map<string, string[]>();
  const fail = (reason: string) => new UsageError(`${command}: ${reason} (thole help ${command})`);
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!, { flag, rest } = flagOf(flags, word);
    if (flag === undefined) throw fail(unknown(flags, word));
    const shown = `flag "--${flag.name}"`;
    if (flag.value === undefined && rest !== undefined) throw fail(`${shown} has no value`);
    const value = flag.value === undefined ? "" : rest ?? args[++at];
    if (value === undefined) throw fail(`${shown} needs a value: ${flag.value}`);
    const values = read.get(flag.name) ?? [];
    if (values.length > 0 && flag.isRepeated !== true) throw fail(`${shown} is given twice`);
    read.set(flag.name, [...values, value]);
  }
  return read;
}

/** The flag of a word, and the value in it. */
function flagOf(
  flags: readonly CommandFlag[],
  word: string,
): { readonly flag?: CommandFlag | undefined; readonly rest?: string | undefined } {
  if (word.startsWith("--")) {
    const equals = word.indexOf("="), name = word.slice(2, equals < 0 ? undefined : equals);
    return { flag: flags.find((each) => each.name === name), rest: equals < 0 ? undefined : word.slice(equals + 1) };
  }
  if (!/^-[^-]/.test(word)) return {};
  const flag = flags.find(({ letter }) => letter === word[1]), rest = word.slice(2);
  return { flag, rest: rest === "" ? undefined : rest.startsWith("=") ? rest.slice(1) : rest };
}

function unknown(flags: readonly CommandFlag[], word: string): string {
  const shown = JSON.stringify(word.slice(0, 100));
  if (!word.startsWith("-")) return `unexpected argument ${shown}`;
  const near = nearest(word.replace(/^-+/, "").split("=", 1)[0]!, flags.map(({ name }) => name));
  return `unknown flag ${shown}${near === undefined ? "" : `: did you mean "--${near}"?`}`;
}
