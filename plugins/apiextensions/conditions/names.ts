/** Accepts the names of definitions. A name belongs to the first definition of its group that uses it. */
import { goQuote, sameValue } from "../../../toolbox.ts";
import type { CustomResourceDefinition, DefinitionStatus, Names } from "../schema.ts";
import { joinErrors } from "../aggregated.ts";
import { type ConditionNews, conditionOf, isEquivalent, withCondition } from "../condition.ts";

/** The names that other definitions of the group use. */
export interface UsedNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds and list kinds. */
  readonly kinds: ReadonlySet<string>;
}

/** Returns the accepted names of all definitions of a group, including those of the definition itself. */
export function usedNames(definitions: Iterable<CustomResourceDefinition>, group: string): UsedNames {
  const resources = new Set<string>(), kinds = new Set<string>();
  for (const { spec, status } of definitions) {
    if (spec.group !== group) continue;
    const { plural = "", singular = "", kind = "", listKind = "", shortNames = [] } = status.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * Returns the status of a definition after its names have been checked; undefined if nothing changes. It has the accepted names, the
 * condition NamesAccepted and, until the definition is established, the condition Established.
 */
export function statusWithNames(definition: CustomResourceDefinition, used: UsedNames, now: string): DefinitionStatus | undefined {
  const { spec, status } = definition;
  const before = status.acceptedNames ?? noNames;
  if (sameValue(canonical(spec.names), canonical(before))) return undefined;
  const { names, condition } = acceptNames(spec.names, before, used);
  if (sameValue(canonical(names), canonical(before)) && isEquivalent(condition, conditionOf(status.conditions, "NamesAccepted"))) {
    return undefined;
  }
  const conditions = withCondition(status.conditions ?? [], condition, now);
  const established = establishedBy(definition, condition.status === "True");
  return {
    ...status,
    acceptedNames: names,
    conditions: established === undefined ? conditions : withCondition(conditions, established, now),
  };
}

const noNames: Names = { plural: "", kind: "" };
/** Returns names without their empty members, because an empty name is the same as an absent one. */
function canonical(names: Names): object {
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value !== "" && (value as readonly string[]).length > 0));
}

/** Accepts each name that no other definition uses. The last conflict becomes the reason of the condition. */
function acceptNames(wanted: Names, before: Names, used: UsedNames): { readonly names: Names; readonly condition: ConditionNews } {
  const names: Record<string, unknown> = { ...before };
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const take = (key: "plural" | "singular" | "kind" | "listKind", reason: string, taken: ReadonlySet<string>) => {
    const name = wanted[key] ?? "";
    if (name === (before[key] ?? "") || !taken.has(name)) names[key] = name;
    else conflict = { reason, message: inUse(name) };
  };
  take("plural", "PluralConflict", used.resources);
  take("singular", "SingularConflict", used.resources);
  const own = new Set(before.shortNames), taken = (wanted.shortNames ?? []).filter((name) => !own.has(name) && used.resources.has(name));
  if (taken.length > 0) conflict = { reason: "ShortNamesConflict", message: joinErrors(taken.map(inUse)) };
  else names.shortNames = wanted.shortNames ?? [];
  take("kind", "KindConflict", used.kinds);
  take("listKind", "ListKindConflict", used.kinds);
  names.categories = wanted.categories ?? [];
  return {
    names: canonicalNames(names),
    condition: { type: "NamesAccepted", ...(conflict === undefined ? noConflict : { status: "False", ...conflict }) },
  };
}
const noConflict = { status: "True", reason: "NoConflicts", message: "no conflicts found" };

function inUse(name: string): string {
  return `${goQuote(name)} is already in use`;
}

function canonicalNames(names: Record<string, unknown>): Names {
  const { plural, kind } = names as { readonly plural: string; readonly kind: string }; // all members are members of Names
  return { ...canonical(names as unknown as Names), plural, kind } as Names;
}

/** Returns the condition Established of a definition that is not established; undefined leaves it as it is. */
function establishedBy({ status }: CustomResourceDefinition, accepted: boolean): ConditionNews | undefined {
  const before = conditionOf(status.conditions, "Established");
  if (before?.status === "True") return undefined;
  if (accepted) return { type: "Established", status: "False", reason: "Installing", message: "the initial names have been accepted" };
  return before === undefined
    ? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
    : undefined;
}
