/** The budgets that an eviction respects. They are of another family, and are reached by the name of their resource. */
import {
  type ApiObject,
  type Condition,
  forbiddenError,
  type LabelSelector,
  notFoundError,
  type RequestHookContext,
  StatusError,
} from "../../plugin.ts";
import { goQuote, selectsLabels } from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";
import type { Pod } from "./pod-schema.ts";

const groupVersion = "policy/v1", resource = "poddisruptionbudgets";
/** Maximum number of allowed evictions that the controller of a budget has not seen yet. */
export const disruptedPodsMax = bound(2_000);
/** Maximum number of attempts to change an object that others change at the same time. */
export const evictionTriesMax = bound(20);

/** The members of a budget that an eviction reads and writes. */
export interface Budget extends ApiObject {
  readonly spec: { readonly selector?: LabelSelector; readonly unhealthyPodEvictionPolicy?: string };
  readonly status: {
    readonly observedGeneration?: number | bigint;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly disruptionsAllowed: number;
    readonly currentHealthy: number;
    readonly desiredHealthy: number;
    readonly conditions?: readonly Condition[];
  };
}

/** How a budget admits an eviction: it has counted it, or the pod is not ready and does not count while it stays as it is. */
export type Admitted = "charged" | "unready";

export async function budgetsOf(
  { metadata: { namespace = "", labels = {} } }: Pod,
  context: RequestHookContext,
): Promise<readonly Budget[]> {
  const budgets = await context.server.newest(groupVersion, resource, namespace) as readonly Budget[]; // the type of the resource
  return budgets.filter(({ spec: { selector } }) => selector !== undefined && selectsLabels(selector, labels));
}

/** The 429 for a budget whose state is not known yet. */
export function overBudget({ metadata: { name } }: Budget): StatusError {
  return tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
}

function tooMany(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError("TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    details: {
      causes: [{ reason: "DisruptionBudget", message }],
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });
}

/** Counts an eviction in the budget, or only checks it for a dry run. Throws 429 if the budget forbids it. */
export async function chargeBudget(budget: Budget, pod: Pod, isTried: boolean, context: RequestHookContext): Promise<Admitted> {
  const isReady = (pod.status.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
  const { spec: { unhealthyPodEvictionPolicy: policy }, status: { currentHealthy, desiredHealthy } } = budget;
  if (!isReady && (policy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0))) return "unready";
  let newest = budget;
  for (let tries = 0; tries < evictionTriesMax; tries++) {
    const next = charged(newest, pod, context.now);
    if (isTried) return "charged";
    try {
      await context.server.updateStatus(groupVersion, resource, next);
      return "charged";
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== "Conflict") throw error;
    }
    newest = await newestOf(budget, context);
  }
  const { name = "" } = budget.metadata;
  throw new StatusError("Timeout", `Timeout: couldn't update PodDisruptionBudget ${goQuote(name)} due to conflicts`, {
    details: { retryAfterSeconds: 10 },
  });
}

async function newestOf({ metadata: { name = "", namespace = "" } }: Budget, { server }: RequestHookContext): Promise<Budget> {
  const budgets = await server.newest(groupVersion, resource, namespace) as readonly Budget[]; // the type of the resource
  const found = budgets.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw notFoundError({ group: "policy", name: resource }, name);
  return found;
}

/** The budget with one eviction more. Throws if it allows none. */
function charged(budget: Budget, pod: Pod, now: string): Budget {
  const { metadata, status } = budget, { observedGeneration = 0, disruptionsAllowed, disruptedPods = {} } = status;
  const refuse = (why: string) => forbiddenError({ group: "policy", name: "poddisruptionbudget" }, metadata.name ?? "", why);
  if (Number(observedGeneration) < Number(metadata.generation ?? 0)) throw overBudget(budget);
  if (disruptionsAllowed < 0) throw refuse("pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > disruptedPodsMax) {
    throw refuse("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (disruptionsAllowed === 0) throw tooMany(reasonOf(budget), 0);
  const left = disruptionsAllowed - 1;
  return {
    ...budget,
    status: {
      ...status,
      ...(left === 0 ? { conditions: withoutRoom(budget, now) } : {}),
      disruptionsAllowed: left,
      disruptedPods: { ...disruptedPods, [pod.metadata.name!]: now }, // stored objects have names
    },
  };
}

const conditionType = "DisruptionAllowed";

/** The conditions of a budget that allows no further eviction. */
function withoutRoom({ status: { conditions = [], observedGeneration } }: Budget, now: string): readonly Condition[] {
  const old = conditions.find(({ type }) => type === conditionType);
  const next: Condition = {
    type: conditionType,
    status: "False",
    ...(observedGeneration === undefined ? {} : { observedGeneration: Number(observedGeneration) }),
    lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : now,
    reason: "InsufficientPods",
    message: "",
  };
  return old === undefined ? [...conditions, next] : conditions.map((each) => each === old ? next : each);
}

/** Why a budget allows no eviction. After a failed count the numbers of the budget mean nothing. */
function reasonOf({ metadata: { name }, status: { conditions = [], currentHealthy, desiredHealthy } }: Budget): string {
  const { status, message = "", reason = "" } = conditions.find(({ type }) => type === conditionType) ?? {};
  const explains = status === "False" && message !== "";
  const refusal = `The disruption budget ${name} does not allow evicting pods currently`;
  if (explains && reason === "SyncFailed") return `${refusal} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return explains ? `${refusal} (${reason}): ${message}` : refusal;
}
