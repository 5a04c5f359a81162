import {
  ageColumn,
  boolean,
  type Column,
  defineResource,
  field,
  type Infer,
  int32,
  intOrString,
  list,
  nameColumn,
  object,
  record,
  string,
  structsOf,
} from "../../plugin.ts";

const home = "core/v1";
const struct = structsOf(home);

const ServicePort = struct("ServicePort", {
  name: field(1, string, "The name of the port."),
  protocol: field(2, string, "TCP, UDP or SCTP."),
  appProtocol: field(6, string, "The application protocol."),
  port: field(3, int32, "The port of the service.", { required: true }),
  targetPort: field(4, intOrString, "The number or name of the port of the pods."),
  nodePort: field(5, int32, "The port on each node."),
}, { doc: "A port of a service." });

const ClientIPConfig = struct("ClientIPConfig", {
  timeoutSeconds: field(1, int32, "Duration of the session affinity in seconds."),
}, { doc: "The configuration of session affinity by client address." });

const SessionAffinityConfig = struct("SessionAffinityConfig", {
  clientIP: field(1, ClientIPConfig, "The configuration of session affinity by client address."),
}, { doc: "The configuration of session affinity." });

/** The schema is complete, because clients validate requests against the OpenAPI document before they send them. */
const ServiceSpec = struct("ServiceSpec", {
  ports: field(1, list(ServicePort), "The ports of the service."),
  selector: field(2, record(string), "The labels of the pods that receive the traffic."),
  clusterIP: field(3, string, "The IP address in the cluster."),
  clusterIPs: field(18, list(string), "The IP addresses in the cluster."),
  type: field(4, string, "The type of the service: ClusterIP, NodePort, LoadBalancer or ExternalName."),
  externalIPs: field(5, list(string), "IP addresses of nodes that accept traffic for the service."),
  sessionAffinity: field(7, string, "The session affinity: ClientIP or None."),
  loadBalancerIP: field(8, string, "The requested IP address of the load balancer."),
  loadBalancerSourceRanges: field(9, list(string), "CIDRs from which the load balancer accepts traffic."),
  externalName: field(10, string, "The DNS name that the service is an alias of."),
  externalTrafficPolicy: field(11, string, "The routing of external traffic: Cluster or Local."),
  healthCheckNodePort: field(12, int32, "The port of the health check on nodes."),
  publishNotReadyAddresses: field(13, boolean, "Whether endpoints include pods that are not ready."),
  sessionAffinityConfig: field(14, SessionAffinityConfig, "The configuration of session affinity."),
  ipFamilies: field(19, list(string), "The IP families: IPv4, IPv6 or both."),
  ipFamilyPolicy: field(17, string, "The IP family policy: SingleStack, PreferDualStack or RequireDualStack."),
  allocateLoadBalancerNodePorts: field(20, boolean, "Whether node ports are allocated for a load balancer."),
  loadBalancerClass: field(21, string, "The class of the load balancer."),
  internalTrafficPolicy: field(22, string, "The routing of internal traffic: Cluster or Local."),
  trafficDistribution: field(23, string, "The preference for the distribution of traffic to endpoints."),
}, { doc: "The specification of a service." });

const Service = object("Service", {
  spec: field(2, ServiceSpec, "The specification of the service."),
}, {
  package: home,
  doc: "A name for a group of pods. This server runs no workloads, so it has no services. The collection can be read and is empty.",
});
type Service = Infer<typeof Service>;

const columns: readonly Column<Service>[] = [nameColumn, ageColumn];

/** This resource is served because `kubectl cluster-info` lists services, and fails if the resource is missing. */
export const services = defineResource<Service>({
  kind: "Service",
  scope: "Namespaced",
  shortNames: ["svc"],
  categories: ["all"],
  summary: "A name for a group of pods. This server has none.",
  storedAs: "v1",
  storedUnder: "services/specs",
  served: { v1: { schema: Service, introduced: "1.0", columns } },
  strategy: {
    without: ["create", "update", "patch", "delete", "deletecollection"],
    withoutReason: "this server runs no workloads, so there are no services; the collection can be read and is empty",
  },
});
