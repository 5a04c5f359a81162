import type { Admission } from "../../../plugin.ts";
import type { Toleration } from "../../shared/pod/affinity.ts";
import { isExtendedResource } from "../../shared/resource-names.ts";
import type { Pod } from "../pod-schema.ts";
import { pods } from "../pod.ts";

/** The tolerations with one for each resource. An existing one of a resource loses its seconds. */
function tolerating(tolerations: readonly Toleration[], resources: ReadonlySet<string>): readonly Toleration[] {
  const isOf = ({ key = "", operator, value = "", effect }: Toleration) =>
    resources.has(key) && operator === "Exists" && value === "" && effect === "NoSchedule";
  const present = new Set(tolerations.filter(isOf).map(({ key }) => key));
  const exact = new Set(tolerations.filter((each) => isOf(each) && each.tolerationSeconds === undefined).map(({ key }) => key));
  const made = (key: string): Toleration => ({ key, operator: "Exists", effect: "NoSchedule" });
  return [
    ...tolerations.map((each) => isOf(each) && !exact.has(each.key) ? made(each.key!) : each), // `!`: the key is a name
    ...[...resources].filter((name) => !present.has(name)).sort().map(made),
  ];
}

/** Lets pods that ask for an extended resource, such as `example.com/gpu`, run on nodes that are tainted with its name. Off by default. */
export const extendedResourceToleration: Admission<Pod> = {
  name: "ExtendedResourceToleration",
  isOptional: true,
  resources: [pods],
  mutate(next, _prior, { names, subresource }) {
    if (subresource !== "") return next;
    const { containers, initContainers = [], tolerations = [] } = next.spec;
    const requested = [...containers ?? [], ...initContainers].flatMap(({ resources }) => Object.keys(resources.requests ?? {}));
    const resources = new Set(requested.filter((name) => isExtendedResource(name, names)));
    return resources.size === 0 ? next : { ...next, spec: { ...next.spec, tolerations: tolerating(tolerations, resources) } };
  },
};
