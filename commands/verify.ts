/** `thole verify`: the checks of a store, also while a server uses it. */
import process from "node:process";
import type { Plugin } from "../core/plugin.ts";
import { loadModule } from "../server/config/load-module.ts";
import { commandFlagsOf, joinValues, settingsOf } from "../server/config/command-flags.ts";
import type { Chosen } from "../server/config/commands.ts";
import { ConfigError } from "../server/config/parse.ts";
import { openOtherSource, openOwnSource, selectsSource, sourceMistakes } from "./source/open-source.ts";
import { readConfiguration } from "../server/startup/read-configuration.ts";
import { countOf } from "./verify/checks.ts";
import { verifyStore } from "./verify/verify-store.ts";
import { progressOfCommand } from "./command-progress.ts";
import { printStoreErrors } from "./store-errors.ts";
import { withStoredResources } from "./stored-resources.ts";
import { problemLines, summaryLine, verifiedJson } from "./verified-text.ts";
import { indentedText } from "../core/value-text.ts";

/** Resolves with 0, with 2 if there are errors, or with 1 if the store fails. Rejects for wrong flags and files. */
export function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  return printStoreErrors(() => verify(args, plugins));
}

async function verify(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const chosen: Chosen = { name: "verify", args }, { values: all, mistakes } = commandFlagsOf(chosen), values = joinValues(all);
  const wrong = [...mistakes, ...sourceMistakes(values, false)];
  if (wrong.length > 0) throw new ConfigError(wrong);
  const configuration = await readConfiguration(settingsOf(chosen), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config, active } = configuration, begin = progressOfCommand();
  const opening = begin("reading the keys");
  const source = await (selectsSource(values) ? openOtherSource(values, opening) : openOwnSource(config, active.catalog)).finally(
    opening.end,
  );
  try {
    const { catalog } = await withStoredResources(source, source.prefix, active), progress = begin("verifying the store");
    const verified = await verifyStore(source, catalog.stored, progress).finally(progress.end);
    for (const line of problemLines(verified)) process.stderr.write(`thole: ${line}\n`);
    if (values.get("output") === "json") console.log(indentedText(verifiedJson(verified)));
    else console.log(`${summaryLine(verified)}\nVerified at revision ${verified.revision}.`);
    return countOf(verified.findings, "error") === 0 ? 0 : 2;
  } finally {
    await source.close();
  }
}
