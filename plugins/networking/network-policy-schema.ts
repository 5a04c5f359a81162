import { field, type Infer, int32, intOrString, LabelSelector, list, object, oneOf, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { keepingEmpty } from "../shared/keeping-empty.ts";

const home = "networking/v1";
const struct = structsOf(home);

const IPBlock = struct("IPBlock", {
  cidr: field(1, string, "The addresses of the block, such as 192.0.2.0/24 or 2001:db8::/64.", { required: true }),
  except: field(2, list(string), "Parts of the block that do not belong to it."),
}, { doc: "A block of IP addresses without some of its parts." });
export type IPBlock = Infer<typeof IPBlock>;

const NetworkPolicyPeer = struct("NetworkPolicyPeer", {
  podSelector: field(1, LabelSelector, "Selects pods of the policy's namespace, or of the selected namespaces.", { pointer: true }),
  namespaceSelector: field(2, LabelSelector, "Selects namespaces. Without podSelector all of their pods are selected.", { pointer: true }),
  ipBlock: field(3, IPBlock, "A block of IP addresses. No other field may be set with it.", { pointer: true }),
}, { doc: "A peer that traffic is allowed from or to." });
export type NetworkPolicyPeer = Infer<typeof NetworkPolicyPeer>;

const NetworkPolicyPort = struct("NetworkPolicyPort", {
  protocol: field(1, named("v1.Protocol", oneOf("SCTP", "TCP", "UDP")), "The protocol: TCP (the default), UDP or SCTP.", { pointer: true }),
  port: field(2, intOrString, "The number or name of the port. Absent: all ports.", { pointer: true }),
  endPort: field(3, int32, "The last port of a range that begins with port, which must be a number.", { pointer: true }),
}, {
  doc: "A port, or a range of ports, that traffic is allowed on.",
  applyDefaults: (self: { readonly protocol?: string | null }) => (self.protocol ?? null) === null ? { ...self, protocol: "TCP" } : self,
});
export type NetworkPolicyPort = Infer<typeof NetworkPolicyPort>;

const NetworkPolicyEgressRule = struct("NetworkPolicyEgressRule", {
  ports: field(1, list(NetworkPolicyPort), "The ports that traffic is allowed on. Empty: all."),
  to: field(2, list(NetworkPolicyPeer), "The peers that traffic is allowed to. Empty: all."),
}, { doc: "Allows traffic from the selected pods that fits both the ports and the peers." });

const NetworkPolicyIngressRule = struct("NetworkPolicyIngressRule", {
  ports: field(1, list(NetworkPolicyPort), "The ports that traffic is allowed on. Empty: all."),
  from: field(2, list(NetworkPolicyPeer), "The peers that traffic is allowed from. Empty: all."),
}, { doc: "Allows traffic to the selected pods that fits both the ports and the peers." });

const NetworkPolicySpec = struct("NetworkPolicySpec", {
  podSelector: field(1, LabelSelector, "The pods of the namespace that the policy is about. An empty selector selects all.", {
    written: "always",
  }),
  ingress: field(2, list(NetworkPolicyIngressRule), "Rules that allow traffic to the pods."),
  egress: field(3, list(NetworkPolicyEgressRule), "Rules that allow traffic from the pods."),
  policyTypes: field(
    4,
    list(named("v1.PolicyType", oneOf("Egress", "Ingress"))),
    "The directions that the policy restricts. Default: Ingress, and also Egress if there are rules for it.",
  ),
}, {
  doc: "The specification of a policy.",
  applyDefaults(self: { readonly policyTypes?: readonly string[] | null; readonly egress?: readonly unknown[] | null }) {
    if ((self.policyTypes?.length ?? 0) > 0) return self;
    return { ...self, policyTypes: (self.egress?.length ?? 0) > 0 ? ["Ingress", "Egress"] : ["Ingress"] };
  },
});
export type NetworkPolicySpec = Infer<typeof NetworkPolicySpec>;

export const NetworkPolicy = object("NetworkPolicy", {
  // Upstream compares specs exactly to count their changes.
  spec: field(2, keepingEmpty(NetworkPolicySpec), "The specification of the policy.", { written: "always" }),
}, { package: home, doc: "The traffic that is allowed to and from pods of a namespace. A network plugin enforces it." });
export type NetworkPolicy = Infer<typeof NetworkPolicy>;
