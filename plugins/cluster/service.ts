import { defineResource } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import { ageColumn, type Column, nameColumn } from "../../core/meta/columns.ts";
import { boolean, field, type Infer, int32, intOrString, list, record, string, structsOf } from "../../core/schema.ts";

const home = "core/v1";
const struct = structsOf(home);

const ServicePort = struct("ServicePort", {
  name: field(1, string, "Name of the port."),
  protocol: field(2, string, "TCP, UDP or SCTP."),
  appProtocol: field(6, string, "Protocol of the application behind it."),
  port: field(3, int32, "Port of the service.", { required: true }),
  targetPort: field(4, intOrString, "Number or name of the port of the pods."),
  nodePort: field(5, int32, "Port on each node."),
}, { doc: "One port of a service." });

const ClientIPConfig = struct("ClientIPConfig", {
  timeoutSeconds: field(1, int32, "Seconds that a client stays with its pod."),
}, { doc: "How long a client stays with its pod." });

const SessionAffinityConfig = struct("SessionAffinityConfig", {
  clientIP: field(1, ClientIPConfig, "Affinity by the client's address."),
}, { doc: "How clients stay with their pods." });

/** Whole, because clients validate what they send by it before they ask. */
const ServiceSpec = struct("ServiceSpec", {
  ports: field(1, list(ServicePort), "Ports of the service."),
  selector: field(2, record(string), "Labels of the pods that stand behind it."),
  clusterIP: field(3, string, "Address inside of the cluster."),
  clusterIPs: field(18, list(string), "Addresses inside of the cluster."),
  type: field(4, string, "How it can be reached."),
  externalIPs: field(5, list(string), "Addresses of nodes that accept traffic for it."),
  sessionAffinity: field(7, string, "ClientIP or None."),
  loadBalancerIP: field(8, string, "Address that a load balancer is asked for."),
  loadBalancerSourceRanges: field(9, list(string), "Addresses from which a load balancer accepts traffic."),
  externalName: field(10, string, "Name that it is an alias of."),
  externalTrafficPolicy: field(11, string, "Where traffic from outside goes: Cluster or Local."),
  healthCheckNodePort: field(12, int32, "Port of the health check on nodes."),
  publishNotReadyAddresses: field(13, boolean, "Whether pods that are not ready count."),
  sessionAffinityConfig: field(14, SessionAffinityConfig, "How clients stay with their pods."),
  ipFamilies: field(19, list(string), "IPv4, IPv6 or both."),
  ipFamilyPolicy: field(17, string, "SingleStack, PreferDualStack or RequireDualStack."),
  allocateLoadBalancerNodePorts: field(20, boolean, "Whether a load balancer gets ports on nodes."),
  loadBalancerClass: field(21, string, "Class of the load balancer."),
  internalTrafficPolicy: field(22, string, "Where traffic from inside goes: Cluster or Local."),
  trafficDistribution: field(23, string, "Which pods are preferred."),
}, { doc: "How a service can be reached." });

const Service = object("Service", {
  spec: field(2, ServiceSpec, "How it can be reached."),
}, {
  package: home,
  doc: "A name for a group of pods. There are no pods here, so there are no services either: the collection can be read.",
});
type Service = Infer<typeof Service>;

const columns: readonly Column<Service>[] = [nameColumn, ageColumn];

/** `kubectl cluster-info` asks for the services of the cluster itself, and fails where nobody can tell that there are none. */
export const services = defineResource<Service>({
  kind: "Service",
  scope: "Namespaced",
  shortNames: ["svc"],
  categories: ["all"],
  summary: "A name for a group of pods; there are none here.",
  storedAs: "v1",
  storedUnder: "services/specs",
  served: { v1: { schema: Service, introduced: "1.0", columns } },
  strategy: {
    without: ["create", "update", "patch", "delete", "deletecollection"],
    withoutReason: "this server runs no workloads, so there are no services; the collection can be read and is empty",
  },
});
