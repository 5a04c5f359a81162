/** Validation of pod-level resources, with upstream's order and texts. */
import { type FieldError, forbidden, invalid } from "../../../plugin.ts";
import { amountOf, compareQuantities, type Quantity, quantityText, shortened, sumOf } from "../../../toolbox.ts";
import type { ValidationContext } from "./validation-options.ts";
import type { PodSpec } from "./pod-spec.ts";
import { podResourceName, validateResources } from "./validate-resources.ts";
import { isHugePages } from "../resource-names.ts";

type Amounts = Readonly<Record<string, Quantity>>;

/** Validates pod-level resources, which a Windows pod must not have. `claims` are the names of the pod's resource claims. */
export function validatePodResources(
  spec: PodSpec,
  claims: ReadonlySet<string>,
  context: ValidationContext,
  path: string,
): readonly FieldError[] {
  const { resources, os } = spec;
  if (resources === undefined) return [];
  if (os?.name === "windows") return [forbidden(path, "may not be set for a windows pod")];
  return [
    ...(resources.claims !== undefined ? [forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level")] : []),
    ...validateResources(resources, claims, context, path, podResourceName),
    ...validateConsistency(spec, resources, path),
  ];
}

/** Checks that the pod-level values are not less than those of the containers. */
function validateConsistency(
  spec: PodSpec,
  { requests = {}, limits = {} }: NonNullable<PodSpec["resources"]>,
  path: string,
): readonly FieldError[] {
  const needed = [...aggregate(spec, "requests")].flatMap(([name, amount]) =>
    tooLittle(requests, name, amount, `${path}.requests`, "requests")
  );
  // Huge pages cannot be overcommitted, so the aggregate of their limits is checked too.
  const pages = [...aggregate(spec, "limits")].filter(([name]) => isHugePages(name)).flatMap(([name, amount]) =>
    tooLittle(limits, name, amount, `${path}.limits`, "limits")
  );
  const parts = (spec.containers ?? []).flatMap(({ resources: { limits: own = {} } }, i) =>
    Object.entries(own).filter(([name, amount]) => Object.hasOwn(limits, name) && compareQuantities(amount, limits[name]!) > 0)
      // The path is upstream's, although no such field exists.
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
 * The aggregate resources of all containers: the maximum of the containers and sidecars that run together, and of each init container
 * with the sidecars started before it.
 *
 *   init A 2, sidecar B 1, init C 3, container D 1   at most: A 2, then B + C 4, then B + D 2; so 4
 */
export function aggregate({ containers = [], initContainers = [] }: PodSpec, what: "requests" | "limits"): ReadonlyMap<string, Quantity> {
  const running = new Map<string, Quantity>(), sidecars = new Map<string, Quantity>(), most = new Map<string, Quantity>();
  for (const { resources } of containers ?? []) {
    for (const [name, amount] of Object.entries(resources[what] ?? {})) running.set(name, plus(running.get(name), amount));
  }
  // For each init container only its own resources matter: the others were compared with earlier containers.
  for (const { resources, restartPolicy } of initContainers) {
    for (const [name, amount] of Object.entries(resources[what] ?? {})) {
      const withSidecars = plus(sidecars.get(name), amount);
      most.set(name, larger(most.get(name), withSidecars));
      if (restartPolicy !== "Always") continue;
      running.set(name, plus(running.get(name), amount));
      sidecars.set(name, withSidecars);
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
