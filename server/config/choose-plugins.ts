/** `--plugins`: selects the plugins. */
import { isAbsolute } from "node:path";
import { append } from "../../core/append.ts";
import { DefinitionError } from "../../core/define/define.ts";
import type { Plugin, Preset } from "../../core/plugin.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { nearest } from "../../core/nearest.ts";
import { ModuleError } from "./module-error.ts";
import type { Config } from "./settings.ts";

/** Loads a module by path or package name and returns its exports. */
export type LoadModule = (specifier: string) => Promise<Readonly<Record<string, unknown>>>;

/** Whether a word of `--plugins` is a module specifier and not a name. */
export function isModule(word: string): boolean {
  return /[/.:@]/.test(word);
}

/** Whether a module specifier is a path, and not a package. */
export function isPath(specifier: string): boolean {
  return specifier.startsWith(".") || isAbsolute(specifier);
}

/** The selected plugins. */
export interface ChosenPlugins {
  readonly plugins: readonly Plugin[];
  /** Whether a module has failed: names of gates, versions and steps that nothing else has may be its own. */
  readonly isIncomplete: boolean;
}

/** The values of `--preset`. */
export const presets: readonly Preset[] = Object.freeze(["kubernetes", "control-plane"]);

/** Whether a text is a value of `--preset`. */
export function isPreset(text: string): text is Preset {
  return presets.some((each) => each === text);
}

/** The plugin that `--simulate` adds. */
const simulation = "simulation";

/** The plugins of a preset (of an unknown one, which is a mistake of its own, all), and with `simulate` that of the simulated cluster. */
export function inPreset({ preset, simulate }: Pick<Config, "preset" | "simulate">, builtIn: readonly Plugin[]): readonly Plugin[] {
  const isChosen = ({ name, presets: of = presets }: Plugin) => name === simulation ? simulate : !isPreset(preset) || of.includes(preset);
  return builtIn.filter(isChosen);
}

/**
 * Names select from the built-in plugins (those of the preset if none is named); one that is not named keeps the authenticators that the server requires. `-name` excludes one, and words with a slash, a dot, a colon or an at sign
 * are modules whose exported plugins are appended. All mistakes are added to `mistakes`.
 */
export async function choosePlugins(
  { plugins: words, preset, simulate }: Pick<Config, "plugins" | "preset" | "simulate">,
  builtIn: readonly Plugin[],
  load: LoadModule,
  mistakes: string[],
): Promise<ChosenPlugins> {
  const names = builtIn.map(({ name }) => name);
  const modules = words.filter(isModule), named = words.filter((word) => !isModule(word));
  const on = named.filter((word) => !word.startsWith("-"));
  const off = named.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  for (const name of [...on, ...off].filter((each) => !names.includes(each))) {
    // A package may have the same form of name as a plugin.
    if (!off.includes(name) && await isFound(load(name))) {
      modules.push(name);
      continue;
    }
    const near = nearest(name, names);
    mistakes.push(`unknown plugin "${name}"${near === undefined ? "" : `: did you mean "${near}"?`} (built in: ${names.join(", ")})`);
  }
  const isNamed = on.some((each) => !modules.includes(each));
  const selected = isNamed
    ? builtIn.filter(({ name }) => on.includes(name) || (simulate && name === simulation))
    : inPreset({ preset, simulate }, builtIn);
  const chosen = selected.filter(({ name }) => !off.includes(name));
  // A list of plugins selects an API. The plugins that authenticate users go on to do so, unless they are named with a minus.
  for (const plugin of builtIn) {
    const { name, authenticators = [] } = plugin;
    const isLeftOut = !chosen.includes(plugin) && !off.includes(name);
    if (isLeftOut && authenticators.some(({ required }) => required)) chosen.push(withoutApi(plugin));
  }
  let isIncomplete = false;
  for (const specifier of modules) {
    try {
      const found = Object.values(await load(specifier)).filter(isPlugin);
      if (found.length === 0) {
        isIncomplete = true;
        mistakes.push(`plugin module "${specifier}" exports no plugin: export the result of definePlugin()`);
      }
      for (const plugin of found) {
        if (chosen.some(({ name }) => name === plugin.name)) mistakes.push(`plugin "${plugin.name}" of "${specifier}" is already loaded`);
        else chosen.push(plugin);
      }
    } catch (error) {
      isIncomplete = true;
      if (error instanceof DefinitionError) append(mistakes, error.mistakes.map((each) => `plugin module "${specifier}": ${each}`));
      else mistakes.push(`cannot load the plugin module "${specifier}": ${reasonOf(error)}`);
    }
  }
  return { plugins: chosen, isIncomplete };
}

/** What `withoutApi` has made: the same plugin in each reload, so that the catalog stays. */
const reduced = new WeakMap<Plugin, Plugin>();

/** The authenticators of a plugin whose API is not selected. */
function withoutApi(plugin: Plugin): Plugin {
  const known = reduced.get(plugin);
  if (known !== undefined) return known;
  const { name, summary, authenticators = [], settings = [], metrics = [] } = plugin;
  const made = Object.freeze({ name, summary, authenticators, settings, metrics });
  reduced.set(plugin, made);
  return made;
}

/** Whether there is a package of this name, even one that cannot be loaded because of its own code. */
function isFound(loading: ReturnType<LoadModule>): Promise<boolean> {
  return loading.then(() => true, (error) => error instanceof ModuleError || error instanceof DefinitionError);
}

/** Whether a value has the form of a plugin: a frozen object with a name and a summary. */
function isPlugin(value: unknown): value is Plugin {
  return typeof value === "object" && value !== null && Object.isFrozen(value) && "name" in value && typeof value.name === "string" &&
    "summary" in value && typeof value.summary === "string";
}
