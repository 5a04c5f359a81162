/** Validation of a pod, with upstream's order and texts (pkg/apis/core/validation). */
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { append, type Names, notFound, utf8Length, validateAnnotations, validateLabels } from "../../../toolbox.ts";
import type { VolumeSource } from "../volumes/mod.ts";
import { validateAddress } from "../addresses.ts";
import { containersWithPaths } from "./containers-of.ts";
import type { ValidationContext, ValidationOptions } from "./validation-options.ts";
import type { PodDNSConfig, PodResourceClaim, PodSchedulingGate, PodSpec, PodTemplateSpec, WorkloadReference } from "./pod-spec.ts";
import { label, searchDomain, subdomain, validateByRule, validateEnum, validateQualifiedName, validateRequiredEnum } from "./rules.ts";
import {
  type PodFacts,
  rejectBlanks,
  rejectEphemeralContainers,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./validate-containers.ts";
import { validatePodResources } from "./validate-pod-resources.ts";
import { validateResources } from "./validate-resources.ts";
import { validateAffinity, validateSpread, validateTolerations } from "./validate-scheduling.ts";
import { validatePodSecurityContext } from "./validate-security.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./validate-pod-annotations.ts";
import { validateVolumes } from "./validate-volumes.ts";
import { validateForOS, validateHostProcess } from "./validate-windows.ts";

/** Validates a pod template. As upstream, paths of labels and annotations lack "metadata.", and other metadata is not validated. */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: string,
  names: Names,
  options: ValidationOptions,
): readonly FieldError[] {
  const { metadata, spec } = template;
  return [
    ...validateLabels(metadata.labels, `${path}.labels`),
    ...validateAnnotations(metadata.annotations, `${path}.annotations`),
    ...validatePodAnnotations(template, names, options, `${path}.annotations`),
    ...validatePodSpec(spec, { names, options }, `${path}.spec`),
    ...validateProfilesMatch(template, names, `${path}.spec`),
    ...rejectEphemeralContainers(spec.ephemeralContainers ?? [], `${path}.spec.ephemeralContainers`),
  ];
}

/**
 * Validates the annotations and the spec of a pod. Other than in a template, images have no blanks around them, ephemeral containers have rules of
 * their own, and tokens need the name of an account.
 */
export function validatePodParts(pod: PodTemplateSpec, names: Names, options: ValidationOptions): readonly FieldError[] {
  const { spec } = pod;
  const tokens = (spec.serviceAccountName ?? "") !== ""
    ? []
    : (spec.volumes ?? []).flatMap(({ projected }, i) =>
      (projected?.sources ?? []).flatMap(({ serviceAccountToken }, j) =>
        serviceAccountToken === undefined ? [] : [`spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`]
      )
    );
  return [
    ...validatePodAnnotations(pod, names, options, "metadata.annotations"),
    ...validatePodSpec(spec, { names, options }, "spec"),
    ...tokens.map((path) => forbidden(path, "must not be specified when serviceAccountName is not set")),
    ...(spec.containers ?? []).flatMap((each, i) => rejectBlanks(each.image, `spec.containers[${i}].image`)),
    ...(spec.initContainers ?? []).flatMap((each, i) => rejectBlanks(each.image, `spec.initContainers[${i}].image`)),
  ];
}

function validatePodSpec(spec: PodSpec, context: ValidationContext, path: string): readonly FieldError[] {
  const { options } = context;
  const usable = new Map<string, VolumeSource>();
  const { resourceClaims = [], volumes = [], initContainers = [], restartPolicy = "" } = spec;
  // `containers` is always written; an absent list is null.
  const containers = spec.containers ?? [];
  const volumeErrors = validateVolumes(volumes, context, `${path}.volumes`, usable);
  const pod: PodFacts = {
    volumes: usable,
    claims: new Set(resourceClaims.map(({ name }) => name).filter((name) => name !== "")),
    restartPolicy,
    graceSeconds: spec.terminationGracePeriodSeconds,
    os: spec.os?.name,
    hostUsers: spec.hostUsers !== false,
    ...context,
  };
  return [
    ...volumeErrors,
    ...validateClaims(resourceClaims, `${path}.resourceClaims`),
    ...validateContainers(containers, pod, `${path}.containers`),
    ...validateInitContainers(initContainers, containers, pod, `${path}.initContainers`),
    ...validateEphemeralContainers(spec, pod, `${path}.ephemeralContainers`),
    ...(options.podResources ? [] : validatePodResources(spec, pod.claims, context, `${path}.resources`)),
    ...validateRequiredEnum(restartPolicy, ["Always", "OnFailure", "Never"], `${path}.restartPolicy`),
    ...validateRequiredEnum(spec.dnsPolicy, ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], `${path}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...validateHost(spec, path),
    ...(spec.securityContext === undefined
      ? []
      : validatePodSecurityContext(spec.securityContext, spec, options, `${path}.securityContext`)),
    ...(spec.affinity === undefined ? [] : validateAffinity(spec.affinity, options, `${path}.affinity`)),
    ...validateDns(spec.dnsConfig, spec.dnsPolicy, options, `${path}.dnsConfig`),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, i) =>
      validateQualifiedName(conditionType, `${path}.readinessGates[${i}].conditionType`)
    ),
    ...validateGates(spec.schedulingGates ?? [], `${path}.schedulingGates`),
    ...validateSpread(spec.topologySpreadConstraints ?? [], options, `${path}.topologySpreadConstraints`),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, options, path),
    ...validateOverride(spec, path),
    ...validateNames(spec, path),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateRest(spec, context, path),
    ...validateWorkload(spec.workloadRef, `${path}.workloadRef`),
    ...validateFileVolumes(spec, path),
  ];
}

/** Checks the words of a reference to a Workload. That the object exists is for its readers to find out. */
function validateWorkload(reference: WorkloadReference | undefined, path: string): readonly FieldError[] {
  if (reference === undefined) return [];
  const { name, podGroup, podGroupReplicaKey: replica = "" } = reference;
  return [
    ...subdomain(name, `${path}.name`),
    ...label(podGroup, `${path}.podGroup`),
    ...(replica === "" ? [] : label(replica, `${path}.podGroupReplicaKey`)),
  ];
}

/** Checks that the files for environment variables are in emptyDir volumes of the pod. */
function validateFileVolumes(spec: PodSpec, path: string): readonly FieldError[] {
  // The last of several volumes with the same name counts.
  const sources = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return containersWithPaths(spec, path).flatMap(([{ env = [] }, at]) =>
    env.flatMap(({ valueFrom }, i) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) return [];
      const where = `${at}.env[${i}].valueFrom.fileKeyRef.volumeName`, source = sources.get(name);
      if (source === undefined) return [notFound(where, name)];
      return source.emptyDir === undefined ? [invalid(where, name, "referenced volume must be of type emptyDir")] : [];
    })
  );
}

function validateClaims(claims: readonly PodResourceClaim[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return claims.flatMap(({ name, resourceClaimName, resourceClaimTemplateName }, i) => {
    const at = `${path}[${i}]`;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${at}.name`, ""));
    else if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    else append(errors, label(name, `${at}.name`));
    seen.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.push(invalid(at, { name }, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"));
    } else if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.push(invalid(at, { name }, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    }
    return [
      ...errors,
      ...(resourceClaimName === undefined ? [] : subdomain(resourceClaimName, `${at}.resourceClaimName`)),
      ...(resourceClaimTemplateName === undefined ? [] : subdomain(resourceClaimTemplateName, `${at}.resourceClaimTemplateName`)),
    ];
  });
}

/** Checks the rules for hostNetwork: host ports must equal container ports. */
function validateHost(spec: PodSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { ports = [] }] of spec.hostNetwork ? (spec.containers ?? []).entries() : []) {
    for (const [j, { hostPort = 0, containerPort }] of ports.entries()) {
      if (hostPort === 0 || hostPort === containerPort) continue;
      errors.push(
        invalid(`${path}.containers[${i}].ports[${j}].hostPort`, hostPort, "must match `containerPort` when `hostNetwork` is true"),
      );
    }
  }
  return errors;
}

/** Checks the rules for a pod with its own user namespace. */
function validateHostUsers(spec: PodSpec, options: ValidationOptions, path: string): readonly FieldError[] {
  if (spec.hostUsers !== false) return [];
  const why = "when `hostUsers` is false";
  const devices = options.userDevices ? [] : containersWithPaths(spec, path).filter(([{ volumeDevices = [] }]) => volumeDevices.length > 0);
  return [
    ...(spec.hostNetwork && !options.userNetwork ? [forbidden(`${path}.hostNetwork`, why)] : []),
    // The capital letters in the paths are upstream's.
    ...(spec.hostPID ? [forbidden(`${path}.HostPID`, why)] : []),
    ...(spec.hostIPC ? [forbidden(`${path}.HostIPC`, why)] : []),
    ...devices.map(([, at]) => forbidden(`${at}.volumeDevices`, why)),
  ];
}

const nameserversMax = 3, searchesMax = 32, searchCharactersMax = 2048;

function validateDns(
  config: PodDNSConfig | undefined,
  policy: string | undefined,
  { strictAddresses }: ValidationOptions,
  path: string,
): readonly FieldError[] {
  if (config === undefined) {
    return policy === "None" ? [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")] : [];
  }
  const { nameservers = [], searches = [], options = [] } = config;
  // As upstream, nothing else is looked at then.
  if (policy === "None" && nameservers.length === 0) {
    return [required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  }
  return [
    ...(nameservers.length > nameserversMax
      ? [invalid(`${path}.nameservers`, nameservers, `must not have more than ${nameserversMax} nameservers`)]
      : []),
    ...nameservers.flatMap((each, i) => validateAddress(each, `${path}.nameservers[${i}]`, strictAddresses)),
    ...(searches.length > searchesMax
      ? [invalid(`${path}.searches`, searches, `must not have more than ${searchesMax} search paths`)]
      : []),
    ...(searches.join(" ").length > searchCharactersMax
      ? [
        invalid(
          `${path}.searches`,
          searches,
          `must not have more than ${searchCharactersMax} characters (including spaces) in the search list`,
        ),
      ]
      : []),
    ...searches.flatMap((each, i) => each === "." ? [] : validateByRule(searchDomain, each.replace(/\.$/, ""), `${path}.searches[${i}]`)),
    ...options.flatMap(({ name = "" }, i) => name === "" ? [required(`${path}.options[${i}]`, "must not be empty")] : []),
  ];
}

function validateGates(gates: readonly PodSchedulingGate[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return gates.flatMap(({ name }, i) => {
    const at = `${path}[${i}]`;
    const again = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...validateQualifiedName(name, at), ...again];
  });
}

const deadlineMax = 2 ** 31 - 1, hostnameMax = 64;

function validateNames(spec: PodSpec, path: string): readonly FieldError[] {
  const { serviceAccountName = "", nodeName = "", activeDeadlineSeconds: deadline, hostname = "", subdomain: domain = "" } = spec;
  return [
    ...(serviceAccountName === "" ? [] : subdomain(serviceAccountName, `${path}.serviceAccountName`)),
    ...(nodeName === "" ? [] : subdomain(nodeName, `${path}.nodeName`)),
    ...(deadline !== undefined && (deadline < 1 || deadline > deadlineMax)
      ? [invalid(`${path}.activeDeadlineSeconds`, deadline, `must be between 1 and ${deadlineMax}, inclusive`)]
      : []),
    ...(hostname === "" ? [] : label(hostname, `${path}.hostname`)),
    ...(domain === "" ? [] : label(domain, `${path}.subdomain`)),
  ];
}

function validateRest(spec: PodSpec, context: ValidationContext, path: string): readonly FieldError[] {
  const { hostAliases = [], priorityClassName = "", runtimeClassName, overhead, os } = spec;
  return [
    ...hostAliases.flatMap(({ ip, hostnames = [] }, i) => [
      ...validateAddress(ip, `${path}.hostAliases[${i}].ip`, context.options.strictAddresses),
      ...hostnames.flatMap((each, j) => subdomain(each, `${path}.hostAliases[${i}].hostnames[${j}]`)),
    ]),
    ...(priorityClassName === "" ? [] : subdomain(priorityClassName, `${path}.priorityClassName`)),
    ...(runtimeClassName === undefined ? [] : subdomain(runtimeClassName, `${path}.runtimeClassName`)),
    ...(spec.preemptionPolicy === undefined
      ? []
      : validateRequiredEnum(spec.preemptionPolicy, ["PreemptLowerPriority", "Never"], `${path}.preemptionPolicy`)),
    ...(overhead === undefined ? [] : validateResources({ limits: overhead }, new Set(), context, `${path}.overhead`)),
    ...(os === undefined
      ? []
      : os.name === ""
      ? [required(`${path}.os.name`, "")]
      : validateEnum(os.name, ["linux", "windows"], `${path}.os`)),
    ...validateForOS(spec, path),
  ];
}
/** Checks hostnameOverride. */
function validateOverride({ hostnameOverride: name, hostNetwork, setHostnameAsFQDN }: PodSpec, path: string): readonly FieldError[] {
  if (name === undefined) return [];
  const at = `${path}.hostnameOverride`;
  return [
    ...(setHostnameAsFQDN ? [forbidden(at, "may not be specified when setHostnameAsFQDN is true")] : []),
    ...(hostNetwork ? [forbidden(at, "may not be specified when hostNetwork is true")] : []),
    ...(utf8Length(name) > hostnameMax
      ? [{ type: "TooLong" as const, path: at, detail: `may not be more than ${hostnameMax} bytes` }]
      : []),
    ...subdomain(name, at),
  ];
}
