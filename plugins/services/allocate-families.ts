/**
 * Completes the IP families and addresses of a service before they are allocated, and takes over what an update leaves out (upstream:
 * initIPFamilyFields, patchAllocatedValues, normalizeClusterIPs).
 */
import { type FieldError, invalid } from "../../plugin.ts";
import { type Gates, invalidError } from "../../toolbox.ts";
import { familyOf } from "../shared/addresses.ts";
import { validateAddresses } from "./service-address-rules.ts";
import {
  addressesOf,
  familiesOf,
  type Family,
  hasHealthCheck,
  isName,
  isOutside,
  none,
  sameAddresses,
  sameFamilies,
  takesNodePorts,
  wantsNodePorts,
  withSpec,
} from "./service-facts.ts";
import type { Service } from "./service-schema.ts";

/** Throws the 422 for these errors of a service, if there are any. */
export function refuse(service: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidError({ group: "", name: "Service" }, service.metadata.name ?? "", errors);
}

/** Takes over addresses and ports that an update leaves out, so that the same update can be sent again. */
export function withStoredValues(next: Service, prior: Service): Service {
  let kept = next;
  if (!isName(prior) && !isName(next)) {
    if ((kept.spec.clusterIP ?? "") === "") kept = withSpec(kept, { clusterIP: prior.spec.clusterIP });
    if (addressesOf(kept).length === 0 && addressesOf(prior).length > 0) kept = withSpec(kept, { clusterIPs: prior.spec.clusterIPs });
  }
  if (wantsNodePorts(prior) && wantsNodePorts(next)) kept = withStoredPorts(kept, prior);
  if (hasHealthCheck(prior) && hasHealthCheck(next) && (kept.spec.healthCheckNodePort ?? 0) === 0) {
    kept = withSpec(kept, { healthCheckNodePort: prior.spec.healthCheckNodePort });
  }
  return kept;
}

/** A port keeps the port on nodes of the stored one with its name, unless another one has taken it. */
function withStoredPorts(next: Service, prior: Service): Service {
  const numbers = (service: Service) => (service.spec.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((each) => each !== 0);
  const taken = new Set(numbers(prior).filter((each) => numbers(next).includes(each)));
  const stored = new Map((prior.spec.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  const ports = (next.spec.ports ?? []).map((port) => {
    const before = stored.get(port.name ?? "") ?? 0;
    return (port.nodePort ?? 0) === 0 && before !== 0 && !taken.has(before) ? { ...port, nodePort: before } : port;
  });
  return next.spec.ports === undefined ? next : withSpec(next, { ports });
}

/** Makes the list of addresses follow the single one, which older clients write. */
export function withOneList(next: Service, prior: Service | undefined): Service {
  const { clusterIP = "" } = next.spec, addresses = addressesOf(next);
  if (prior === undefined) return clusterIP !== "" && addresses.length === 0 ? withSpec(next, { clusterIPs: [clusterIP] }) : next;
  const before = prior.spec.clusterIP ?? "";
  let kept = next;
  if (addressesOf(prior).length > 0 && addresses.length === 0 && before === clusterIP) {
    kept = withSpec(kept, { clusterIPs: prior.spec.clusterIPs });
  }
  if (before === clusterIP || !sameAddresses(kept, prior)) return kept;
  return withSpec(kept, { clusterIPs: before !== "" && clusterIP === "" ? undefined : [clusterIP] });
}

/** Whether an update changes nothing about the addresses of a service that prefers both families: such a service is left as it is. */
export function staysPreferring(next: Service, prior: Service | undefined): boolean {
  return prior !== undefined && next.spec.ipFamilyPolicy === "PreferDualStack" && prior.spec.type === next.spec.type && !isName(next) &&
    (prior.spec.ipFamilyPolicy === undefined || prior.spec.ipFamilyPolicy === "PreferDualStack") && sameAddresses(next, prior) &&
    sameFamilies(next, prior);
}

const other = (family: Family): Family => family === "IPv4" ? "IPv6" : "IPv4";

/** Completes the policy and the families of a service. `served` are the families of the cluster, the default one first. */
export function withFamilies(given: Service, prior: Service | undefined, served: readonly Family[], gates: Gates): Service {
  if (isName(given) || staysPreferring(given, prior)) return given;
  const lone = given.spec.clusterIP === none && Object.keys(given.spec.selector ?? {}).length === 0;
  const policy = given.spec.ipFamilyPolicy ?? prior?.spec.ipFamilyPolicy ?? (lone ? "RequireDualStack" : "SingleStack");
  let next = withSpec(given, { ipFamilyPolicy: policy });
  refuse(next, validateAddresses(next, prior, gates));
  const errors: FieldError[] = [], wrong = (text: string) => errors.push(invalid("spec.ipFamilyPolicy", policy, text));
  if (prior !== undefined) {
    if (policy === "SingleStack") next = withFirst(next, prior);
    else {
      const fewer = (list: typeof addressesOf | typeof familiesOf) => list(next).length > 0 && list(next).length < list(prior).length;
      if (fewer(addressesOf)) wrong("must be 'SingleStack' to release the secondary cluster IP");
      if (fewer(familiesOf)) wrong("must be 'SingleStack' to release the secondary IP family");
    }
  }
  if (policy === "SingleStack") {
    const both = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (addressesOf(next).length === 2) wrong(`${both} cluster IPs are specified`);
    if (familiesOf(next).length === 2) wrong(`${both} IP families are specified`);
  }
  let families = familiesOf(next);
  for (const [i, address] of addressesOf(next).entries()) {
    if (address === none) break;
    if (i < families.length) continue;
    const family = familyOf(address)!; // the addresses were checked
    if (served.includes(family)) families = [...families, family];
    else errors.push(invalid(`spec.clusterIPs[${i}]`, addressesOf(next), `${family} is not configured on this cluster`));
  }
  refuse(next, errors);
  if (lone) {
    if (families.length === 0) families = [served[0]!];
    return withSpec(next, { ipFamilies: families.length < 2 && policy !== "SingleStack" ? [families[0]!, other(families[0]!)] : families });
  }
  if (policy === "RequireDualStack" && served.length < 2) wrong("this cluster is not configured for dual-stack services");
  for (const [i, family] of families.entries()) {
    if (!served.includes(family)) errors.push(invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster"));
  }
  refuse(next, errors);
  if (families.length === 0) families = [served[0]!];
  const both = policy !== "SingleStack" && families.length === 1 && served.length === 2;
  return withSpec(next, { ipFamilies: both ? [families[0]!, other(families[0]!)] : families });
}

/** A service that is to have one family loses its second one, if the update does not change them itself. */
function withFirst(next: Service, prior: Service): Service {
  const addresses = addressesOf(next), families = familiesOf(next);
  return withSpec(next, {
    clusterIPs: sameAddresses(next, prior) && addresses.length > 1 ? addresses.slice(0, 1) : next.spec.clusterIPs,
    ipFamilies: sameFamilies(next, prior) && families.length > 1 ? families.slice(0, 1) : next.spec.ipFamilies,
  });
}

/** Drops what only the type before the update could have, unless the update changes it (upstream: dropTypeDependentFields). */
export function withOldTypeDropped(next: Service, prior: Service): Service {
  let kept = next;
  const { spec } = next, { spec: before } = prior;
  if (!isName(prior) && isName(next)) {
    if ((spec.clusterIP ?? "") === (before.clusterIP ?? "") && sameAddresses(next, prior)) {
      kept = withSpec(kept, { clusterIP: undefined, clusterIPs: undefined });
    }
    if (sameFamilies(next, prior)) kept = withSpec(kept, { ipFamilies: undefined });
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) kept = withSpec(kept, { ipFamilyPolicy: undefined });
  }
  if (takesNodePorts(prior) && !takesNodePorts(next)) {
    const old = new Set((before.ports ?? []).map(({ nodePort = 0 }) => nodePort));
    if ((spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || old.has(nodePort)) && spec.ports !== undefined) {
      kept = withSpec(kept, { ports: spec.ports.map(({ nodePort: _dropped, ...port }) => port) });
    }
  }
  if (hasHealthCheck(prior) && !hasHealthCheck(next) && spec.healthCheckNodePort === before.healthCheckNodePort) {
    kept = withSpec(kept, { healthCheckNodePort: undefined });
  }
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts) {
      kept = withSpec(kept, { allocateLoadBalancerNodePorts: undefined });
    }
    if (spec.loadBalancerClass === before.loadBalancerClass) kept = withSpec(kept, { loadBalancerClass: undefined });
  }
  if (isOutside(prior) && !isOutside(next) && spec.externalTrafficPolicy === before.externalTrafficPolicy) {
    kept = withSpec(kept, { externalTrafficPolicy: undefined });
  }
  return kept;
}
