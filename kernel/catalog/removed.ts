/** Messages for settings that name removed features of kube-apiserver: the release, and the replacement. */
import { type Names, spell } from "../../core/names.ts";
import type { Release } from "../../core/plugin.ts";
import { once } from "../../core/async.ts";
import { removedGates, removedResources } from "./removed-facts.ts";

const gates = once(() => {
  const rows = removedGates.flatMap(([release, fate, names]) => names.split(" ").map((name) => [name, { release, fate }] as const));
  return new Map(rows);
});

/** The message for an unknown feature gate that a release removed; undefined for others. */
export function removedGate(name: string): string | undefined {
  const row = gates().get(name);
  if (row === undefined) return undefined;
  const now = row.fate === "on" ? "its feature is always enabled" : "it has no effect any more";
  return `feature gate "${name}" was removed in ${row.release}: ${now}; remove it from the setting`;
}

interface Removal {
  readonly release: Release;
  readonly use: readonly string[];
}

/** Removals by `group/version` and `group/version/resource`, with `{domain}`. */
const versions = once(() => {
  const found = new Map<string, Removal>();
  // The newest release is first: a group version is removed with its last resource.
  for (const [release, groupVersion, resources, use] of removedResources) {
    const known = found.get(groupVersion);
    const uses = known?.use ?? [];
    found.set(groupVersion, { release: known?.release ?? release, use: uses.includes(use) ? uses : [...uses, use] });
    for (const resource of resources.split(" ")) found.set(`${groupVersion}/${resource}`, { release, use: [use] });
  }
  return found;
});

/** The message for an unknown key of --runtime-config whose group version or resource a release removed; undefined for others. */
export function removedVersion(key: string, names: Names): string | undefined {
  for (const [written, { release, use }] of versions()) {
    if (spell(names, written) === key) return removalText(key, release, use.map((each) => spell(names, each)));
  }
  return undefined;
}

export function removalText(key: string, release: Release, use: readonly string[]): string {
  const instead = use.length === 0 ? "remove it from the setting" : `use ${use.join(" or ")}`;
  return `"${key}" in --runtime-config was removed in ${release}: ${instead}`;
}
