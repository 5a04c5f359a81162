/** What pods ask for, as numbers: cpu in thousandths, everything else in its unit. */
import { numberOf } from "../placement/quantity.ts";
import type { Pod } from "../world/world.ts";

/** Amounts by resource. */
export type Amounts = ReadonlyMap<string, number>;

/** Returns amounts of a record, such as the allocatable ones of a node. */
export function amountsOf(record: Readonly<Record<string, string>> | undefined): Map<string, number> {
  return new Map(
    Object.entries(record ?? {}).map(([name, quantity]) => [name, Math.ceil(numberOf(quantity) * (name === "cpu" ? 1_000 : 1))]),
  );
}

/** Adds amounts, `times` times. */
export function addAmounts(sum: Map<string, number>, added: Amounts, times = 1): void {
  for (const [name, amount] of added) {
    const next = (sum.get(name) ?? 0) + amount * times;
    if (next === 0) sum.delete(name);
    else sum.set(name, next);
  }
}

function raise(to: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) if (amount > (to.get(name) ?? 0)) to.set(name, amount);
}

/**
 * Returns what a pod asks of a node: the sum of its containers, or what an init container needs at its time beside the sidecars before it, whichever is
 * more; the resources of the whole pod in place of both; and the overhead.
 */
export function requestsOf({ spec }: Pod): Amounts {
  const total = new Map<string, number>(), sidecars = new Map<string, number>(), starting = new Map<string, number>();
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = amountsOf(resources?.requests);
    if (restartPolicy === "Always") {
      addAmounts(sidecars, own);
      raise(starting, sidecars);
    } else {
      addAmounts(own, sidecars);
      raise(starting, own);
    }
  }
  for (const { resources } of spec.containers) addAmounts(total, amountsOf(resources?.requests));
  addAmounts(total, sidecars);
  raise(total, starting);
  for (const [name, amount] of amountsOf(spec.resources?.requests)) total.set(name, amount);
  addAmounts(total, amountsOf(spec.overhead));
  return total;
}
