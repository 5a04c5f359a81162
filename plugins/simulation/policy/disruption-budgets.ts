/** The status of PodDisruptionBudgets: how many pods may be evicted now (upstream: pkg/controller/disruption). */
import { objectKey } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import { controllerOf } from "../world/store.ts";
import { timestampOf } from "../world/time.ts";
import type { Pod, World } from "../world/world.ts";
import { followAll } from "../workloads/owner-keys.ts";
import { isActive, isReady } from "../workloads/pod-state.ts";

type Budget = NonNullable<ReturnType<World["podDisruptionBudgets"]["at"]>>;

/** Milliseconds after which an eviction that has not led to a deletion is forgotten. */
const evictionMs = bound(120_000);

/** Counts the pods of budgets. */
export const disruptionBudgetReconciler: Reconciler = {
  name: "disruption",
  follow(world, add) {
    followAll(world.podDisruptionBudgets, add);
    world.pods.listen((next, before) => {
      const { namespace = "" } = (next ?? before)!.metadata;
      for (const budget of world.podDisruptionBudgets.in(namespace)) {
        if ([next, before].some((pod) => pod !== undefined && isCovered(budget, pod))) add(objectKey(budget));
      }
    });
  },
  async reconcile(world, key) {
    const budget = world.podDisruptionBudgets.at(key);
    if (budget === undefined) return;
    const pods = [...world.pods.in(budget.metadata.namespace ?? "")].filter((pod) => isCovered(budget, pod) && isActive(pod));
    const [expected, desired] = wantedOf(world, budget, pods), now = world.clock.now();
    const disrupted = Object.entries(budget.status.disruptedPods ?? {}).filter(([name, time]) => {
      const pod = world.pods.get(budget.metadata.namespace ?? "", name);
      return pod !== undefined && pod.metadata.deletionTimestamp === undefined && Date.parse(time ?? "") + evictionMs > now;
    });
    const evicted = new Set(disrupted.map(([name]) => name));
    const healthy = pods.filter((pod) => isReady(pod) && !evicted.has(pod.metadata.name ?? "")).length;
    const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
    const { conditions = [], disruptedPods: _disrupted, ...rest } = budget.status;
    const status = {
      ...rest,
      observedGeneration: budget.metadata.generation,
      ...(disrupted.length === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions: withCondition(conditions, allowed > 0, budget, now),
    } as unknown as Budget["status"];
    if (!sameStatus(status, budget.status)) await world.podDisruptionBudgets.updateStatus({ ...budget, status });
    return disrupted.length === 0 ? undefined : evictionMs;
  },
};

const isCovered = ({ spec: { selector } }: Budget, { metadata }: Pod): boolean =>
  selector !== undefined && selector !== null && selectsLabels(selector, metadata.labels ?? {});

/** How many pods the budget expects, and how many of them must be healthy. */
function wantedOf(world: World, { spec }: Budget, pods: readonly Pod[]): readonly [number, number] {
  const { minAvailable, maxUnavailable } = spec;
  if (typeof minAvailable === "number") return [pods.length, minAvailable];
  const expected = wantedByOwners(world, pods);
  const partOf = (value: number | string) => typeof value === "number" ? value : Math.ceil(parseInt(value, 10) * expected / 100);
  if (minAvailable !== undefined && minAvailable !== null) return [expected, partOf(minAvailable)];
  return [expected, Math.max(0, expected - partOf(maxUnavailable ?? 0))];
}

/** The wanted numbers of the workloads that control the pods. Pods without one count one each. */
function wantedByOwners(world: World, pods: readonly Pod[]): number {
  const owners = new Map<string, number>();
  for (const pod of pods) {
    const reference = pod.metadata.ownerReferences?.find(({ controller }) => controller), { namespace = "" } = pod.metadata;
    if (reference === undefined) continue;
    const set = world.replicaSets.get(namespace, reference.name);
    const deployment = set === undefined || reference.kind !== "ReplicaSet" ? undefined : world.deployments.get(
      namespace,
      set.metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === "Deployment")?.name ?? "",
    );
    const owner = deployment ?? (reference.kind === "ReplicaSet" ? set : undefined) ??
      (reference.kind === "StatefulSet" ? world.statefulSets.get(namespace, reference.name) : undefined) ??
      (reference.kind === "ReplicationController" ? world.replicationControllers.get(namespace, reference.name) : undefined);
    if (owner !== undefined) owners.set(owner.metadata.uid ?? "", owner.spec.replicas ?? 1);
    else owners.set(pod.metadata.uid ?? "", 1);
  }
  const alone = pods.filter((pod) => controllerOf(pod) === undefined).length;
  return [...owners.values()].reduce((sum, replicas) => sum + replicas, alone);
}

function withCondition(conditions: NonNullable<Budget["status"]["conditions"]>, isAllowed: boolean, { metadata }: Budget, now: number) {
  const type = "DisruptionAllowed", status = isAllowed ? "True" : "False", before = conditions.find((each) => each.type === type);
  const made = {
    type,
    status,
    observedGeneration: metadata.generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestampOf(now),
    reason: isAllowed ? "SufficientPods" : "InsufficientPods",
    message: "",
  };
  return [...conditions.filter((each) => each.type !== type), made];
}
