/** `thole check`: everything that would prevent a start, and what is probably not meant, without starting. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "../core/plugin.ts";
import { loadModule } from "../server/config/load-module.ts";
import { openOwnSource } from "./source/open-source.ts";
import { configurationWarnings } from "../server/startup/configuration-warnings.ts";
import { isInMemory } from "../server/config/in-memory.ts";
import { inspectConfiguration, type Inspected } from "../server/startup/read-configuration.ts";
import { countOf } from "./verify/checks.ts";
import { verifyStore } from "./verify/verify-store.ts";
import { tableOf } from "../server/config/plugin-settings.ts";
import { commandFlagsOf, settingsOf } from "../server/config/command-flags.ts";
import type { Chosen } from "../server/config/commands.ts";
import { findingLine, findingsOf } from "./check/findings.ts";
import { progressOfCommand } from "./command-progress.ts";
import { problemLines, summaryLine } from "./verified-text.ts";
import { withStoredResources } from "./stored-resources.ts";

/** Prints mistakes, warnings and a summary. Resolves with 0, or with 1 for a mistake, a warning with --strict, or objects that cannot be read. */
export async function run(args: readonly string[], plugins: readonly Plugin[], { log, error }: Output = console): Promise<number> {
  const chosen: Chosen = { name: "check", args }, { values, mistakes } = commandFlagsOf(chosen);
  const given = settingsOf(chosen), inspected = await inspectConfiguration(given, plugins, loadModule);
  if (inspected === undefined) return 0; // --help is another command.
  const findings = findingsOf({
    errors: [...mistakes, ...inspected.mistakes],
    warnings: await configurationWarnings(inspected),
    configFile: inspected.config.config,
    known: new Set(Object.keys(tableOf(inspected.plugins))),
    flags: new Set(given.filter((word) => word.startsWith("--")).map((word) => word.slice(2).split("=", 1)[0]!)),
  });
  for (const finding of findings) error(findingLine(finding));
  const errors = findings.filter(({ severity }) => severity === "error").length, warnings = findings.length - errors;
  const { active } = inspected, isRefused = errors > 0 || (values.has("strict") && warnings > 0);
  if (findings.length > 0) error(`thole: ${counted(errors, "error")}, ${counted(warnings, "warning")}`);
  if (isRefused || active === undefined) return 1;
  log(
    `The configuration is valid: ${inspected.plugins.length} plugins (${inspected.plugins.map(({ name }) => name).join(", ")}), ` +
      `${active.catalog.groups.length} API groups.`,
  );
  return values.has("store") ? await checkStore(inspected.config, active, { log, error }) : 0;
}

/** Where lines go: to the standard output and to the standard error. */
type Output = Readonly<Record<"log" | "error", (line: string) => void>>;

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

async function checkStore(config: Inspected["config"], active: NonNullable<Inspected["active"]>, { log, error }: Output): Promise<number> {
  if (config["etcd-servers"].length === 0 && (isInMemory(config) || !await exists(join(config["data-dir"], "store.sqlite")))) {
    log("There is no store yet.");
    return 0;
  }
  const source = await openOwnSource(config, active.catalog);
  try {
    const { catalog } = await withStoredResources(source, source.prefix, active), progress = progressOfCommand()("checking the store");
    const verified = await verifyStore(source, catalog.stored, progress).finally(progress.end);
    for (const line of problemLines(verified)) error(`thole: ${line}`);
    log(summaryLine(verified));
    return countOf(verified.findings, "error") === 0 ? 0 : 1;
  } finally {
    await source.close();
  }
}

const exists = (path: string) => stat(path).then(() => true, () => false);
