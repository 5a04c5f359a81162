/** `thole history`: what each write changed in one object, as far as the store still has it. */
import process from "node:process";
import type { Plugin } from "../core/plugin.ts";
import { printable, printableJson } from "../core/printable.ts";
import { indentedText, valueText } from "../core/value-text.ts";
import { placeOf } from "../kernel/conversion/converted-kinds.ts";
import { commandFlagsOf, joinValues, operandsOf, settingsOf } from "../server/config/command-flags.ts";
import type { Chosen } from "../server/config/commands.ts";
import { loadModule } from "../server/config/load-module.ts";
import { ConfigError } from "../server/config/parse.ts";
import { etcdPlaces } from "../server/config/server-overrides.ts";
import { readConfiguration } from "../server/startup/read-configuration.ts";
import { routesOf } from "../server/startup/routed-store.ts";
import { progressOfCommand } from "./command-progress.ts";
import { collected, historyJson, historyLines, type HistoryOf, objectText } from "./history/history-text.ts";
import { fullName, kindsNamed } from "./history/named-kind.ts";
import { type ShownVersion, shownVersions } from "./history/shown-versions.ts";
import { versionsOf } from "./history/stored-versions.ts";
import { openOwnStores, sourceOfStores } from "./source/open-source.ts";
import { printStoreErrors } from "./store-errors.ts";
import { withStoredResources } from "./stored-resources.ts";

/** Resolves with 0, with 2 if there is no such version, or with 1 if the store fails. Rejects for wrong words, flags and files. */
export function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  return printStoreErrors(() => history(args, plugins));
}

interface Wanted {
  readonly resource: string;
  readonly name: string;
  readonly namespace: string;
  readonly revision: number | undefined;
  readonly isJson: boolean;
}

async function history(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const chosen: Chosen = { name: "history", args }, wanted = wantedOf(chosen);
  const configuration = await readConfiguration(settingsOf(chosen), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config, active } = configuration, begin = progressOfCommand();
  const stores = await openOwnStores(config, active.catalog), source = await sourceOfStores(config, stores, active.catalog);
  const progress = begin("reading the history");
  try {
    const { prefix } = source, { catalog } = await withStoredResources(source, prefix, active);
    const kinds = kindsNamed(catalog, wanted.resource), [kind] = kinds, namespace = kind.namespaced ? wanted.namespace : "";
    const key = [prefix, placeOf(kind), ...(kind.namespaced ? [namespace] : []), wanted.name].join("/");
    const route = routesOf(etcdPlaces(config), prefix, catalog).find((each) => key.startsWith(each.prefix));
    const { versions, oldest, newest } = await versionsOf(stores.parts[route?.store ?? 0] ?? stores.parts[0], prefix, key);
    const what = { resource: fullName(kind), namespace, name: wanted.name, oldest, newest };
    const shown = shownVersions(versions, { kinds, key, ...stores.options });
    return await (wanted.revision === undefined ? printVersions(what, shown, wanted.isJson) : printObject(what, shown, wanted.revision));
  } finally {
    progress.end();
    await source.close();
  }
}

function wantedOf(chosen: Chosen): Wanted {
  const { values: all, mistakes } = commandFlagsOf(chosen),
    values = joinValues(all),
    [resource = "", name = "", ...more] = operandsOf(chosen);
  const namespace = values.get("namespace") ?? "default",
    given = values.get("revision"),
    revision = given === undefined ? undefined : Number(given);
  const wrong = [...mistakes];
  if (resource === "" || name === "") wrong.push("a resource and a name are needed: thole history pods web");
  for (const each of more.slice(0, 1)) wrong.push(`unexpected argument ${valueText(each.slice(0, 100))}`);
  for (const [what, text] of [["name", name], ["namespace", namespace]] as const) {
    // A part of a key: another one would be read.
    if (text.includes("/") || text.includes("\0")) wrong.push(`${valueText(text.slice(0, 100))} is no ${what} of an object`);
  }
  if (revision !== undefined && !(Number.isSafeInteger(revision) && revision > 0)) {
    wrong.push(`flag "--revision": ${valueText(given)} is no revision`);
  }
  if (wrong.length > 0) throw new ConfigError(wrong);
  return { resource, name, namespace, revision, isJson: values.get("output") === "json" };
}

async function printVersions(what: HistoryOf, shown: AsyncIterable<ShownVersion>, isJson: boolean): Promise<number> {
  const all = await collected(shown), isNone = all.versions.length === 0;
  if (isJson) console.log(printableJson(indentedText(historyJson(what, all))));
  else if (!isNone) console.log(historyLines(what, all).join("\n"));
  if (isNone) complain(`the store has no version of ${objectText(what)} in its revisions ${what.oldest} to ${what.newest}`);
  return isNone ? 2 : 0;
}

async function printObject(what: HistoryOf, shown: AsyncIterable<ShownVersion>, revision: number): Promise<number> {
  const { oldest, newest } = what;
  if (revision < oldest || revision > newest) {
    complain(`the store does not have the revision ${revision}: it has ${oldest} to ${newest}`);
    return 2;
  }
  let found: ShownVersion | undefined;
  for await (const version of shown) {
    if (version.revision > revision) break;
    found = version;
  }
  if (found?.object === undefined) {
    complain(found?.problem === undefined ? `${objectText(what)} did not exist at revision ${revision}` : printable(found.problem));
    return 2;
  }
  console.log(printableJson(indentedText(found.object)));
  return 0;
}

function complain(text: string): void {
  process.stderr.write(`thole: ${text}\n`);
}
