/** The shape of Endpoints: the addresses of a service in one object, as clients before EndpointSlice read them. */
import { field, type Infer, int32, list, object, ObjectReference, oneOf, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";

const home = "core/v1";
const struct = structsOf(home);

const EndpointPort = struct("EndpointPort", {
  name: field(1, string, "The name of the port, as in the service. Required if there are several ports."),
  port: field(2, int32, "The number of the port.", { required: true }),
  protocol: field(3, named("v1.Protocol", oneOf("SCTP", "TCP", "UDP")), "TCP (the default), UDP or SCTP."),
  appProtocol: field(4, string, "The protocol of the application on this port.", { pointer: true }),
}, {
  doc: "A port of endpoints.",
  atomic: true,
  applyDefaults: (self: { readonly protocol?: string }) => (self.protocol ?? "") === "" ? { ...self, protocol: "TCP" } : self,
});
export type EndpointPort = Infer<typeof EndpointPort>;

const EndpointAddress = struct("EndpointAddress", {
  ip: field(1, string, "The IP address.", { required: true }),
  hostname: field(3, string, "The host name of the endpoint."),
  nodeName: field(4, string, "The node of the endpoint.", { pointer: true }),
  targetRef: field(2, ObjectReference, "The object that has the address, such as a pod.", { pointer: true }),
}, { doc: "An address of endpoints.", atomic: true });
export type EndpointAddress = Infer<typeof EndpointAddress>;

const EndpointSubset = struct("EndpointSubset", {
  addresses: field(1, list(EndpointAddress), "The addresses that accept traffic."),
  notReadyAddresses: field(2, list(EndpointAddress), "The addresses that are not ready for traffic."),
  ports: field(3, list(EndpointPort), "The ports of all these addresses."),
}, { doc: "Addresses with the same ports." });
export type EndpointSubset = Infer<typeof EndpointSubset>;

export const Endpoints = object("Endpoints", {
  subsets: field(2, list(EndpointSubset), "The addresses, grouped by their ports."),
}, { package: home, doc: "The addresses of the service of this name. Deprecated: EndpointSlices have them too." });
export type Endpoints = Infer<typeof Endpoints>;
