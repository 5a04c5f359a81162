/** `thole check`: everything that would prevent a start, without starting. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "../../core/plugin.ts";
import { activeConfigOf } from "../config/active-config.ts";
import { loadModule } from "../config/load-module.ts";
import { isInMemory, openStore } from "../startup/open-store.ts";
import { readConfiguration } from "../startup/read-configuration.ts";
import { noFaults } from "../store/fault.ts";
import { checkStore } from "./check-store.ts";
import { settingsOf } from "../config/commands.ts";

/** Prints a summary and resolves with 0, or with 1 if objects cannot be read. Rejects with a ConfigError for a mistaken configuration. */
export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const configuration = await readConfiguration(settingsOf({ name: "check", args }), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config } = configuration;
  const active = activeConfigOf(config, configuration.plugins);
  console.log(
    `The configuration is valid: ${configuration.plugins.length} plugins (${configuration.plugins.map(({ name }) => name).join(", ")}), ` +
      `${active.catalog.groups.length} API groups.`,
  );
  if (!args.includes("--store")) return 0;
  if (config["etcd-servers"].length === 0 && (isInMemory(config) || !await exists(join(config["data-dir"], "store.sqlite")))) {
    console.log("There is no store yet.");
    return 0;
  }
  const { store } = await openStore(config, { faults: noFaults });
  try {
    const { read, other, unreadable } = await checkStore(store, config["etcd-prefix"], active.catalog.stored);
    for (const text of unreadable) console.error(`thole: ${text}`);
    console.log(
      `The store has ${read} objects of built-in and plugin kinds, ${unreadable.length} of them cannot be read, and ${other} other keys ` +
        "(custom resources and the server's own).",
    );
    return unreadable.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

const exists = (path: string) => stat(path).then(() => true, () => false);
