/**
 * `thole`: start a server from a program.
 *
 *     import { start } from "thole";
 *
 *     const server = await start({ settings: { "secure-port": 0, "data-dir": ":memory:" } });
 *     console.log(server.url); // https://127.0.0.1:43211, to be believed by server.ca
 *     await server.close();
 */
import type { Plugin } from "./core/plugin.ts";
import type { Config } from "./kernel/config/settings.ts";
import { withDefaults } from "./kernel/config/parse.ts";
import { type Log, silentLog } from "./kernel/observe/log.ts";
import { type Running, serve } from "./kernel/startup/serve.ts";
import { plugins as builtIn } from "./plugins/mod.ts";

export { CatalogError } from "./kernel/catalog/catalog.ts";
export type { Config } from "./kernel/config/settings.ts";
export { ConfigError } from "./kernel/config/parse.ts";
export { jsonLog, type Log, openLog, silentLog } from "./kernel/observe/log.ts";
export type { Running } from "./kernel/startup/serve.ts";
/** The families that come with the server, in their order. */
export { plugins as builtInPlugins } from "./plugins/mod.ts";

export interface StartOptions {
  /** Settings by flag name, durations in milliseconds; the others stand at their defaults. */
  readonly settings?: Partial<Omit<Config, "config" | "plugins">>;
  /** What is served: the built-in families where absent. */
  readonly plugins?: readonly Plugin[];
  /** Where the server's own words go; nowhere where absent. */
  readonly log?: Log;
}

/** Resolves with a server that answers. Rejects with a ConfigError or CatalogError that lists every mistake, or with what kept it from
 *  starting; nothing of it is left then. */
export function start({ settings = {}, plugins = builtIn, log = silentLog }: StartOptions = {}): Promise<Running> {
  return serve({ config: withDefaults(settings), plugins, log });
}
