/** `thole check`: everything that would prevent a start, without starting. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "../../core/plugin.ts";
import { ConfigError } from "../config/parse.ts";
import { loadModule } from "../config/load-module.ts";
import { openOwnSource } from "../startup/open-source.ts";
import { isInMemory } from "../startup/open-store.ts";
import { readConfiguration } from "../startup/read-configuration.ts";
import { countOf } from "../verify/checks.ts";
import { verifyStore } from "../verify/verify-store.ts";
import { commandFlagsOf, settingsOf } from "../config/command-flags.ts";
import type { Chosen } from "../config/commands.ts";
import { progressOfCommand } from "./command-progress.ts";
import { problemLines, summaryLine } from "./verified-text.ts";
import { withStoredResources } from "./stored-resources.ts";

/** Prints a summary and resolves with 0, or with 1 if objects cannot be read. Rejects with a ConfigError for a mistaken configuration. */
export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const chosen: Chosen = { name: "check", args }, { values, mistakes } = commandFlagsOf(chosen);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const configuration = await readConfiguration(settingsOf(chosen), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config, active } = configuration;
  console.log(
    `The configuration is valid: ${configuration.plugins.length} plugins (${configuration.plugins.map(({ name }) => name).join(", ")}), ` +
      `${active.catalog.groups.length} API groups.`,
  );
  if (!values.has("store")) return 0;
  if (config["etcd-servers"].length === 0 && (isInMemory(config) || !await exists(join(config["data-dir"], "store.sqlite")))) {
    console.log("There is no store yet.");
    return 0;
  }
  const source = await openOwnSource(config);
  try {
    const { catalog } = await withStoredResources(source, source.prefix, active), progress = progressOfCommand()("checking the store");
    const verified = await verifyStore(source, catalog.stored, progress).finally(progress.end);
    for (const line of problemLines(verified)) console.error(`thole: ${line}`);
    console.log(summaryLine(verified));
    return countOf(verified.findings, "error") === 0 ? 0 : 1;
  } finally {
    await source.close();
  }
}

const exists = (path: string) => stat(path).then(() => true, () => false);
