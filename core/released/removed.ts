/** Messages for settings that name removed features of kube-apiserver: the release, and the replacement. */
import { once } from "../async.ts";
import { pluralOf } from "../define/plural.ts";
import type { Names } from "../names.ts";
import type { Release } from "../releases.ts";
import { RemovedKinds } from "../removed-apis.ts";
import { removedGates } from "./removed-facts.ts";

const gates = once(() => {
  const rows = removedGates.flatMap(([release, fate, names]) => names.split(" ").map((name) => [name, { release, fate }] as const));
  return new Map(rows);
});

/** Returns the message for an unknown feature gate that a release removed; undefined for others. */
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

/** Removals by `group/version` and `group/version/resource`. */
function removalsOf(names: Names): ReadonlyMap<string, Removal> {
  const kinds = new RemovedKinds(names), found = new Map<string, Removal>();
  // The newest release is first: a group version is removed with its last resource.
  for (const { kind, groupVersion, removed } of kinds.all()) {
    const known = found.get(groupVersion), use = kinds.replacementOf(groupVersion, kind);
    found.set(groupVersion, { release: known?.release ?? removed, use: [...new Set([...known?.use ?? [], use])] });
    found.set(`${groupVersion}/${pluralOf(kind)}`, { release: removed, use: [use] });
  }
  return found;
}

/** Returns the message for an unknown key of --runtime-config whose group version or resource a release removed; undefined for others. */
export function removedVersion(key: string, names: Names): string | undefined {
  const removal = removalsOf(names).get(key);
  return removal && removalText(key, removal.release, removal.use);
}

export function removalText(key: string, release: Release, use: readonly string[]): string {
  const instead = use.length === 0 ? "remove it from the setting" : `use ${use.join(" or ")}`;
  return `"${key}" in --runtime-config was removed in ${release}: ${instead}`;
}
