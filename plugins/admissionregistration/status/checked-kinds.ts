/** Finds the kinds against which the expressions of a policy are checked, as upstream's type checker does. */
import type { MatchRule, ServedResource, ServedTypes } from "../../../toolbox.ts";
import type { ValidatingAdmissionPolicy } from "../schema.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of kinds that one rule of a policy adds to those against which its expressions are checked. The number is upstream's. */
export const policyCheckedKindsMax = bound(10);

/** Returns the kinds that the rules of a policy name, by group, version and kind. Rules with `*` and rules for subresources name none. */
export function checkedKinds({ spec }: ValidatingAdmissionPolicy, types: ServedTypes): readonly ServedResource[] {
  const kinds = new Map<string, ServedResource>();
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    let count = 0;
    for (const each of namedKinds(rule, types)) {
      kinds.set(`${each.group}/${each.version}/${each.kind}`, each);
      // As in upstream, a rule that reaches the bound ends the search.
      if (++count === policyCheckedKindsMax) return inOrder(kinds);
    }
  }
  return inOrder(kinds);
}

function* namedKinds({ apiGroups = [], apiVersions = [], resources = [] }: MatchRule, types: ServedTypes): Iterable<ServedResource> {
  if ([...apiGroups, ...apiVersions].some((each) => each.includes("*"))) return;
  const names = resources.filter((each) => !each.includes("*") && !each.includes("/")).toSorted();
  for (const group of apiGroups.toSorted()) {
    for (const version of apiVersions.toSorted()) {
      // As in upstream's mapper of kinds, the core group stands for all groups with this version.
      const served = types.resources(version, group === "" ? undefined : group);
      for (const name of names) {
        const word = name.toLowerCase();
        yield* served.filter(({ plural, singular }) => plural === word || singular === word);
      }
    }
  }
}

function inOrder(kinds: ReadonlyMap<string, ServedResource>): readonly ServedResource[] {
  return [...kinds.values()].sort((a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind));
}
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
