/** Distinguishes groups and versions that plugins declare from those that have only custom resources. */
import type { Resource } from "../plugin.ts";

interface Version {
  readonly endpoints: readonly { readonly resource: Resource }[];
}

/** Whether a group has resources of plugins. */
export function hasDeclared({ versions }: { readonly versions: readonly Version[] }): boolean {
  return versions.some(isDeclared);
}

/** Whether a version has resources of plugins. */
export function isDeclared({ endpoints }: Version): boolean {
  return endpoints.some(({ resource }) => resource.custom !== true);
}
