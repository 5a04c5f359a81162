/** `thole import`: copies the objects of a kube-apiserver into the store. */
import process from "node:process";
import { mkdir } from "node:fs/promises";
import type { Plugin } from "../core/plugin.ts";
import { nearest } from "../core/nearest.ts";
import type { Catalog } from "../kernel/catalog/catalog.ts";
import type { ActiveConfig } from "../server/config/active-config.ts";
import { commandFlagsOf, joinValues, settingsOf } from "../server/config/command-flags.ts";
import type { Chosen } from "../server/config/commands.ts";
import { loadModule } from "../server/config/load-module.ts";
import { ConfigError } from "../server/config/parse.ts";
import { etcdServers } from "../server/config/server-overrides.ts";
import type { Config } from "../server/config/settings.ts";
import { chooser, leftByDefault, wordsOf } from "./import/choice.ts";
import { type Imported, importObjects } from "./import/import-objects.ts";
import type { Source } from "./source/source.ts";
import { openOtherSource, type SourceFlags, sourceMistakes, sourcePrefix } from "./source/open-source.ts";
import { openStore } from "../server/startup/open-store.ts";
import { isInMemory } from "../server/config/in-memory.ts";
import { readConfiguration } from "../server/startup/read-configuration.ts";
import { silentLog } from "../kernel/observe/log.ts";
import { noFaults } from "../kernel/store/fault.ts";
import { compactInitialRevision } from "../server/startup/initial-revision.ts";
import { progressOfCommand } from "./command-progress.ts";
import { importedJson, importSummary, listSummary, surveyTable, tokenNote } from "./imported-text.ts";
import { printable } from "../core/printable.ts";
import { printStoreErrors } from "./store-errors.ts";
import { withStoredResources } from "./stored-resources.ts";
import { indentedText, valueText } from "../core/value-text.ts";

/** Resolves with 0, with 2 if objects could not be imported, or with 1 if a store fails. Rejects for wrong flags and files. */
export function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  return printStoreErrors(() => importAll(args, plugins));
}

async function importAll(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const chosen: Chosen = { name: "import", args }, { values: all, mistakes } = commandFlagsOf(chosen), values = joinValues(all);
  const wrong = [...mistakes, ...sourceMistakes(values, true)];
  if (wrong.length > 0) throw new ConfigError(wrong);
  const configuration = await readConfiguration(settingsOf(chosen), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config, active } = configuration, begin = progressOfCommand(), isList = values.has("list");
  const mistake = isList ? undefined : targetMistake(config, values);
  if (mistake !== undefined) throw new ConfigError([mistake]);
  const opening = begin("reading the keys");
  const source = await openOtherSource(values, opening).finally(opening.end);
  try {
    const { catalog } = await withStoredResources(source, source.prefix, active);
    const chosenObjects = chooser({
      catalog,
      prefix: source.prefix,
      skip: resourcesOf("skip", values, catalog),
      include: resourcesOf("include", values, catalog),
      dropsUnknownFields: values.has("drop-unknown-fields"),
    });
    const progress = begin(isList ? "reading the objects" : "importing");
    const imported = await (isList
      ? importObjects(source, chosenObjects, undefined, progress)
      : importIntoStore({ config, catalog: active.catalog }, (store) =>
        importObjects(source, chosenObjects, {
          store,
          prefix: config["etcd-prefix"],
          encoding: catalog.storedAs,
          overwrites: values.has("overwrite"),
        }, progress))).finally(progress.end);
    print(imported, source, { isList, isJson: values.get("output") === "json" });
    return imported.problems.count === 0 ? 0 : 2;
  } finally {
    await source.close();
  }
}

/** Returns the reason why the store of the settings must not be written to; undefined if it may. */
function targetMistake(config: Config, values: SourceFlags): string | undefined {
  const endpoints = etcdServers(config);
  if (endpoints.length === 0) {
    return isInMemory(config) ? "a store in memory would be lost at the end: set --data-dir or --etcd-servers" : undefined;
  }
  const others = (values.get("from-etcd-servers") ?? "").split(",");
  const isSame = endpoints.some((each) => others.includes(each));
  return isSame && sourcePrefix(values) === config["etcd-prefix"]
    ? "the source and the store are the same keys of the same etcd: give the store another --etcd-prefix"
    : undefined;
}

async function importIntoStore(
  { config, catalog }: Pick<ActiveConfig, "config" | "catalog">,
  work: (store: Awaited<ReturnType<typeof openStore>>["store"]) => Promise<Imported>,
): Promise<Imported> {
  if (config["etcd-servers"].length === 0) await mkdir(config["data-dir"], { recursive: true, mode: 0o700 });
  const { store, parts } = await openStore(config, { faults: noFaults, catalog: () => catalog, log: silentLog });
  try {
    for (const each of parts) await compactInitialRevision(each, config["etcd-prefix"]);
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Returns the words of a flag. Throws a ConfigError for words that are no resources. */
function resourcesOf(flag: "skip" | "include", values: SourceFlags, { stored }: Catalog): ReadonlySet<string> {
  const words = (values.get(flag) ?? "").split(",").map((word) => word.trim()).filter((word) => word !== "");
  const known = flag === "include"
    ? stored.filter(({ plural }) => Object.hasOwn(leftByDefault, plural)).flatMap(wordsOf)
    : stored.flatMap(wordsOf);
  const mistakes = words.filter((word) => !known.includes(word)).map((word) => {
    const near = nearest(word, known);
    const what = flag === "include" ? "a resource that is left out by default" : "a resource of this server";
    return `--${flag}: ${valueText(word)} is not ${what}${near === undefined ? "" : `: did you mean "${near}"?`}`;
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return new Set(words);
}

function print(imported: Imported, { revision }: Source, { isList, isJson }: { readonly isList: boolean; readonly isJson: boolean }): void {
  const { problems: { texts, hidden, count }, tokens, survey } = imported;
  const say = (line: string) => process.stderr.write(`thole: ${printable(line)}\n`);
  for (const text of texts) say(text);
  if (hidden > 0) say(`${hidden} more of ${count} problems`);
  if (tokens > 0) say(tokenNote(tokens));
  if (isJson) console.log(indentedText(importedJson(imported, revision, isList)));
  else if (isList) console.log(`${surveyTable(survey.rows())}\n${listSummary(imported)}`);
  else console.log(importSummary(imported));
}
