/** The order of API groups in discovery. */
import { type Names, spell } from "../names.ts";
import type { Plugin } from "../plugin.ts";

/** The priorities of groups for which no plugin has one. */
const ofCore = 18_000, ofOthers = 1_000;

/** Returns the priority of each group: a group with a higher number comes first. */
export function groupPriorities(plugins: readonly Pick<Plugin, "groupPriorities">[], names: Names): (group: string) => number {
  const known = new Map(
    plugins.flatMap(({ groupPriorities = {} }) =>
      Object.entries(groupPriorities).map(([group, priority]) => [spell(names, group), priority] as const)
    ),
  );
  return (group) => known.get(group) ?? (group === "" ? ofCore : ofOthers);
}
