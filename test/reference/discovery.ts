/** The expected discovery of a group version, from the reference's facts. */
import { type Fields, isFields, type Value } from "./facts.ts";

interface Part {
  readonly name: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** The group and version of the kind, if they are not those of the path. */
  readonly group?: string;
  readonly version?: string;
}
export interface ResourceFacts extends Part {
  readonly singularName: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Part[];
  readonly fieldSelectors?: readonly string[];
}
export interface GroupVersionFacts {
  readonly group: string;
  readonly version: string;
  readonly path: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: readonly ResourceFacts[];
}

/** Group and version in the form of `apiVersion`. */
export function apiVersionOf({ group, version }: GroupVersionFacts): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The entries of `/api/v1` and `/apis/GROUP/VERSION`. The reference has no `storageVersionHash`. */
export function listEntries(resources: readonly ResourceFacts[]): readonly Fields[] {
  return resources.flatMap(({ subresources = [], fieldSelectors: _, ...own }): Fields[] => [
    { ...own },
    ...subresources.map((part) => ({ ...part, name: `${own.name}/${part.name}`, singularName: "" })),
  ]).toSorted((a, b) => String(a["name"]) < String(b["name"]) ? -1 : 1);
}

/** The entries of aggregated discovery. */
export function aggregatedEntries(resources: readonly ResourceFacts[]): readonly Fields[] {
  const responseKind = ({ kind, group = "", version = "" }: Part) => ({ group, version, kind });
  return resources.map((resource) => {
    const { name, singularName, namespaced, verbs, shortNames, categories, subresources = [] } = resource;
    const parts = subresources.map((part) => ({ subresource: part.name, responseKind: responseKind(part), verbs: part.verbs }));
    return {
      resource: name,
      responseKind: responseKind(resource),
      scope: namespaced ? "Namespaced" : "Cluster",
      singularResource: singularName,
      verbs,
      ...(shortNames === undefined ? {} : { shortNames }),
      ...(categories === undefined ? {} : { categories }),
      ...(parts.length === 0 ? {} : { subresources: parts }),
    };
  });
}

/** Entries by one of their members, so that a difference names its entry. Their order is compared separately. */
export function keyed(member: string, entries: readonly Value[]): Fields {
  return Object.fromEntries(entries.filter(isFields).map((entry) => [String(entry[member]), entry]));
}

/** Entries of `aggregatedEntries` by name, with each subresource as an entry of its own. */
export function flattened(entries: readonly Fields[]): Fields {
  return Object.fromEntries(entries.flatMap(({ subresources = [], ...own }): [string, Value][] => [
    [String(own["resource"]), own],
    ...(Array.isArray(subresources) ? subresources.filter(isFields) : []).map((part): [string, Value] => [
      `${own["resource"]}/${part["subresource"]}`,
      part,
    ]),
  ]));
}
