import type { Gates, Names } from "../../../toolbox.ts";
import { isStrict } from "../gates.ts";

/**
 * What the validation of a pod accepts. An update accepts invalid values of a sort that the stored template already has (it may be
 * older than the rule), so that the rest of the object can be changed. As upstream's PodValidationOptions, each option applies to the
 * whole template: one invalid stored label makes all invalid labels acceptable.
 */
export interface ValidationOptions {
  /** Whether it is a pod, which may have ephemeral containers, and not a template. */
  readonly isPod?: true;
  /** Quantities of huge pages that are not a multiple of the page size. */
  readonly hugePages: boolean;
  /** Invalid label values in the selectors of pod affinities. */
  readonly podLabels: boolean;
  /** Invalid label values in the required node affinity. */
  readonly nodeLabels: boolean;
  /** Selectors of topology spread constraints: not validated. */
  readonly spreadSelectors: boolean;
  /** matchLabelKeys of topology spread constraints that are also in the selector. */
  readonly spreadKeys: boolean;
  /** Sysctls of a namespace that the pod shares with the node. */
  readonly sysctls: boolean;
  /** Token paths that lead out of their volume. */
  readonly tokenPaths: boolean;
  /** An invalid annotation for the pod deletion cost. */
  readonly deletionCost: boolean;
  /** Devices in a pod with its own user namespace. */
  readonly userDevices: boolean;
  /** Host network in a pod with its own user namespace. */
  readonly userNetwork: boolean;
  /** seLinuxChangePolicy MountOption for volumes of any access mode. */
  readonly mountLabels: boolean;
  /** RestartContainer in the resizePolicy of init containers that are no sidecars. */
  readonly initRestarts: boolean;
  /** Pod-level resources: not validated. */
  readonly podResources: boolean;
  /** Only strict addresses are accepted. */
  readonly strictAddresses: boolean;
}

/** The context of pod validation. */
export interface ValidationContext {
  readonly names: Names;
  readonly options: ValidationOptions;
}

/** The options of a create. They depend on feature gates only. */
export function optionsForCreate(gates: Gates): ValidationOptions {
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
    strictAddresses: isStrict(gates),
  };
}
