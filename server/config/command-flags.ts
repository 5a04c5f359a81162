/** Reads the flags of one command, by the table of commands. */
import { nearest } from "../../core/nearest.ts";
import { type Chosen, type CommandFlag, commands, flagsOf, UsageError } from "./commands.ts";
import { type SettingName, settings } from "./settings.ts";
import { valueText } from "../../core/value-text.ts";

/** The values of each flag by its name. A switch has the value "". */
export type FlagValues = ReadonlyMap<string, readonly string[]>;

export interface CommandFlags {
  readonly values: FlagValues;
  /** The other words, of a command that takes settings. */
  readonly words: readonly string[];
  readonly mistakes: readonly string[];
}

/** Reads `--name=value`, `--name value`, `-n value`, `-nvalue` and switches, among the settings of a command that takes them. */
export function commandFlagsOf({ name: command, args }: Chosen): CommandFlags {
  const flags = flagsOf(command), { takesSettings } = commands[command];
  const values = new Map<string, readonly string[]>(), words: string[] = [], mistakes: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!, { flag, rest } = flagOf(flags, word);
    if (flag === undefined) {
      if (!takesSettings) mistakes.push(unknown(flags, word));
      words.push(word);
      // Its value is no flag.
      if (takesSettings && takesNext(word) && at + 1 < args.length) words.push(args[++at]!);
      continue;
    }
    const value = flag.value === undefined ? "" : rest ?? args[++at], before = values.get(flag.name) ?? [];
    const mistake = mistakeOf(flag, rest, value, before);
    if (mistake === undefined) values.set(flag.name, [...before, value!]); // Without a value it is a mistake.
    else mistakes.push(`flag "--${flag.name}"${mistake}`);
  }
  return { values, words, mistakes };
}

function mistakeOf(flag: CommandFlag, rest: string | undefined, value: string | undefined, before: readonly string[]): string | undefined {
  if (flag.value === undefined && rest !== undefined) return ` has no value: ${valueText(rest)}`;
  if (flag.value !== undefined && (value ?? "") === "") return ` needs a value: ${flag.value}`;
  if (Array.isArray(flag.values) && !flag.values.includes(value)) {
    return `: ${valueText(value)} is not ${flag.values.slice(0, -1).join(", ")} or ${flag.values.at(-1)}`;
  }
  return before.length > 0 && flag.isRepeated !== true ? " is given twice" : undefined;
}

/** The values of a command that takes no settings. Throws a UsageError with the first mistake. */
export function readCommandFlags(chosen: Chosen): FlagValues {
  const { values, mistakes: [mistake] } = commandFlagsOf(chosen);
  if (mistake !== undefined) throw new UsageError(`${chosen.name}: ${mistake} (thole help ${chosen.name})`);
  return values;
}

/** Several values of one flag are one list, separated by commas. */
export function joinValues(values: FlagValues): ReadonlyMap<string, string> {
  return new Map([...values].map(([name, each]) => [name, each.join(",")]));
}

/** The words that are settings: those without the command's own flags. The file of `check`, before or after flags, is `--config`. */
export function settingsOf(chosen: Chosen): readonly string[] {
  const { name } = chosen;
  if (!commands[name].takesSettings) return [];
  const { words } = commandFlagsOf(chosen);
  if (name === "history") return words.filter((_, index) => !isOperand(words, index));
  if (name !== "check") return words;
  const at = words.findIndex((_, index) => isOperand(words, index));
  return words.map((word, index) => index === at ? `--config=${word}` : word);
}

/** The words that are neither flags nor their values, such as the resource and the name of `history`. */
export function operandsOf(chosen: Chosen): readonly string[] {
  const { words } = commandFlagsOf(chosen);
  return words.filter((_, index) => isOperand(words, index));
}

const isOperand = (words: readonly string[], index: number) => !words[index]!.startsWith("-") && !takesNext(words[index - 1]);

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
  const shown = valueText(word.slice(0, 100));
  if (!word.startsWith("-")) return `unexpected argument ${shown}`;
  const near = nearest(word.replace(/^-+/, "").split("=", 1)[0]!, flags.map(({ name }) => name));
  return `unknown flag ${shown}${near === undefined ? "" : `: did you mean "--${near}"?`}`;
}

/** Whether the word after this one is its value, as in `--secure-port 1`. */
function takesNext(word = ""): boolean {
  if (word === "-v") return true;
  const name = word.slice(2);
  return word.startsWith("--") && Object.hasOwn(settings, name) && settings[name as SettingName].kind !== "bool"; // An own key of the table.
}
