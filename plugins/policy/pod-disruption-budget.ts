import { ageColumn, type Column, defineResource, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { type Names, pathSegmentName, spell, validateLabelSelector } from "../../toolbox.ts";
import { validateBudgetSpec, validateBudgetStatus } from "./rules.ts";
import { PodDisruptionBudget, type PodDisruptionBudgetSpec, type PodDisruptionBudgetStatus } from "./schema.ts";

const groupVersion = "policy/v1";

const amountText = (amount: number | string | undefined): string => amount === undefined ? "N/A" : `${amount}`;

const columns: readonly Column<PodDisruptionBudget>[] = [
  nameColumn,
  {
    name: "Min Available",
    type: "string",
    description: "How many pods must stay available.",
    cell: ({ spec }) => amountText(spec.minAvailable),
  },
  {
    name: "Max Unavailable",
    type: "string",
    description: "How many pods may be unavailable.",
    cell: ({ spec }) => amountText(spec.maxUnavailable),
  },
  {
    name: "Allowed Disruptions",
    type: "integer",
    description: "How many pods may be evicted now.",
    cell: ({ status }) => status.disruptionsAllowed,
  },
  ageColumn,
];

const noStatus: PodDisruptionBudgetStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

/**
 * Drops requirements about a label by which v1beta1 told apart empty selectors. Kept are selectors that consist of one such requirement with
 * `Exists`, because they select nothing.
 */
export function withoutReservedLabel(spec: PodDisruptionBudgetSpec, names: Names): PodDisruptionBudgetSpec {
  const { selector } = spec;
  if (selector?.matchExpressions === undefined) return spec;
  const reserved = spell(names, "pdb.{platform}.io/deprecated-v1beta1-empty-selector-match");
  const kept = selector.matchExpressions.filter(({ key }) => key !== reserved);
  const [first] = selector.matchExpressions;
  const isNone = selector.matchExpressions.length === 1 && first?.operator === "Exists" && (first.values ?? []).length === 0 &&
    Object.keys(selector.matchLabels ?? {}).length === 0;
  if (kept.length === selector.matchExpressions.length || isNone) return spec;
  const { matchExpressions: _, ...rest } = selector;
  return { ...spec, selector: kept.length === 0 ? rest : { ...rest, matchExpressions: kept } };
}

const status: Subresource<PodDisruptionBudget> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  update: (next) => validateBudgetStatus(next.status),
  leaves: ["spec"],
};

export const podDisruptionBudgets: Resource<PodDisruptionBudget> = defineResource({
  kind: "PodDisruptionBudget",
  scope: "Namespaced",
  shortNames: ["pdb"],
  summary: "A limit of how many pods may be evicted at the same time.",
  storedAs: groupVersion,
  storedUnder: "poddisruptionbudgets",
  served: { [groupVersion]: { schema: PodDisruptionBudget, introduced: "1.21", columns, subresources: { status } } },
  strategy: { generation: true, unconditionalUpdate: false, nameRule: pathSegmentName },
  prepare: (next, prior, { names }) => ({ ...next, spec: withoutReservedLabel(next.spec, names), status: prior?.status ?? noStatus }),
  create: ({ spec }) => validateBudgetSpec(spec),
  update: ({ spec }, { spec: { selector } }) =>
    validateBudgetSpec(spec, selector !== undefined && validateLabelSelector(selector, "").length > 0),
});
