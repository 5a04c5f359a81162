/** Rules for the status of a pod, with upstream's order and texts (pkg/apis/core/validation). */
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../../plugin.ts";
import { dns1123Label, dns1123Subdomain, type Gates, goQuote, qualifiedName } from "../../toolbox.ts";
import { validateAddress } from "../shared/addresses.ts";
import { isStrict } from "../shared/gates.ts";
import type { Container } from "../shared/pod/container.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import { validateId } from "../shared/pod/validate-security.ts";
import type { ContainerStatus, PodCondition, PodStatus } from "./status-schema.ts";

interface WithStatus {
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

const statusLists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** The errors of a write of the status. */
export function validateStatus(
  { spec, status }: WithStatus,
  { spec: priorSpec, status: prior }: WithStatus,
  gates: Gates,
): readonly FieldError[] {
  const { nominatedNodeName: nominated = "", observedGeneration = 0 } = status;
  const isRenominated = nominated !== "" && nominated !== (prior.nominatedNodeName ?? "");
  return [
    ...validateConditions(status.conditions ?? []),
    ...(isRenominated ? dns1123Subdomain(nominated).map((wrong) => invalid("status.nominatedNodeName", nominated, wrong)) : []),
    ...(isRenominated && (priorSpec.nodeName ?? "") !== ""
      ? [forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node")]
      : []),
    ...(observedGeneration < 0 ? [invalid("status.observedGeneration", observedGeneration, "must be a non-negative integer")] : []),
    ...(status.qosClass === prior.qosClass ? [] : [invalid("status.qosClass", status.qosClass, "field is immutable")]),
    ...validateTransitions(status, prior, priorSpec),
    ...validateClaimStatuses(status, spec),
    ...validateExtendedClaim(status.extendedResourceClaimStatus, spec),
    ...validateAddresses(status.podIPs ?? [], prior.podIPs ?? [], "status.podIPs", isStrict(gates)),
    ...validateHostAddresses(status, prior, isStrict(gates)),
    ...statusLists.flatMap((key) => (status[key] ?? []).flatMap((each, i) => validateUser(each, spec, `status.${key}[${i}].user.linux`))),
    ...validateDevices(status, spec),
  ];
}

/** Types that the server itself sets need not be qualified names. */
const systemConditions = ["PodScheduled", "Ready", "Initialized"];
function validateConditions(conditions: readonly PodCondition[]): readonly FieldError[] {
  return conditions.flatMap(({ type, observedGeneration = 0 }, i) => [
    ...(observedGeneration < 0
      ? [invalid(`status.conditions[${i}].observedGeneration`, observedGeneration, "must be a non-negative integer")]
      : []),
    // The capital letter in the path is upstream's.
    ...(systemConditions.includes(type) ? [] : qualifiedName(type).map((wrong) => invalid(`status.conditions[${i}].Type`, type, wrong))),
  ]);
}

/** Checks that a container that has ended stays ended, unless its policy restarts it. */
function validateTransitions(next: PodStatus, prior: PodStatus, spec: PodSpec): readonly FieldError[] {
  return statusLists.flatMap((key) => {
    const containers = key === "containerStatuses"
      ? spec.containers ?? []
      : key === "initContainerStatuses"
      ? spec.initContainers ?? []
      : [];
    return (prior[key] ?? []).flatMap((old, i) => {
      const { terminated } = old.state ?? {}, found = (next[key] ?? []).find(({ name }) => name === old.name);
      if (terminated === undefined || found === undefined || found.state?.terminated !== undefined) return [];
      const container = containers.find(({ name }) => name === old.name);
      if (container !== undefined && restarts(container, spec, terminated.exitCode)) return [];
      return [forbidden(`status.${key}[${i}].state`, "may not be transitioned to non-terminated state")];
    });
  });
}

/** Whether a container that ended with this code is started again: by the first of its rules that holds, its own policy, or that of the pod. */
function restarts(container: Container, { restartPolicy }: PodSpec, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    if (exitCodes === undefined) continue;
    const isListed = (exitCodes.values ?? []).includes(exitCode);
    if (isListed === (exitCodes.operator === "In")) return action === "Restart";
  }
  const policy = container.restartPolicy ?? restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function validateClaimStatuses({ resourceClaimStatuses = [] }: PodStatus, { resourceClaims = [] }: PodSpec): readonly FieldError[] {
  const seen = new Set<string>();
  return resourceClaimStatuses.flatMap(({ name, resourceClaimName }, i) => {
    const at = `status.resourceClaimStatuses[${i}]`, again = seen.has(name) ? [duplicate(`${at}.name`, name)] : [];
    seen.add(name);
    return [
      ...(resourceClaims.some((claim) => claim.name === name)
        ? []
        : [invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`")]),
      ...again,
      ...(resourceClaimName === undefined
        ? []
        : dns1123Subdomain(resourceClaimName).map((wrong) => invalid(`${at}.resourceClaimName`, resourceClaimName, wrong))),
    ];
  });
}

function validateExtendedClaim(status: PodStatus["extendedResourceClaimStatus"], spec: PodSpec): readonly FieldError[] {
  if (status === undefined) return [];
  const path = "status.extendedResourceClaimStatus", { requestMappings = [], resourceClaimName } = status;
  const containers = new Map([...spec.initContainers ?? [], ...spec.containers ?? []].map((each) => [each.name, each]));
  const seen = new Set<string>();
  return [
    ...(requestMappings.length === 0 ? [required(`${path}.requestMappings`, "at least one request mapping is required")] : []),
    ...requestMappings.flatMap(({ containerName, resourceName, requestName }, i) => {
      const at = `${path}.requestMappings[${i}]`, container = containers.get(containerName);
      const key = [containerName, resourceName, requestName].map(goQuote).join(), isAgain = seen.has(key);
      seen.add(key);
      const where = "spec.initContainers.resources.requests or spec.containers.resources.requests";
      return [
        ...(container === undefined
          ? [
            invalid(
              `${at}.containerName`,
              containerName,
              "must match the name of an entry in spec.initContainers.name or spec.containers.name",
            ),
          ]
          : Object.hasOwn(container.resources?.requests ?? {}, resourceName)
          ? []
          : [invalid(`${at}.resourceName`, resourceName, `must match the extended resource name of an entry in ${where}`)]),
        ...dns1123Label(requestName).map((wrong) => invalid(`${path}.requestName`, requestName, wrong)),
        ...(isAgain
          ? [
            duplicate(`${at}.containerName`, containerName),
            duplicate(`${at}.resourceName`, resourceName),
            duplicate(`${at}.requestName`, requestName),
          ]
          : []),
      ];
    }),
    ...(resourceClaimName === ""
      ? [required(`${path}.resourceClaimName`, "")]
      : dns1123Subdomain(resourceClaimName).map((wrong) => invalid(`${path}.resourceClaimName`, resourceClaimName, wrong))),
  ];
}

type Addresses = readonly { readonly ip: string }[];

/** Checks that new addresses are valid, and that there is at most one of each family. */
function validateAddresses(addresses: Addresses, prior: Addresses, path: string, strict: boolean): readonly FieldError[] {
  const isKept = (ip: string) => prior.some((each) => each.ip === ip);
  const families = new Set(addresses.map(({ ip }) => ip.includes(":")));
  return [
    ...addresses.flatMap(({ ip }, i) => isKept(ip) ? [] : validateAddress(ip, `${path}[${i}]`, strict)),
    ...(addresses.length > families.size ? [invalid(path, addresses, "may specify no more than one IP for each IP family")] : []),
  ];
}

function validateHostAddresses({ hostIP = "", hostIPs = [] }: PodStatus, prior: PodStatus, strict: boolean): readonly FieldError[] {
  const [first] = hostIPs;
  return [
    ...(first === undefined || first.ip === hostIP ? [] : [invalid("status.hostIPs[0].ip", first.ip, "must be equal to `hostIP`")]),
    ...validateAddresses(hostIPs, prior.hostIPs ?? [], "status.hostIPs", strict),
  ];
}

function validateUser({ user }: ContainerStatus, { os }: PodSpec, path: string): readonly FieldError[] {
  const linux = user?.linux;
  if (linux === undefined) return [];
  if (os?.name === "windows") return [forbidden(path, "cannot be set for a windows pod")];
  return [
    ...validateId(linux.uid, `${path}.uid`),
    ...validateId(linux.gid, `${path}.gid`),
    ...(linux.supplementalGroups ?? []).flatMap((group, i) => validateId(group, `${path}.supplementalGroups[${i}]`)),
  ];
}

const healthWords = ["Healthy", "Unhealthy", "Unknown"];

/** Checks that devices belong to requests or claims of their container. Ephemeral containers have none. */
function validateDevices(status: PodStatus, spec: PodSpec): readonly FieldError[] {
  return statusLists.flatMap((key) =>
    (status[key] ?? []).flatMap(({ name, allocatedResourcesStatus }, i) => {
      const path = `status.${key}[${i}].allocatedResourcesStatus`;
      if (allocatedResourcesStatus === undefined || allocatedResourcesStatus.length === 0) return [];
      if (key === "ephemeralContainerStatuses") return [forbidden(path, "must not be specified in container status")];
      const containers = (key === "containerStatuses" ? spec.containers : spec.initContainers) ?? [];
      const container = containers.find((each) => each.name === name);
      return allocatedResourcesStatus.flatMap((resource, j) => [
        ...(container === undefined ? [] : validateResourceName(resource.name, container, `${path}[${j}].name`)),
        ...(resource.resources ?? []).flatMap(({ health = "" }, k) =>
          healthWords.includes(health) ? [] : [notSupported(`${path}[${j}].resources[${k}].health`, health, healthWords)]
        ),
      ]);
    })
  );
}

function validateResourceName(name: string, { resources }: Container, path: string): readonly FieldError[] {
  if (name.startsWith("claim:")) {
    const claims = (resources?.claims ?? []).map((claim) =>
      `claim:${claim.name}${(claim.request ?? "") === "" ? "" : `/${claim.request}`}`
    );
    const shape = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
    return claims.includes(name) ? [] : [invalid(path, name, `must match one of the container's resource claims in a format ${shape}`)];
  }
  return Object.hasOwn(resources?.requests ?? {}, name) ? [] : [invalid(path, name, "must match one of the container's resource requests")];
}
