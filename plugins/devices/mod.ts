import { definePlugin } from "../../plugin.ts";
import { deviceClasses } from "./device-class.ts";
import { resourceClaims } from "./resource-claim.ts";
import { resourceClaimTemplates } from "./resource-claim-template.ts";
import { deviceGates, gateDependencies } from "./gates.ts";

export { deviceClasses, resourceClaims, resourceClaimTemplates };

export const devicesPlugin = definePlugin({
  name: "devices",
  summary: "Dynamic resource allocation: DeviceClass, ResourceClaim and ResourceClaimTemplate.",
  presets: ["kubernetes"],
  featureGates: deviceGates,
  gateDependencies,
  groupPriorities: { "resource.{domain}": 16_200 },
  resources: [deviceClasses, resourceClaims, resourceClaimTemplates],
});
