import type { Admission } from "../../../plugin.ts";
import { spell } from "../../../toolbox.ts";
import type { Pod } from "../pod-schema.ts";
import { pods } from "../pod.ts";

/** Pods may keep others only from their node, not from their zone or the whole cluster. Off by default. */
export const limitHardAntiAffinity: Admission<Pod> = {
  name: "LimitPodHardAntiAffinityTopology",
  isOptional: true,
  resources: [pods],
  refuse({ spec }, _prior, { names, subresource }) {
    if (subresource !== "") return undefined;
    const { requiredDuringSchedulingIgnoredDuringExecution: terms = [] } = spec.affinity?.podAntiAffinity ?? {};
    const hostname = spell(names, "{platform}.io/hostname"), other = terms.find(({ topologyKey }) => topologyKey !== hostname);
    return other === undefined
      ? undefined
      : `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${hostname} is allowed`;
  },
};
