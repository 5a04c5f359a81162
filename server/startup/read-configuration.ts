/** Reads the command line, its configuration file and the plugins, which both select: at start, and again when the file changes. */
import { append } from "../../core/append.ts";
import type { Plugin } from "../../core/plugin.ts";
import { choosePlugins, type LoadModule } from "../config/choose-plugins.ts";
import { type Mistake, textOf } from "../../core/config/mistake.ts";
import { ConfigError, readArguments } from "../config/parse.ts";
import { tableOf } from "../config/plugin-settings.ts";
import type { Config } from "../config/settings.ts";
import { fileMistakes } from "./file-mistakes.ts";
import { type ActiveConfig, activeConfigOrMistakes } from "../config/active-config.ts";
import { withKnownNames } from "../config/known-names.ts";
import { metricMistakes } from "./open-metrics.ts";
import { fingerprint, readWholeText, readWholeTextSync } from "../../protocols/files/bounded-files.ts";
import { configurationFileBytesMax } from "../config/bounds.ts";

/** The configuration as written and as parsed. */
export interface Written {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  /** The text of the configuration file; empty without a file. */
  readonly text: string;
  /** Mistakes found so far; the rest is what could be parsed. */
  readonly mistakes?: readonly Mistake[];
  /** The settings to look for further mistakes in, if a plugin module could not be loaded. */
  readonly judged?: Config;
}

/** The source of a configuration, for a server that reads it again while it runs. */
export interface Source {
  /** Text of the configuration file at the start. */
  readonly text: string;
  readonly read: () => Promise<Written>;
  /** A fingerprint that changes with the file; absent without a file. */
  readonly look?: () => Promise<string>;
}

/** A configuration with all of its mistakes. */
export interface Inspected extends Pick<Written, "config" | "plugins"> {
  /** Undefined if settings and plugins cannot be compiled. */
  readonly active: ActiveConfig | undefined;
  readonly source: Source;
  /** In the order in which they were found, each once. */
  readonly mistakes: readonly Mistake[];
  /** Settings in the file that have no value. */
  readonly empty: readonly string[];
}

/** As `Inspected`, without mistakes. */
export type ValidConfiguration = Omit<Inspected, "active" | "mistakes" | "empty"> & { readonly active: ActiveConfig };

/** The settings and plugins, both compiled, and their source; undefined for --help. Throws a ConfigError with every mistake. */
export async function readConfiguration(
  args: readonly string[],
  builtIn: readonly Plugin[],
  load: LoadModule,
): Promise<ValidConfiguration | undefined> {
  const inspected = await inspectConfiguration(args, builtIn, load);
  if (inspected === undefined) return undefined;
  const { config, plugins, active, source, mistakes } = inspected;
  if (active === undefined || mistakes.length > 0) throw new ConfigError(mistakes);
  return { config, plugins, active, source };
}

/** Reads a configuration as far as that is possible; undefined for --help. */
export async function inspectConfiguration(
  args: readonly string[],
  builtIn: readonly Plugin[],
  load: LoadModule,
): Promise<Inspected | undefined> {
  async function read(textOf: (path: string) => string): Promise<Written & { readonly empty: readonly string[] } | undefined> {
    let text = "";
    // The settings of the server choose the plugins, and the plugins have further settings.
    const first = readArguments(args, (path) => text = textOf(path), { leavesOthers: true });
    if (first.help) return undefined;
    const mistakes: string[] = [];
    const { plugins: chosen, isIncomplete } = await choosePlugins(first.config, builtIn, load, mistakes);
    // An invalid plugin name does not make settings of its kinds mistakes.
    // A plugin whose API is not selected has the name of a built-in one.
    const others = chosen.filter(({ name }) => !builtIn.some((each) => each.name === name));
    const plugins = mistakes.length === 0 ? chosen : [...builtIn, ...others];
    const parsed = readArguments(args, (path) => text === "" ? textOf(path) : text, {
      table: tableOf(plugins),
      leavesOthers: isIncomplete,
    });
    if (parsed.help) return undefined;
    const { config, empty } = parsed;
    const judged = isIncomplete ? { judged: withKnownNames(config, plugins) } : {};
    const ofPlugins = mistakes.map((mistake) => ({ text: mistake, setting: "plugins", faults: [{ text: mistake }] }));
    return { config, plugins, text, mistakes: [...parsed.mistakes, ...ofPlugins], empty, ...judged };
  }
  const first = await read(readBounded);
  if (first === undefined) return undefined;
  const { config, plugins, text, empty, judged = config } = first;
  const mistakes = [...first.mistakes ?? []];
  const active = activeConfigOrMistakes(judged, plugins, mistakes);
  append(mistakes, metricMistakes(config), await fileMistakes(judged, plugins));
  const file = config.config;
  // The arguments are unchanged, so --help is not among them, and the file is the same.
  const again = async () => {
    const next = file === "" ? "" : await readWholeText(file, configurationFileBytesMax).catch((error: unknown) => asError(error));
    const textOf = () => {
      if (next instanceof Error) throw next;
      return next;
    };
    return await read(textOf) ?? first;
  };
  const source = { text, read: again, ...(file === "" ? {} : { look: () => fingerprint(file) }) };
  return { config, plugins, active, source, mistakes: eachOnce(mistakes), empty };
}

function eachOnce(mistakes: readonly Mistake[]): readonly Mistake[] {
  return [...new Map(mistakes.toReversed().map((mistake) => [textOf(mistake), mistake])).values()].toReversed();
}

/** The text of a configuration file. Throws if it is too large or cannot be read. */
export function readBounded(path: string): string {
  return readWholeTextSync(path, configurationFileBytesMax);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
