/** The shape of Service. */
import { boolean, Condition, field, type Infer, int32, intOrString, list, mapBy, object, oneOf, string, structsOf } from "../../plugin.ts";
import { atomicRecord, named } from "../../toolbox.ts";

const home = "core/v1";
const struct = structsOf(home);

const protocol = named("v1.Protocol", oneOf("SCTP", "TCP", "UDP"));

const PortStatus = struct("PortStatus", {
  port: field(1, int32, "The number of the port.", { required: true }),
  protocol: field(2, protocol, "The protocol of the port.", { required: true }),
  error: field(3, string, "Why the port does not work.", { pointer: true }),
}, { doc: "The state of a port of a load balancer." });

const LoadBalancerIngress = struct("LoadBalancerIngress", {
  ip: field(1, string, "The IP address of the load balancer."),
  hostname: field(2, string, "The host name of the load balancer."),
  ipMode: field(3, named("v1.LoadBalancerIPMode", string), "How traffic to the address arrives: VIP (the default) or Proxy.", {
    pointer: true,
  }),
  ports: field(4, list(PortStatus), "The ports of the load balancer."),
}, { doc: "A place where a load balancer takes traffic." });

const LoadBalancerStatus = struct("LoadBalancerStatus", {
  ingress: field(1, list(LoadBalancerIngress), "The places where the load balancer takes traffic."),
}, { doc: "The state of a load balancer." });

const ClientIPConfig = struct("ClientIPConfig", {
  timeoutSeconds: field(1, int32, "How long a client stays with a pod, in seconds. Default 10800, which are three hours.", {
    pointer: true,
  }),
}, { doc: "The settings of affinity by the address of clients." });

const SessionAffinityConfig = struct("SessionAffinityConfig", {
  clientIP: field(1, ClientIPConfig, "The settings of affinity by the address of clients.", { pointer: true }),
}, { doc: "The settings of the affinity of clients." });

const ServicePort = struct("ServicePort", {
  name: field(1, string, "The name of the port. Required if there are several ports."),
  protocol: field(2, protocol, "TCP (the default), UDP or SCTP.", { default: "TCP", zeroIsAbsent: true }),
  appProtocol: field(6, string, "The protocol of the application on this port.", { pointer: true }),
  port: field(3, int32, "The number of the port.", { required: true }),
  targetPort: field(4, intOrString, "The number or name of the port of the pods. Default: the same number.", { written: "always" }),
  nodePort: field(5, int32, "The port on each node. The server chooses a free one if it is absent and the type needs one."),
}, {
  doc: "A port of a service.",
  applyDefaults: (self: { readonly port?: number; readonly targetPort?: number | string }) =>
    (self.targetPort ?? 0) === 0 || self.targetPort === "" ? { ...self, targetPort: self.port ?? 0 } : self,
});
export type ServicePort = Infer<typeof ServicePort>;

const ServiceStatus = struct("ServiceStatus", {
  loadBalancer: field(1, LoadBalancerStatus, "The state of the load balancer.", { written: "always" }),
  conditions: field(2, mapBy(["type"], Condition), "The state of the service.", { patch: { strategy: ["merge"], mergeKey: "type" } }),
}, { doc: "The state of a service." });

const ServiceSpec = struct("ServiceSpec", {
  ports: field(1, mapBy(["port", "protocol"], ServicePort), "The ports of the service.", {
    patch: { strategy: ["merge"], mergeKey: "port" },
  }),
  selector: field(2, atomicRecord(string), "The labels of the pods that receive the traffic."),
  clusterIP: field(3, string, "The cluster address. The server chooses one; None makes the service headless."),
  clusterIPs: field(18, list(string), "The cluster addresses, one of each IP family. The first is clusterIP."),
  type: field(
    4,
    named("v1.ServiceType", oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")),
    "How the service is reached: ClusterIP (the default), NodePort, LoadBalancer or ExternalName.",
  ),
  externalIPs: field(5, list(string), "Addresses of nodes that take traffic for the service."),
  sessionAffinity: field(
    7,
    named("v1.ServiceAffinity", oneOf("ClientIP", "None")),
    "Whether a client stays with a pod: None (the default) or ClientIP.",
  ),
  loadBalancerIP: field(8, string, "The wanted address of the load balancer. Deprecated."),
  loadBalancerSourceRanges: field(9, list(string), "Ranges of addresses from which the load balancer takes traffic."),
  externalName: field(10, string, "The DNS name that a service of type ExternalName stands for."),
  externalTrafficPolicy: field(
    11,
    named("v1.ServiceExternalTrafficPolicy", oneOf("Cluster", "Local")),
    "Where traffic from outside goes: Cluster (the default), or Local for pods of the same node.",
  ),
  healthCheckNodePort: field(
    12,
    int32,
    "The port of health checks on nodes, for load balancers with local traffic. The server chooses one.",
  ),
  publishNotReadyAddresses: field(13, boolean, "Whether pods that are not ready are published as ready."),
  sessionAffinityConfig: field(14, SessionAffinityConfig, "The settings of the affinity of clients.", { pointer: true }),
  ipFamilies: field(19, list(named("v1.IPFamily", oneOf("", "IPv4", "IPv6"))), "The IP families of the service, the first one immutable."),
  ipFamilyPolicy: field(
    17,
    named("v1.IPFamilyPolicy", oneOf("PreferDualStack", "RequireDualStack", "SingleStack")),
    "Whether the service has both IP families: SingleStack (the default), PreferDualStack or RequireDualStack.",
    { pointer: true },
  ),
  allocateLoadBalancerNodePorts: field(20, boolean, "Whether a load balancer gets ports on nodes. Default true.", { pointer: true }),
  loadBalancerClass: field(21, string, "The class of the load balancer. Immutable while the type is LoadBalancer.", { pointer: true }),
  internalTrafficPolicy: field(
    22,
    named("v1.ServiceInternalTrafficPolicy", oneOf("Cluster", "Local")),
    "Where traffic from inside goes: Cluster (the default), or Local for pods of the same node.",
    { pointer: true },
  ),
  trafficDistribution: field(
    23,
    string,
    "Which endpoints proxies prefer: PreferSameZone, PreferSameNode, or PreferClose, an older name of the first.",
    { pointer: true },
  ),
}, { doc: "The specification of a service.", applyDefaults: withSpecDefaults });
export type ServiceSpec = Infer<typeof ServiceSpec>;

/** The fields that defaults depend on. */
interface Loose {
  readonly type?: string;
  readonly sessionAffinity?: string;
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number | null } | null } | null;
  readonly externalIPs?: readonly string[];
  readonly externalTrafficPolicy?: string;
  readonly internalTrafficPolicy?: string | null;
  readonly allocateLoadBalancerNodePorts?: boolean | null;
}

const affinitySeconds = 10_800;

function withSpecDefaults<S extends Loose>(self: S): S {
  const changes: Record<string, unknown> = {};
  const { sessionAffinity = "", sessionAffinityConfig: config = null } = self;
  const affinity = sessionAffinity === "" ? "None" : sessionAffinity, type = (self.type ?? "") === "" ? "ClusterIP" : self.type;
  if (sessionAffinity === "") changes["sessionAffinity"] = affinity;
  if (type !== self.type) changes["type"] = type;
  if (affinity === "ClientIP" && (config?.clientIP?.timeoutSeconds ?? null) === null) {
    changes["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  const isOutside = type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && (self.externalIPs ?? []).length > 0);
  if (isOutside && (self.externalTrafficPolicy ?? "") === "") changes["externalTrafficPolicy"] = "Cluster";
  if ((self.internalTrafficPolicy ?? null) === null && ["ClusterIP", "NodePort", "LoadBalancer"].includes(type!)) {
    changes["internalTrafficPolicy"] = "Cluster";
  }
  if (type === "LoadBalancer" && (self.allocateLoadBalancerNodePorts ?? null) === null) changes["allocateLoadBalancerNodePorts"] = true;
  const dropsConfig = affinity === "None" && config !== null;
  if (Object.keys(changes).length === 0 && !dropsConfig) return self;
  const { sessionAffinityConfig: _dropped, ...rest } = self;
  return { ...dropsConfig ? rest : self, ...changes } as S; // `as`: the fields of S with values of their types
}

export const Service = object("Service", {
  spec: field(2, ServiceSpec, "The specification of the service.", { written: "always" }),
  status: field(3, ServiceStatus, "The state of the service. Controllers write it.", { written: "always" }),
}, {
  package: home,
  doc: "A name, an address and ports for a group of pods.",
  applyDefaults: withModes,
});
export type Service = Infer<typeof Service>;

/** Addresses of load balancers have a mode. */
function withModes<S extends { readonly spec?: Loose; readonly status?: any }>(self: S): S {
  const ingress: readonly { ip?: string; ipMode?: string }[] = self.status?.loadBalancer?.ingress ?? [];
  const lacks = (each: { ip?: string; ipMode?: string }) => (each.ip ?? "") !== "" && (each.ipMode ?? null) === null;
  if (self.spec?.type !== "LoadBalancer" || !ingress.some(lacks)) return self;
  const completed = ingress.map((each) => lacks(each) ? { ...each, ipMode: "VIP" } : each);
  return { ...self, status: { ...self.status, loadBalancer: { ...self.status.loadBalancer, ingress: completed } } };
}
