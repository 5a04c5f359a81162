/** The shape of EndpointSlice: a part of the addresses of a service. */
import { boolean, field, type Infer, int32, list, object, ObjectReference, oneOf, record, setOf, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";

const home = "discovery/v1";
const struct = structsOf(home);

const ForNode = struct("ForNode", {
  name: field(1, string, "The name of the node.", { required: true }),
}, { doc: "A node that should use an endpoint." });

const ForZone = struct("ForZone", {
  name: field(1, string, "The name of the zone.", { required: true }),
}, { doc: "A zone that should use an endpoint." });

const EndpointHints = struct("EndpointHints", {
  forZones: field(1, list(ForZone), "The zones that should use the endpoint."),
  forNodes: field(2, list(ForNode), "The nodes that should use the endpoint."),
}, { doc: "Who should use an endpoint." });
export type EndpointHints = Infer<typeof EndpointHints>;

const EndpointConditions = struct("EndpointConditions", {
  ready: field(1, boolean, "Whether the endpoint accepts new traffic. Absent: unknown, which clients take as ready.", { pointer: true }),
  serving: field(2, boolean, "Whether the endpoint answers, also while it is terminating.", { pointer: true }),
  terminating: field(3, boolean, "Whether the endpoint is going away.", { pointer: true }),
}, { doc: "The state of an endpoint." });

const EndpointPort = struct("EndpointPort", {
  name: field(1, string, "The name of the port, unique in the slice.", { pointer: true }),
  protocol: field(2, named("v1.Protocol", oneOf("SCTP", "TCP", "UDP")), "TCP (the default), UDP or SCTP.", { pointer: true }),
  port: field(3, int32, "The number of the port. Absent: all ports.", { pointer: true }),
  appProtocol: field(4, string, "The protocol of the application on this port.", { pointer: true }),
}, {
  doc: "A port of the endpoints of a slice.",
  atomic: true,
  applyDefaults: (self: { readonly name?: string | null; readonly protocol?: string | null }) =>
    (self.name ?? null) !== null && (self.protocol ?? null) !== null
      ? self
      : { ...self, name: self.name ?? "", protocol: self.protocol ?? "TCP" },
});
export type SlicePort = Infer<typeof EndpointPort>;

const Endpoint = struct("Endpoint", {
  addresses: field(1, setOf(string), "The addresses of the endpoint, of the type of the slice. Clients use the first one.", {
    required: true,
  }),
  conditions: field(2, EndpointConditions, "The state of the endpoint.", { written: "always" }),
  hostname: field(3, string, "The host name of the endpoint.", { pointer: true }),
  targetRef: field(4, ObjectReference, "The object that has the addresses, such as a pod.", { pointer: true }),
  deprecatedTopology: field(5, record(string), "Labels about the place of the endpoint, of the API before v1. Writes do not set it."),
  nodeName: field(6, string, "The node of the endpoint.", { pointer: true }),
  zone: field(7, string, "The zone of the endpoint.", { pointer: true }),
  hints: field(8, EndpointHints, "Who should use the endpoint.", { pointer: true }),
}, { doc: "An endpoint of a service, such as a pod." });
export type Endpoint = Infer<typeof Endpoint>;

export const EndpointSlice = object("EndpointSlice", {
  addressType: field(
    4,
    named("v1.AddressType", oneOf("FQDN", "IPv4", "IPv6")),
    "The type of all addresses: IPv4, IPv6 or FQDN. Immutable.",
    {
      required: true,
    },
  ),
  endpoints: field(2, list(Endpoint), "The endpoints of the slice.", { written: "always" }),
  ports: field(3, list(EndpointPort), "The ports that each of the endpoints has.", { written: "always" }),
}, { package: home, doc: "A part of the addresses of a service. A service has as many slices as its endpoints need." });
export type EndpointSlice = Infer<typeof EndpointSlice>;
