/** Rules of what the containers of a pod need and may use together, in upstream's order and words. */
import { type FieldError, forbidden, invalid } from "../../../core/field-error.ts";
import { amountOf, compareQuantities, quantityText, shortened, sumOf } from "../../../core/scalars/quantity.ts";
import type { Quantity } from "../../../core/schema.ts";
import type { Terms } from "./leniency.ts";
import type { PodSpec } from "./pod-spec.ts";
import { isHugePages, podResourceName, validateResources } from "./validate-resources.ts";

type Amounts = Readonly<Record<string, Quantity>>;

/** Not looked into where the system knows no such thing. `claims` are the names of the pod's claims for devices. */
export function validatePodResources(spec: PodSpec, claims: ReadonlySet<string>, terms: Terms, path: string): readonly FieldError[] {
  const { resources, os } = spec;
  if (resources === undefined) return [];
  if (os?.name === "windows") return [forbidden(path, "may not be set for a windows pod")];
  return [
    ...((resources.claims ?? []).length > 0 ? [forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level")] : []),
    ...validateResources(resources, claims, terms, path, podResourceName),
    ...validateConsistency(spec, resources, path),
  ];
}

/** The whole is not less than its parts. */
function validateConsistency(
  spec: PodSpec,
  { requests = {}, limits = {} }: NonNullable<PodSpec["resources"]>,
  path: string,
): readonly FieldError[] {
  const needed = [...together(spec, "requests")].flatMap(([name, amount]) =>
    tooLittle(requests, name, amount, `${path}.requests`, "requests")
  );
  // Huge pages are never promised twice, so that what is used is what is asked for.
  const pages = [...together(spec, "limits")].filter(([name]) => isHugePages(name)).flatMap(([name, amount]) =>
    tooLittle(limits, name, amount, `${path}.limits`, "limits")
  );
  const parts = (spec.containers ?? []).flatMap(({ resources: { limits: own = {} } }, i) =>
    Object.entries(own).filter(([name, amount]) => Object.hasOwn(limits, name) && compareQuantities(amount, limits[name]!) > 0)
      // Upstream's slip: the path is that of no field.
      .map(([name, amount]) =>
        invalid(`${path}.containers[${i}][${name}].limits`, amount, `must be less than or equal to pod limits of ${limits[name]}`)
      )
  );
  return [...needed, ...pages, ...parts];
}
function tooLittle(whole: Amounts, name: string, amount: Quantity, path: string, what: "requests" | "limits"): readonly FieldError[] {
  if (!Object.hasOwn(whole, name) || compareQuantities(amount, whole[name]!) <= 0) return [];
  return [invalid(`${path}[${name}]`, whole[name], `must be greater than or equal to aggregate container ${what} of ${amount}`)];
}

/**
 * What all containers take at once: those that run side by side together, or while they begin an init container beside the
 * sidecars before it, whichever is more.
 *
 *   init A 2, sidecar B 1, init C 3, container D 1   at most: A 2, then B + C 4, then B + D 2; so 4
 */
function together({ containers = [], initContainers = [] }: PodSpec, what: "requests" | "limits"): ReadonlyMap<string, Quantity> {
  const running = new Map<string, Quantity>(), sidecars = new Map<string, Quantity>(), most = new Map<string, Quantity>();
  for (const { resources } of containers ?? []) {
    for (const [name, amount] of Object.entries(resources[what] ?? {})) running.set(name, plus(running.get(name), amount));
  }
  // Of each only its own amounts are looked at: those of the sidecars before it have been, when they came.
  for (const { resources, restartPolicy } of initContainers) {
    for (const [name, amount] of Object.entries(resources[what] ?? {})) {
      const beside = plus(sidecars.get(name), amount);
      most.set(name, larger(most.get(name), beside));
      if (restartPolicy !== "Always") continue;
      running.set(name, plus(running.get(name), amount));
      sidecars.set(name, beside);
    }
  }
  for (const [name, amount] of most) running.set(name, larger(running.get(name), amount));
  return running;
}
function plus(a: Quantity | undefined, b: Quantity): Quantity {
  return quantityText(a === undefined ? shortened(amountOf(b)) : sumOf(amountOf(a), amountOf(b)));
}
function larger(a: Quantity | undefined, b: Quantity): Quantity {
  return a === undefined || compareQuantities(a, b) < 0 ? b : a;
}
