/**
 * `thole`: start a server from a program.
 *
 *     import { start } from "thole";
 *
 *     const server = await start({ settings: { "secure-port": 0, "data-dir": ":memory:" } });
 *     console.log(server.url); // https://127.0.0.1:43211, with a certificate signed by server.ca
 *     await server.close();
 */
import type { Plugin } from "./core/plugin.ts";
import type { PlainSettings } from "./server/config/plain-settings-type.ts";
import { inPreset } from "./server/config/choose-plugins.ts";
import { type PluginSettings, withDefaults } from "./server/config/parse.ts";
import { type Log, silentLog } from "./kernel/observe/log.ts";
import { type Running, serve } from "./server/startup/serve.ts";
import { plugins as builtIn } from "./plugins/mod.ts";

export { CatalogError } from "./kernel/catalog/catalog.ts";
export { ConfigError, type PluginSettings } from "./server/config/parse.ts";
export type { Fault, Mistake, PlacedMistake } from "./core/config/mistake.ts";
export type { PlainSettings } from "./server/config/plain-settings-type.ts";
export { jsonLog, type Log, type LogFields, type LogFormat, openLog, silentLog, type Verbosity } from "./kernel/observe/log.ts";
export type { Running } from "./server/startup/serve.ts";
/** The built-in families, in their order. */
export { plugins as builtInPlugins } from "./plugins/mod.ts";

/** Options of `start`. */
export interface StartOptions {
  /** Settings by flag name: `{ "feature-gates": { WatchList: false } }`. Absent settings have the flag's default. */
  readonly settings?: PlainSettings;
  /** Settings that plugins declare, by name, in the same form. */
  readonly pluginSettings?: PluginSettings;
  /** The families to serve. Default: those of `builtInPlugins` that the setting `preset` selects. */
  readonly plugins?: readonly Plugin[];
  /** Receives the server's log. Default: no log. */
  readonly log?: Log;
}

/**
 * Starts a server and resolves when it serves requests. Stop it with `close()`.
 *
 * Rejects with ConfigError or CatalogError, which list every mistake, or with the error that prevented the start, such as a port in
 * use. After a rejection everything that was opened is closed.
 */
export function start({ settings = {}, pluginSettings, plugins: given, log = silentLog }: StartOptions = {}): Promise<Running> {
  const plugins = given ?? inPreset(withDefaults(settings), builtIn);
  return serve({ config: withDefaults(settings, plugins, pluginSettings), plugins, log });
}
