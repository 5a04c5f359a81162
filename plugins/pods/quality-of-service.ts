/** The quality of service of a pod, which follows from the resources of its containers. */
import type { Gates, Quantity } from "../../toolbox.ts";
import { amountOf, compareQuantities, quantityText, sumOf } from "../../toolbox.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import type { ResourceRequirements } from "../shared/volumes/mod.ts";
import type { PodStatus } from "./status-schema.ts";

const counted = ["cpu", "memory"] as const;
type Counted = Partial<Record<(typeof counted)[number], Quantity>>;

/** The resources that count, without those that are zero. */
function countedOf(amounts: Readonly<Record<string, Quantity>> | undefined): Counted {
  const found: Counted = {};
  for (const name of counted) {
    const amount = amounts?.[name];
    if (amount !== undefined && compareQuantities(amount, "0") > 0) found[name] = amount;
  }
  return found;
}

function total(all: readonly Counted[]): Counted {
  const sums: Counted = {};
  for (const name of counted) {
    const [first, ...others] = all.flatMap((each) => each[name] === undefined ? [] : [each[name]]);
    // Most pods have one container.
    if (first !== undefined) sums[name] = others.length === 0 ? first : quantityText(others.map(amountOf).reduce(sumOf, amountOf(first)));
  }
  return sums;
}

/**
 * Guaranteed if each container has limits of CPU and memory that equal its requests, BestEffort if none has any, else Burstable. Resources of the
 * whole pod count in place of those of its containers (gate PodLevelResources).
 */
export function qualityOfService(spec: PodSpec, isOn: Gates): NonNullable<PodStatus["qosClass"]> {
  const parts: readonly (ResourceRequirements | undefined)[] = isOn("PodLevelResources") && spec.resources !== undefined
    ? [spec.resources]
    : [...spec.containers ?? [], ...spec.initContainers ?? []].map(({ resources }) => resources);
  const requests = total(parts.map((part) => countedOf(part?.requests)));
  const limitsOfParts = parts.map((part) => countedOf(part?.limits)), limits = total(limitsOfParts);
  if (counted.every((name) => requests[name] === undefined && limits[name] === undefined)) return "BestEffort";
  const isLimited = limitsOfParts.every((part) => counted.every((name) => part[name] !== undefined));
  const isEqual = counted.every((name) =>
    requests[name] === undefined
      ? limits[name] === undefined
      : limits[name] !== undefined && compareQuantities(requests[name], limits[name]) === 0
  );
  return isLimited && isEqual ? "Guaranteed" : "Burstable";
}
