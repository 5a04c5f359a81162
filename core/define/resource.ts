import { append } from "../append.ts";
import { dns1035Label, dns1123Subdomain } from "../meta/names.ts";
import { defaultNames, spell } from "../names.ts";
import { type GroupVersion, isVersion, verbs } from "../versions.ts";
import type { Resource, Served, Strategy } from "../plugin.ts";
import { verbsOfConnect } from "../connect.ts";
import type { Subresource, SubresourceKind } from "../subresource.ts";
import type { Column } from "../meta/columns.ts";
import { compareReleases, isRelease } from "../releases.ts";
import { lifecycleMistakes } from "./lifecycle.ts";
import { pluralOf } from "./plural.ts";
import { schemaMistakes } from "./schema.ts";

const kindPattern = /^[A-Z][A-Za-z0-9]*$/;
const subresourceVerbs = ["create", "get", "update", "patch"];
const columnTypes = ["string", "integer", "number", "boolean", "date"];

/** Returns all mistakes of a resource. Each begins with the kind. */
export function resourceMistakes(resource: Resource, gates: ReadonlySet<string> | undefined): readonly string[] {
  const versions = Object.entries(resource.served);
  const schemas = new Set(versions.map(([, served]) => served.schema));
  const mistakes = [
    ...nameMistakes(resource),
    ...(resource.summary.trim() === "" ? ["the summary is empty"] : []),
    ...(versions.length === 0 ? ["no version is served"] : []),
    ...(Object.hasOwn(resource.served, resource.storedAs) ? [] : [`the stored version "${resource.storedAs}" is not one of those served`]),
    ...placeMistakes(resource),
    ...strategyMistakes(resource.strategy ?? {}),
    ...versions.flatMap(([groupVersion, served]) => servedMistakes(groupVersion, served, gates).map((each) => `${groupVersion}: ${each}`)),
    // The definitions of custom resources are written by clients, so their versions have no life to check.
    ...(resource.custom === true ? [] : lifecycleMistakes(resource)),
    ...[...schemas].flatMap((schema) => schemaMistakes(schema, gates)),
  ];
  return [...new Set(mistakes)].map((each) => `${resource.kind}: ${each}`);
}

function nameMistakes(resource: Resource): readonly string[] {
  const mistakes: string[] = [];
  const { kind, listKind = `${kind}List`, plural = pluralOf(kind), singular = kind.toLowerCase(), shortNames = [], categories = [] } =
    resource;
  for (const each of [kind, listKind]) if (!kindPattern.test(each)) mistakes.push(`"${each}" is not in upper camel case`);
  for (const each of [plural, singular, ...shortNames, ...categories]) {
    if (dns1035Label(each).length > 0) mistakes.push(`"${each}" is not a name of lower-case letters, digits and dashes`);
  }
  // The singular of a kind that is a plural itself, such as Endpoints, is the same word.
  for (const each of repetitionsIn([...new Set([plural, singular]), ...shortNames])) {
    mistakes.push(`"${each}" is used for two of its names`);
  }
  return mistakes;
}

/** A kind has exactly one of `storedUnder`, `handleCreate` and `compute`. */
function placeMistakes({ storedUnder, handleCreate, compute, scope }: Resource): readonly string[] {
  const places = Object.entries({ storedUnder, "handleCreate()": handleCreate, "compute()": compute }).filter(([, value]) =>
    value !== undefined
  );
  if (places.length === 0) return ["it has neither storedUnder nor handleCreate() nor compute()"];
  if (places.length > 1) return [`it has both ${places.map(([name]) => name).join(" and ")}`];
  if (compute !== undefined && scope === "Namespaced") return ["it is computed, but not of cluster scope"];
  return storedUnder === undefined || isKeyPath(storedUnder) ? [] : [`"${storedUnder}" is not a valid key path`];
}

function isKeyPath(under: string): boolean {
  return under.split("/").every((segment) => dns1123Subdomain(spell(defaultNames, segment)).length === 0);
}

function strategyMistakes(strategy: Strategy): readonly string[] {
  const mistakes: string[] = [];
  for (const verb of strategy.without ?? []) if (!verbs.includes(verb)) mistakes.push(`unknown verb "${verb}" in "without"`);
  if (strategy.ttlSeconds !== undefined && !(Number.isInteger(strategy.ttlSeconds) && strategy.ttlSeconds > 0)) {
    mistakes.push(`objects cannot live for ${strategy.ttlSeconds} seconds`);
  }
  return mistakes;
}

function servedMistakes(groupVersion: GroupVersion, served: Served, gates: ReadonlySet<string> | undefined): readonly string[] {
  const mistakes = [...groupVersionMistakes(groupVersion), ...lifeMistakes(served), ...columnMistakes(served.columns)];
  for (const gate of [served.keptBy, served.gate]) {
    if (gate !== undefined && gates?.has(gate) === false) mistakes.push(`the plugin has no feature gate "${gate}"`);
  }
  const { schema } = served;
  if (!schema.typeMeta || Object.keys(schema.fields)[0] !== "metadata") mistakes.push(`${schema.name} is not made by object(...)`);
  for (const path of Object.keys(served.selectableFields ?? {})) {
    if (path === "metadata.name" || path === "metadata.namespace") mistakes.push(`"${path}" is selectable in every kind`);
    else if (!/^[A-Za-z][A-Za-z0-9.]*$/.test(path)) mistakes.push(`"${path}" is not the path of a selectable field`);
  }
  for (const [name, subresource] of Object.entries(served.subresources ?? {})) append(mistakes, subresourceMistakes(name, subresource));
  return mistakes;
}

/** Returns the mistakes of a group version, with or without `{domain}`. */
export function groupVersionMistakes(groupVersion: GroupVersion): readonly string[] {
  const parts = groupVersion.split("/");
  const version = parts.at(-1)!;
  const group = parts.length === 2 ? spell(defaultNames, parts[0]!) : "core";
  const right = parts.length <= 2 && dns1123Subdomain(group).length === 0 && isVersion(version);
  return right ? [] : [`"${groupVersion}" is not "v1" or "group/v1"`];
}

function lifeMistakes({ introduced, deprecated, removed }: Served): readonly string[] {
  const mistakes: string[] = [];
  const releases = Object.entries({ introduced, deprecated, removed }).flatMap(([word, release]) =>
    release === undefined ? [] : [{ word, release }]
  );
  for (const { word, release } of releases) {
    if (!isRelease(release)) mistakes.push(`${word} in "${release}", which is not a release such as "1.18"`);
  }
  for (const [i, { word, release }] of releases.entries()) {
    const before = releases[i - 1];
    if (before !== undefined && compareReleases(release, before.release) < 0) {
      mistakes.push(`${word} in ${release}, before it is ${before.word} in ${before.release}`);
    }
  }
  return mistakes;
}

function columnMistakes(columns: readonly Column[] | undefined): readonly string[] {
  if (columns === undefined) return [];
  const mistakes: string[] = [];
  if (!columns.some((column) => column.name === "Name")) mistakes.push("the columns have no Name");
  for (const name of repetitionsIn(columns.map((column) => column.name))) mistakes.push(`two columns are named "${name}"`);
  for (const { name, type, priority = 0 } of columns) {
    if (!columnTypes.includes(type)) mistakes.push(`column "${name}" has the unknown type "${type}"`);
    if (!Number.isInteger(priority) || priority < 0) mistakes.push(`column "${name}" has the priority ${priority}`);
  }
  return mistakes;
}

function subresourceMistakes(name: string, subresource: Subresource): readonly string[] {
  const mistakes: string[] = [];
  const add = (text: string) => mistakes.push(`subresource "${name}" ${text}`);
  if (dns1035Label(name).length > 0) add("is not a name of lower-case letters, digits and dashes");
  const { write, view, create, connect } = subresource;
  if (connect !== undefined) return connectMistakes(name, subresource, mistakes);
  const own = verbsOfSubresource(subresource);
  if (own.length === 0) add("has no verbs");
  for (const verb of own) if (!subresourceVerbs.includes(verb)) add(`cannot have the verb "${verb}"`);
  for (const verb of repetitionsIn(own)) add(`has the verb "${verb}" twice`);
  if (write !== undefined && view !== undefined) add("has both write and view");
  if (write === undefined && view === undefined && own.some((verb) => verb !== "create")) add("has neither write nor view");
  if (own.includes("create") && create === undefined) add('has the verb "create" without create()');
  if (!own.includes("create") && create !== undefined) add('has create() without the verb "create"');
  if (create !== undefined && create.write === undefined && create.respond === undefined && create.perform === undefined) {
    mistakes.push(`subresource "${name}": create() has neither write nor respond nor perform`);
  }
  if (create?.perform !== undefined && (create.write ?? create.respond ?? create.validate) !== undefined) {
    mistakes.push(`subresource "${name}": create() has perform beside write, respond or validate`);
  }
  if (create !== undefined && (create.response === undefined) !== ((create.respond ?? create.perform) === undefined)) {
    mistakes.push(`subresource "${name}": create() has only one of response and respond`);
  }
  for (const kind of [view, create?.request, create?.response]) if (kind !== undefined) append(mistakes, kindMistakes(name, kind));
  return mistakes;
}

/** Returns a subresource that connects has no other members. Its options are a struct with kind and apiVersion. */
function connectMistakes(name: string, { connect, ...others }: Subresource, mistakes: readonly string[]): readonly string[] {
  const { options, methods } = connect!; // the caller has checked it
  const add = (text: string) => `subresource "${name}" ${text}`;
  return [
    ...mistakes,
    ...(Object.values(others).some((each) => each !== undefined) ? [add("has connect beside other members")] : []),
    ...(methods.length === 0 ? [add("has no methods")] : []),
    ...repetitionsIn(methods).map((method) => add(`has the method "${method}" twice`)),
    ...groupVersionMistakes(options.groupVersion),
    ...(options.schema.typeMeta ? [] : [add("has options without kind and apiVersion")]),
  ];
}

function kindMistakes(name: string, { groupVersion, alsoIn = [], schema, columns }: SubresourceKind): readonly string[] {
  const mistakes = [...[groupVersion, ...alsoIn].flatMap(groupVersionMistakes), ...columnMistakes(columns)];
  if (!schema.typeMeta || Object.keys(schema.fields)[0] !== "metadata") mistakes.push(`${schema.name} is not made by object(...)`);
  return mistakes.map((each) => `subresource "${name}": ${each}`);
}

/** Returns the verbs of a subresource, including its default verbs. */
export function verbsOfSubresource({ verbs, write, view, create, connect }: Subresource): readonly string[] {
  if (connect !== undefined) return verbsOfConnect(connect);
  return verbs ?? [
    ...(create === undefined ? [] : ["create"]),
    ...(write === undefined && view === undefined ? [] : ["get", "patch", "update"]),
  ];
}

/** Returns the values that occur more than once, each of them once. */
export function repetitionsIn(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];
}
