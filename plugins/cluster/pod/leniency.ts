import type { Names } from "../../../core/names.ts";
import type { Gates } from "../../../core/plugin.ts";

/**
 * What a stored template may have kept from before a rule was made: an update lets pass what is wrong already, so that the rest
 * of the object can still be changed. The rules are upstream's, and all or nothing: one wrong label lets others pass.
 */
export interface Leniency {
  /** Amounts of huge pages that are no multiple of the page. */
  readonly hugePages: boolean;
  /** Values of labels in the selectors of pod affinities. */
  readonly podLabels: boolean;
  /** Values of labels in the required node affinity. */
  readonly nodeLabels: boolean;
  /** Selectors of topology spread constraints, which are not looked at then. */
  readonly spreadSelectors: boolean;
  /** matchLabelKeys of topology spread constraints that their selector has as well. */
  readonly spreadKeys: boolean;
  /** Kernel parameters of a namespace that the pod shares with the node. */
  readonly sysctls: boolean;
  /** Paths of tokens that lead out of their volume. */
  readonly tokenPaths: boolean;
  /** The cost of deleting a pod, an annotation. */
  readonly deletionCost: boolean;
  /** Devices in a pod with user ids of its own. */
  readonly userDevices: boolean;
  /** The network of the node in a pod with user ids of its own. */
  readonly userNetwork: boolean;
  /** Volumes that are mounted with their label of SELinux, whatever kind of access they have. */
  readonly mountLabels: boolean;
  /** Init containers that run once and are started again to change their size. */
  readonly initRestarts: boolean;
  /** Resources of the pod as a whole, which are not looked at then. */
  readonly podResources: boolean;
}

/** What a pod is judged by, beside what it says. */
export interface Terms {
  readonly names: Names;
  readonly lenient: Leniency;
}

/** Of what is new, as far as features do not allow it. */
export function strictness(gates: Gates): Leniency {
  return {
    hugePages: false,
    podLabels: false,
    nodeLabels: false,
    spreadSelectors: false,
    spreadKeys: false,
    sysctls: false,
    tokenPaths: false,
    deletionCost: false,
    userDevices: false,
    userNetwork: false,
    initRestarts: false,
    mountLabels: gates("SELinuxMount"),
    podResources: !gates("PodLevelResources"),
  };
}
