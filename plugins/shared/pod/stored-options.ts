import { hasInvalidNodeLabelValue } from "../volumes/validate-node-selector.ts";
import { type Gates, type Names, validateLabelSelector } from "../../../toolbox.ts";
import type { PodAffinity } from "./affinity.ts";
import { everyContainer } from "./containers-of.ts";
import { optionsForCreate, type ValidationOptions } from "./validation-options.ts";
import type { PodSpec, PodTemplateSpec } from "./pod-spec.ts";
import { validateTargetPath } from "./rules.ts";
import { validateDeletionCost } from "./validate-pod-annotations.ts";
import { hasIndivisiblePages } from "./validate-resources.ts";
import { validateMatchLabelKeys } from "./validate-scheduling.ts";
import { validateHostSysctl } from "./validate-security.ts";

/** The options of an update, derived from the stored template. */
export function optionsForUpdate({ metadata, spec }: PodTemplateSpec, names: Names, gates: Gates): ValidationOptions {
  const { affinity: { nodeAffinity, podAffinity, podAntiAffinity } = {}, topologySpreadConstraints: spread = [], volumes = [] } = spec;
  const needed = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const tokens = volumes.flatMap(({ projected }) => projected?.sources ?? []).flatMap(({ serviceAccountToken }) =>
    serviceAccountToken ?? []
  );
  const { mountLabels, podResources, strictAddresses } = optionsForCreate(gates);
  return {
    hugePages: everyContainer(spec).some(({ resources }) => hasIndivisiblePages(resources)) ||
      hasIndivisiblePages({ limits: spec.overhead ?? {} }),
    podLabels: [podAffinity, podAntiAffinity].some((each) => each !== undefined && hasInvalidSelector(each)),
    nodeLabels: needed !== undefined && hasInvalidNodeLabelValue(needed),
    spreadSelectors: spread.some(({ labelSelector }) => validateLabelSelector(labelSelector, "").length > 0),
    spreadKeys: spread.some((constraint) => validateMatchLabelKeys(constraint, "").length > 0),
    sysctls: (spec.securityContext?.sysctls ?? []).some(({ name }) => validateHostSysctl(name, spec, "").length > 0),
    tokenPaths: tokens.some(({ path }) => validateTargetPath(path, "").length > 0),
    deletionCost: validateDeletionCost(metadata.annotations, names, "").length > 0,
    userDevices: hasUserDevices(spec),
    userNetwork: spec.hostUsers === false && spec.hostNetwork === true,
    mountLabels: mountLabels || spec.securityContext?.seLinuxChangePolicy !== undefined,
    initRestarts: (spec.initContainers ?? []).some(({ restartPolicy, resizePolicy = [] }) =>
      restartPolicy !== "Always" && resizePolicy.some((each) => each.restartPolicy === "RestartContainer")
    ),
    podResources,
    strictAddresses,
  };
}

function hasInvalidSelector(affinity: PodAffinity): boolean {
  const terms = [
    ...(affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ];
  return terms.some(({ labelSelector, namespaceSelector }) =>
    [labelSelector, namespaceSelector].some((each) => validateLabelSelector(each, "").length > 0)
  );
}

function hasUserDevices(spec: PodSpec): boolean {
  return spec.hostUsers === false && everyContainer(spec).some(({ volumeDevices = [] }) => volumeDevices.length > 0);
}
