/** The settings that plugins declare, as rows beside those of the server's table. */
import type { Names } from "../../core/names.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { SettingKey, SettingKind, SettingOf, SettingValues } from "../../core/setting.ts";
import { commands, flagsOf } from "./commands.ts";
import { type AnySetting, type Config, settings } from "./settings.ts";

/** A plugin as far as its settings go. */
type DeclaringPlugin = Pick<Plugin, "name" | "settings">;
/** Rows by the names of settings. */
export type SettingTable = Readonly<Record<string, AnySetting>>;

/** The rows of the plugins' settings. */
function rowsOf(plugins: readonly DeclaringPlugin[]): SettingTable {
  return Object.fromEntries(
    plugins.flatMap(({ name: plugin, settings: declared = [] }) =>
      declared.map(({ name, fixed, ...row }): [string, AnySetting] => [name, { ...row, fixed, plugin }])
    ),
  );
}

/** The server's table with the settings of these plugins. A name of the server keeps the server's row: `settingClashes` reports it. */
export function tableOf(plugins: readonly DeclaringPlugin[]): SettingTable {
  const declared = Object.entries(rowsOf(plugins)).filter(([name]) => !Object.hasOwn(settings, name));
  return declared.length === 0 ? settings : { ...settings, ...Object.fromEntries(declared) };
}

/** The row of a setting of the server or of one of these plugins. */
export function rowOf(name: string, plugins: readonly Plugin[]): Pick<AnySetting, "kind" | "default"> | undefined {
  if (Object.hasOwn(settings, name)) return settings[name as keyof Config]; // An own key of the table.
  for (const { settings: declared = [] } of plugins) {
    const found = declared.find((each) => each.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The defaults of the settings that a table has. */
export function defaultsOf(table: SettingTable): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(table).map(([name, { default: value }]) => [name, value]));
}

/** The value of a setting of the server or of a plugin. `fallback`: for a configuration that was made without the plugin. */
export function valueOf(config: Config, name: string, fallback?: unknown): unknown {
  return Object.hasOwn(config, name) ? Reflect.get(config, name) : fallback;
}

/** Reads settings of the current configuration by name and kind: those of the server and of its plugins. */
export function settingOf(current: () => { readonly config: Config; readonly plugins: readonly Plugin[] }): SettingOf {
  return <K extends SettingKind>({ name, kind }: SettingKey<K>): SettingValues[K] => {
    const { config, plugins } = current(), row = rowOf(name, plugins);
    if (row === undefined) throw new Error(`Cannot read the setting "${name}": there is none`);
    if (row.kind !== kind) throw new Error(`Cannot read the setting "${name}" as ${kind}: it is of the kind ${row.kind}`);
    return valueOf(config, name, row.default) as SettingValues[K]; // The kind of the row decides about the type of the value.
  };
}

/** Returns the names that the settings give to `{domain}` and `{platform}`. */
export function namesOf(config: Config): Names {
  return { domain: config["group-domain"], platform: config["platform-name"] };
}

/** Returns the mistakes that parts of the plugins find in the values of settings. */
export function valueMistakes(config: Config, plugins: readonly Plugin[]): readonly string[] {
  const inspection = { names: namesOf(config), setting: settingOf(() => ({ config, plugins })) };
  return plugins.flatMap(({ authenticators = [] }) => authenticators).flatMap(({ checks }) => checks?.mistakes?.(inspection) ?? []);
}

/** Words of the command line that are no settings of a server, and whose they are. */
const taken: readonly (readonly [name: string, owner: string])[] = [
  ...["help", "version", "compat"].map((name) => [name, "the program"] as const),
  ...Object.keys(settings).map((name) => [name, "the server"] as const),
  // Keys of the table.
  ...(Object.keys(commands) as (keyof typeof commands)[]).filter((name) => commands[name].takesSettings)
    .flatMap((command) => flagsOf(command).map(({ name }) => [name, `the command ${command}`] as const)),
];

/** Settings of plugins with the name of another setting, or of a flag of a command that takes settings. */
export function settingClashes(plugins: readonly Plugin[]): readonly string[] {
  const owners = new Map(taken);
  return plugins.flatMap(({ name: plugin, settings: declared = [] }) =>
    declared.flatMap(({ name }) => {
      const owner = owners.get(name);
      owners.set(name, owner ?? `plugin ${plugin}`);
      return owner === undefined ? [] : [`plugin "${plugin}" cannot have the setting "${name}": it belongs to ${owner}`];
    })
  );
}

/** Returns what the plugins refuse among these values, with the words that name the setting. */
export function refusedValues(table: SettingTable, given: ReadonlyMap<string, unknown>): readonly string[] {
  return Array.from(given, ([name, value]) => [name, table[name]?.check?.(value)] as const)
    .flatMap(([name, wrong]) => wrong === undefined ? [] : [`flag "--${name}": ${wrong}`]);
}
