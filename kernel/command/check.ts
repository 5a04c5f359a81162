/** `thole check`: everything that would prevent a start, without starting. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Plugin } from "../../core/plugin.ts";
import type { BeginProgress } from "../../core/progress.ts";
import { loadModule } from "../config/load-module.ts";
import { isInMemory, openStore } from "../startup/open-store.ts";
import { readConfiguration } from "../startup/read-configuration.ts";
import { noFaults } from "../store/fault.ts";
import { checkStore } from "./check-store.ts";
import { settingsOf } from "../config/commands.ts";
import { openLog } from "../observe/log.ts";
import { loggedProgress, progressTerminal } from "../observe/progress.ts";
import { withStoredResources } from "./stored-resources.ts";

/** Prints a summary and resolves with 0, or with 1 if objects cannot be read. Rejects with a ConfigError for a mistaken configuration. */
export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const configuration = await readConfiguration(settingsOf({ name: "check", args }), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config, active } = configuration;
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
    const prefix = config["etcd-prefix"], progress = progressOfCommand()("checking the store");
    const { catalog } = await withStoredResources(store, prefix, active);
    const { read, custom, other, unreadable, mismatched } = await checkStore(store, prefix, catalog.stored, progress).finally(progress.end);
    for (const { count, texts } of [unreadable, mismatched]) {
      for (const text of texts) console.error(`thole: ${text}`);
      if (count > texts.length) console.error(`thole: ${count - texts.length} more`);
    }
    console.log(
      `The store has ${read} objects, ${custom} of them custom resources, and ${other} other keys. ${unreadable.count} objects cannot be read, ` +
        `${mismatched.count} custom resources do not match their schemas.`,
    );
    return unreadable.count === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

/** Progress on the standard error. */
function progressOfCommand(): BeginProgress {
  const now = () => performance.now();
  if (process.stderr.isTTY === true) return progressTerminal(process.stderr, now).begin;
  return loggedProgress(openLog("text", (line) => console.error(line), Date.now, { v: 0, modules: [] }, process.pid), now);
}

const exists = (path: string) => stat(path).then(() => true, () => false);
