/** Group versions, versions in their order, and the verbs of the API. */

/**
 * `v1` for the core group, else `group/version`. Groups of the platform contain `{domain}` (`storage.{domain}/v1`), others are literal
 * (`example.com/v1`).
 */
export type GroupVersion = string;

/** Verbs of resources, in alphabetical order as discovery shows them. */
export const verbs: readonly Verb[] = Object.freeze(["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]);
/** A verb of the API on stored objects. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** Splits `storage.k8s.io/v1` at its last slash. The group of `v1` is "". */
export function splitGroupVersion(groupVersion: string): { group: string; version: string } {
  const slash = groupVersion.lastIndexOf("/");
  return slash < 0 ? { group: "", version: groupVersion } : { group: groupVersion.slice(0, slash), version: groupVersion.slice(slash + 1) };
}

/** `v1`, `v2beta3`: major, stage and its number. */
const versionPattern = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;

/** Whether a version has the format of Kubernetes versions: `v1`, `v2beta3`. */
export function isVersion(version: string): boolean {
  return versionPattern.test(version);
}

/** The stage of a version, by its name. */
export type Stage = "Alpha" | "Beta" | "GA";
export function stageOfVersion(version: string): Stage {
  return version.includes("alpha") ? "Alpha" : version.includes("beta") ? "Beta" : "GA";
}
/** The order of stages: a more stable one is greater. */
export const stageRank: Readonly<Record<Stage, number>> = Object.freeze({ Alpha: 0, Beta: 1, GA: 2 });

/** Orders versions as Kubernetes does: GA before beta before alpha, higher numbers first, others last by name. Negative when `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const x = versionRank(a), y = versionRank(b);
  return y[0]! - x[0]! || y[1]! - x[1]! || y[2]! - x[2]! || (a < b ? -1 : a > b ? 1 : 0);
}
function versionRank(version: string): readonly number[] {
  const match = versionPattern.exec(version);
  if (match === null) return [0, 0, 0];
  const stage = match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}
