import { field, type Infer, int32, list, object, oneOf, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { TypedLocalObjectReference } from "../shared/volumes/mod.ts";

const home = "networking/v1";
const struct = structsOf(home);

const ServiceBackendPort = struct("ServiceBackendPort", {
  name: field(1, string, "The name of the port."),
  number: field(2, int32, "The number of the port."),
}, { doc: "A port of a service, by name or by number.", atomic: true });

const IngressServiceBackend = struct("IngressServiceBackend", {
  name: field(1, string, "The name of the service, which is in the namespace of the ingress.", { required: true }),
  port: field(2, ServiceBackendPort, "The port of the service.", { written: "always" }),
}, { doc: "A service as a backend." });

const IngressBackend = struct("IngressBackend", {
  service: field(4, IngressServiceBackend, "A service.", { pointer: true }),
  resource: field(3, TypedLocalObjectReference, "An object of another kind in the namespace of the ingress.", { pointer: true }),
}, { doc: "Where traffic goes: to a service or to an object of another kind." });
export type IngressBackend = Infer<typeof IngressBackend>;

const HTTPIngressPath = struct("HTTPIngressPath", {
  path: field(1, string, "The path that requests are compared with. It begins with a slash."),
  pathType: field(
    3,
    named("v1.PathType", oneOf("Exact", "ImplementationSpecific", "Prefix")),
    "How paths are compared: Exact, Prefix (by elements of the path) or ImplementationSpecific (as the controller does).",
    { pointer: true, required: true },
  ),
  backend: field(2, IngressBackend, "Where requests with the path go.", { required: true }),
}, { doc: "A path and the backend of its requests." });
export type HTTPIngressPath = Infer<typeof HTTPIngressPath>;

const HTTPIngressRuleValue = struct("HTTPIngressRuleValue", {
  paths: field(1, list(HTTPIngressPath), "The paths with their backends.", { required: true }),
}, { doc: "The paths of a host." });

const IngressRuleValue = struct("IngressRuleValue", {
  http: field(1, HTTPIngressRuleValue, "The paths of the host. Absent: all requests go to the default backend.", { pointer: true }),
}, { doc: "What a rule does with requests." });

const IngressRule = struct("IngressRule", {
  host: field(1, string, "The host of the requests; its first label may be a star. Empty: all hosts."),
  ingressRuleValue: field(2, IngressRuleValue, "What the rule does with the requests.", { inline: true }),
}, { doc: "A host and the backends of its paths." });
export type IngressRule = Infer<typeof IngressRule>;

const IngressTLS = struct("IngressTLS", {
  hosts: field(1, list(string), "The hosts of the certificate."),
  secretName: field(2, string, "The name of the secret with the certificate and its key."),
}, { doc: "A certificate for some hosts." });
export type IngressTLS = Infer<typeof IngressTLS>;

const IngressSpec = struct("IngressSpec", {
  ingressClassName: field(4, string, "The name of the class of the ingress. Absent at creation: the default class, if there is one.", {
    pointer: true,
  }),
  defaultBackend: field(1, IngressBackend, "Where requests go that no rule fits.", { pointer: true }),
  tls: field(2, list(IngressTLS), "The certificates of the hosts."),
  rules: field(3, list(IngressRule), "The hosts with the backends of their paths."),
}, { doc: "The specification of an ingress." });
export type IngressSpec = Infer<typeof IngressSpec>;

const IngressPortStatus = struct("IngressPortStatus", {
  port: field(1, int32, "The number of the port.", { required: true }),
  protocol: field(2, named("v1.Protocol", oneOf("SCTP", "TCP", "UDP")), "The protocol of the port.", { required: true }),
  error: field(3, string, "Why the port does not work: a reason in CamelCase.", { pointer: true }),
}, { doc: "The state of a port of a load balancer." });

const IngressLoadBalancerIngress = struct("IngressLoadBalancerIngress", {
  ip: field(1, string, "The IP address of the load balancer."),
  hostname: field(2, string, "The DNS name of the load balancer."),
  ports: field(4, list(IngressPortStatus), "The state of its ports."),
}, { doc: "A point where traffic enters." });
export type IngressLoadBalancerIngress = Infer<typeof IngressLoadBalancerIngress>;

const IngressLoadBalancerStatus = struct("IngressLoadBalancerStatus", {
  ingress: field(1, list(IngressLoadBalancerIngress), "The points where traffic enters."),
}, { doc: "The state of the load balancer." });

const IngressStatus = struct("IngressStatus", {
  loadBalancer: field(1, IngressLoadBalancerStatus, "The state of the load balancer.", { written: "always" }),
}, { doc: "The status of an ingress." });

export const Ingress = object("Ingress", {
  spec: field(2, IngressSpec, "The hosts, paths and backends.", { written: "always" }),
  status: field(3, IngressStatus, "The state of the ingress. Its controller sets it.", { written: "always" }),
}, { package: home, doc: "Rules by which HTTP requests from outside reach services. A controller acts on them." });
export type Ingress = Infer<typeof Ingress>;
