import { definePlugin } from "../../plugin.ts";
import { relaxedServicesGate, strictAddressesGate } from "../shared/gates.ts";
import { defaultIngressClass } from "./admission.ts";
import { ingressClasses } from "./ingress-class.ts";
import { ingresses } from "./ingress.ts";
import { networkPolicies } from "./network-policy.ts";

export { ingressClasses, ingresses, networkPolicies };

export const networkingPlugin = definePlugin({
  name: "networking",
  presets: ["kubernetes"],
  summary: "Traffic to and between pods: Ingress, IngressClass and NetworkPolicy.",
  groupPriorities: { "networking.{domain}": 17_200 },
  featureGates: { ...strictAddressesGate, ...relaxedServicesGate },
  resources: [ingressClasses, ingresses, networkPolicies],
  admission: [defaultIngressClass],
});
