/** What pods ask for: the resources of their containers, of the whole pod and of its overhead, as quotas and limit ranges count them. */
import { compareQuantities } from "../../toolbox.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import { aggregate } from "../shared/pod/validate-pod-resources.ts";
import { isHugePages } from "../shared/resource-names.ts";
import { addAmounts, amountIn, type Amounts } from "./amounts.ts";

export type What = "requests" | "limits";

/** The status of a container, as far as it counts. */
interface ContainerStatus {
  readonly name: string;
  readonly allocatedResources?: Amounts;
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
}

/** The members of a pod that count. */
export interface CountedPod {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** Whether a resource of the whole pod counts in place of those of its containers. */
export const isOfWholePod = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name);

function largest(...lists: readonly (Amounts | undefined)[]): Amounts {
  const most: Record<string, string> = {};
  for (const list of lists) {
    for (const [name, amount] of Object.entries(list ?? {})) {
      const known = amountIn(most, name);
      if (known === undefined || compareQuantities(amount, known) > 0) most[name] = amount;
    }
  }
  return most;
}

/** The spec with what its containers have on the node, where that is more: a resize that has not ended yet counts already (KEP-1287). */
function withStatus({ spec, status = {} }: CountedPod): PodSpec {
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = status;
  const known = new Map([...containerStatuses, ...initContainerStatuses].map((each) => [each.name, each]));
  if (![...known.values()].some(({ resources }) => resources !== undefined)) return spec;
  const isInfeasible = conditions.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
  const effective = <C extends { readonly name: string; readonly resources: { readonly requests?: Amounts; readonly limits?: Amounts } }>(
    container: C,
  ): C => {
    const { resources, allocatedResources } = known.get(container.name) ?? {};
    if (resources === undefined) return container;
    const { requests, limits } = container.resources;
    const own = {
      requests: largest(isInfeasible ? undefined : requests, resources.requests, allocatedResources),
      limits: largest(isInfeasible ? undefined : limits, resources.limits),
    };
    return { ...container, resources: { ...container.resources, ...own } };
  };
  return {
    ...spec,
    containers: (spec.containers ?? []).map(effective),
    ...(spec.initContainers === undefined
      ? {}
      : { initContainers: spec.initContainers.map((each) => each.restartPolicy === "Always" ? effective(each) : each) }),
  };
}

/** The resources of a pod as its spec has them, for limit ranges. `counts`: whether resources of the whole pod count (gate PodLevelResources). */
export function amountsOfSpec(spec: PodSpec, what: What, counts: boolean, isWhole = isOfWholePod): Amounts {
  const whole = Object.entries(counts ? spec.resources?.[what] ?? {} : {}).filter(([name]) => isWhole(name));
  return { ...Object.fromEntries(aggregate(spec, what)), ...Object.fromEntries(whole) };
}

/** The resources that a pod uses, with its overhead. A limit has an overhead only if there is one. */
export function amountsOfPod(pod: CountedPod, what: What, counts: boolean): Amounts {
  const sum = amountsOfSpec(withStatus(pod), what, counts), { overhead = {} } = pod.spec;
  const more = Object.entries(overhead as Amounts).filter(([name]) =>
    what === "requests" || compareQuantities(amountIn(sum, name) ?? "0", "0") !== 0
  );
  return { ...sum, ...Object.fromEntries(more.map(([name, amount]) => [name, addAmounts(amountIn(sum, name) ?? "0", amount)])) };
}

/** Whether the resources of the whole pod say what it asks for, so that its containers need not. */
export function hasWholeAmounts({ resources: { requests = {}, limits = {} } = {} }: PodSpec): boolean {
  return [...Object.keys(requests), ...Object.keys(limits)].some(isOfWholePod);
}
