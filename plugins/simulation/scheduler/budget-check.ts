/** Which pods cannot leave without a violation of a PodDisruptionBudget. */
import { selectsLabels } from "../../../toolbox.ts";
import type { Pod, World } from "../world/world.ts";

/** A PodDisruptionBudget. */
export type Budget = NonNullable<ReturnType<World["podDisruptionBudgets"]["at"]>>;

/** Returns the pods that a budget would not let go if all of them left, in the given order. A pod whose eviction was allowed already counts no more. */
export function violating(pods: readonly Pod[], budgets: readonly Budget[]): ReadonlySet<Pod> {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0])), found = new Set<Pod>();
  const byNamespace = Map.groupBy(budgets, ({ metadata }) => metadata.namespace);
  for (const pod of pods) {
    const { labels = {}, namespace, name = "" } = pod.metadata;
    if (Object.keys(labels).length === 0) continue;
    for (const budget of byNamespace.get(namespace) ?? []) {
      const { selector } = budget.spec;
      if (selector === undefined || selector === null || isEmpty(selector) || !selectsLabels(selector, labels)) continue;
      if (budget.status?.disruptedPods?.[name] !== undefined) continue;
      left.set(budget, left.get(budget)! - 1);
      if (left.get(budget)! < 0) found.add(pod);
    }
  }
  return found;
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: NonNullable<Budget["spec"]["selector"]>): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}
