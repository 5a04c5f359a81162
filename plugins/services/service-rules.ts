/** The rules of services, with upstream's texts and order. */
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../../plugin.ts";
import { dns1123Subdomain, type Gates, type Names, portNumber, spell, validateLabels } from "../../toolbox.ts";
import { validateAddress, validateEndpointAddress } from "../shared/addresses.ts";
import { isStrict } from "../shared/gates.ts";
import { invalidCidr } from "../shared/cidr.ts";
import { readAddress } from "../shared/address-text.ts";
import { label, subdomain, validateByRule, validatePort, validateQualifiedName } from "../shared/pod/rules.ts";
import { validateAddressChanges, validateAddresses } from "./service-address-rules.ts";
import { addressesOf, hasHealthCheck, isBalancer, isHeadless, isName, isOutside } from "./service-facts.ts";
import type { Service, ServicePort } from "./service-schema.ts";

interface Context {
  readonly names: Names;
  readonly gates: Gates;
}

const affinities = ["ClientIP", "None"];
const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const protocols = ["SCTP", "TCP", "UDP"];
const policies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const modes = ["Proxy", "VIP"];
const balancerOnly = "may only be used when `type` is 'LoadBalancer'";

/** One day: the longest time that a client stays with a pod. */
const affinitySecondsMax = 86_400;

export function validateServiceUpdate(next: Service, prior: Service, context: Context): readonly FieldError[] {
  const changedClass = isBalancer(next) && isBalancer(prior) && next.spec.loadBalancerClass !== prior.spec.loadBalancerClass;
  return [
    ...validateAddressChanges(next, prior),
    ...(changedClass ? [invalid("spec.loadBalancerClass", next.spec.loadBalancerClass ?? null, "may not change once set")] : []),
    ...validateClass(next),
    ...(hasHealthCheck(next) && hasHealthCheck(prior) && next.spec.healthCheckNodePort !== prior.spec.healthCheckNodePort
      ? [forbidden("spec.healthCheckNodePort", "field is immutable")]
      : []),
    ...validateService(next, prior, context),
  ];
}

export function validateService(next: Service, prior: Service | undefined, context: Context): readonly FieldError[] {
  const { spec } = next, ports = spec.ports ?? [], { names, gates } = context, known = prior?.spec.externalIPs ?? [];
  return [
    ...validateTopology(next, names),
    ...(ports.length === 0 && !isHeadless(next) && !isName(next) ? [required("spec.ports", "")] : []),
    ...validateType(next),
    ...validatePorts(ports),
    ...validateLabels(spec.selector ?? {}, "spec.selector"),
    ...validateAffinity(next),
    ...validateAddresses(next, prior, gates),
    ...(spec.externalIPs ?? []).flatMap((each, i) => validateExternal(each, `spec.externalIPs[${i}]`, known, gates)),
    ...validateKnown(spec.type, types, "spec.type"),
    ...(spec.type === "ClusterIP"
      ? ports.flatMap(({ nodePort = 0 }, i) =>
        nodePort === 0 ? [] : [forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
      )
      : []),
    ...validateUnique(ports),
    ...validateSources(next, prior, context),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer(next)
      ? [forbidden("spec.allocateLoadBalancerNodePorts", balancerOnly)]
      : []),
    ...validateClass(next),
    ...validateOutside(next),
    ...validateInside(next),
    ...(spec.trafficDistribution === undefined || distributions.includes(spec.trafficDistribution)
      ? []
      : [notSupported("spec.trafficDistribution", spec.trafficDistribution, distributions)]),
  ];
}

/** Two annotations for the same mode must agree. */
function validateTopology({ metadata: { annotations = {} } }: Service, names: Names): readonly FieldError[] {
  const hints = spell(names, "service.{platform}.io/topology-aware-hints"), mode = spell(names, "service.{platform}.io/topology-mode");
  if (annotations[hints] === undefined || annotations[mode] === undefined || annotations[hints] === annotations[mode]) return [];
  return [invalid(`metadata.annotations[${mode}]`, annotations[mode], `must match annotations[${hints}] when both are specified`)];
}

function validateKnown(value: string | undefined, known: readonly string[], path: string): readonly FieldError[] {
  if ((value ?? "") === "") return [required(path, "")];
  return known.includes(value!) ? [] : [notSupported(path, value, known)];
}

function validateType(next: Service): readonly FieldError[] {
  const { spec, spec: { type, externalName = "" } } = next;
  if (type === "LoadBalancer" || type === "NodePort") {
    return isHeadless(next) ? [invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`)] : [];
  }
  if (type !== "ExternalName") return [];
  const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName, not = "may not be set for ExternalName services";
  return [
    ...(addressesOf(next).length > 0 ? [forbidden("spec.clusterIPs", not)] : []),
    ...((spec.ipFamilies ?? []).length > 0 ? [forbidden("spec.ipFamilies", not)] : []),
    ...(spec.ipFamilyPolicy === undefined ? [] : [forbidden("spec.ipFamilyPolicy", not)]),
    ...(name === "" ? [required("spec.externalName", "")] : subdomain(name, "spec.externalName")),
  ];
}

function validatePorts(ports: readonly ServicePort[]): readonly FieldError[] {
  return ports.flatMap(({ name = "", port, protocol, targetPort, appProtocol }, i) => {
    const path = `spec.ports[${i}]`;
    return [
      ...(name !== "" ? label(name, `${path}.name`) : ports.length > 1 ? [required(`${path}.name`, "")] : []),
      ...(name !== "" && ports.findIndex((each) => each.name === name) < i ? [duplicate(`${path}.name`, name)] : []),
      ...portNumber(port).map((wrong) => invalid(`${path}.port`, port, wrong)),
      ...validateKnown(protocol, protocols, `${path}.protocol`),
      ...validatePort(targetPort ?? 0, `${path}.targetPort`),
      ...(appProtocol === undefined ? [] : validateQualifiedName(appProtocol, `${path}.appProtocol`)),
    ];
  });
}

function validateAffinity({ spec: { sessionAffinity, sessionAffinityConfig: config } }: Service): readonly FieldError[] {
  const path = "spec.sessionAffinityConfig", seconds = config?.clientIP?.timeoutSeconds;
  const errors = validateKnown(sessionAffinity, affinities, "spec.sessionAffinity");
  if (sessionAffinity === "None" && config !== undefined) {
    return [...errors, forbidden(path, "must not be set when session affinity is None")];
  }
  if (sessionAffinity !== "ClientIP") return errors;
  if (config === undefined) return [...errors, required(path, "when session affinity type is ClientIP")];
  if (config.clientIP === undefined) return [...errors, required(`${path}.clientIP`, "when session affinity type is ClientIP")];
  if (seconds === undefined) return [...errors, required(`${path}.clientIP.timeoutSeconds`, "when session affinity type is ClientIP")];
  return seconds > 0 && seconds <= affinitySecondsMax
    ? errors
    : [...errors, invalid(`${path}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${affinitySecondsMax}`)];
}

function validateExternal(address: string, path: string, known: readonly string[], gates: Gates): readonly FieldError[] {
  const errors = known.includes(address) ? [] : validateAddress(address, path, isStrict(gates));
  return errors.length > 0 ? errors : validateEndpointAddress(address, path);
}

/** A number is used once for each protocol. */
function validateUnique(ports: readonly ServicePort[]): readonly FieldError[] {
  const repeats = (i: number, same: (a: ServicePort, b: ServicePort) => boolean) =>
    ports.findIndex((each) => each.protocol === ports[i]!.protocol && same(each, ports[i]!)) < i;
  return [
    ...ports.flatMap(({ nodePort = 0 }, i) =>
      nodePort !== 0 && repeats(i, (a, b) => a.nodePort === b.nodePort) ? [duplicate(`spec.ports[${i}].nodePort`, nodePort)] : []
    ),
    ...ports.flatMap(({ port, protocol }, i) =>
      repeats(i, (a, b) => a.port === b.port)
        // As upstream, the value is a port with these two members only.
        ? [duplicate(`spec.ports[${i}]`, { protocol, port, targetPort: 0 })]
        : []
    ),
  ];
}

function validateSources(next: Service, prior: Service | undefined, { names, gates }: Context): readonly FieldError[] {
  const { spec: { loadBalancerSourceRanges: ranges = [] }, metadata: { annotations = {} } } = next;
  const cidrRule = (text: string) => invalidCidr(text, isStrict(gates));
  const refused = (path: string) => isBalancer(next) ? [] : [forbidden(path, balancerOnly)];
  if (ranges.length > 0) {
    const path = "spec.LoadBalancerSourceRanges", known = (prior?.spec.loadBalancerSourceRanges ?? []).map((each) => each.trim());
    return [
      ...refused(path),
      ...ranges.flatMap((each, i) => known.includes(each.trim()) ? [] : validateByRule(cidrRule, each.trim(), `${path}[${i}]`)),
    ];
  }
  const key = spell(names, "service.beta.{platform}.io/load-balancer-source-ranges"), value = annotations[key];
  if (value === undefined) return [];
  const path = `metadata.annotations[${key}]`;
  if (value.trim() === "" || prior?.metadata.annotations?.[key] === value) return refused(path);
  return [...refused(path), ...value.trim().split(",").flatMap((each) => validateByRule(cidrRule, each.trim(), path))];
}

function validateClass(next: Service): readonly FieldError[] {
  const { loadBalancerClass: name } = next.spec, path = "spec.loadBalancerClass";
  if (name === undefined) return [];
  return isBalancer(next) ? validateQualifiedName(name, path) : [forbidden(path, balancerOnly)];
}

function validateOutside(next: Service): readonly FieldError[] {
  const { externalTrafficPolicy: policy, healthCheckNodePort: port = 0 } = next.spec, at = "spec.healthCheckNodePort";
  return [
    ...(isOutside(next)
      ? validateKnown(policy, policies, "spec.externalTrafficPolicy")
      : (policy ?? "") as string === ""
      ? []
      : [invalid("spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services")]),
    ...(hasHealthCheck(next)
      ? port === 0 ? [required(at, "")] : portNumber(port).map((wrong) => invalid(at, port, wrong))
      : port === 0
      ? []
      : [invalid(at, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")]),
  ];
}

function validateInside({ spec: { type, internalTrafficPolicy: policy } }: Service): readonly FieldError[] {
  const path = "spec.internalTrafficPolicy";
  if (policy !== undefined) return policies.includes(policy) ? [] : [notSupported(path, policy, policies)];
  return type === "ExternalName" || !types.includes(type ?? "") ? [] : [required(path, "")];
}

/** The rules of a status. */
export function validateServiceStatus(next: Service, prior: Service, gates: Gates): readonly FieldError[] {
  const ingress = next.status.loadBalancer?.ingress ?? [], path = "status.loadBalancer.ingress";
  if (!isBalancer(next) && ingress.length > 0) return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = (prior.status.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  return ingress.flatMap(({ ip = "", hostname = "", ipMode }, i) => {
    const at = `${path}[${i}]`;
    return [
      ...(ip === "" || known.includes(ip) ? [] : validateAddress(ip, `${at}.ip`, isStrict(gates))),
      ...(ipMode === undefined
        ? ip === "" ? [] : [required(`${at}.ipMode`, "must be specified when `ip` is set")]
        : ip === ""
        ? [forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set")]
        : modes.includes(ipMode)
        ? []
        : [notSupported(`${at}.ipMode`, ipMode, modes)]),
      ...(hostname === "" ? [] : [
        ...validateByRule(dns1123Subdomain, hostname, `${at}.hostname`),
        ...(readAddress(hostname) === undefined ? [] : [invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address")]),
      ]),
    ];
  });
}
