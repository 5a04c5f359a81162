import { definePlugin } from "../../plugin.ts";
import { deviceClasses } from "./device-class.ts";
import { resourceClaims } from "./resource-claim.ts";
import { resourceClaimTemplates } from "./resource-claim-template.ts";
import { resourceSlices } from "./resource-slice.ts";
import { deviceTaintRules } from "./device-taint-rule.ts";
import { deviceGates, gateDependencies } from "./gates.ts";

export { deviceClasses, deviceTaintRules, resourceClaims, resourceClaimTemplates, resourceSlices };

export const devicesPlugin = definePlugin({
  name: "devices",
  summary: "Dynamic resource allocation: DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice and DeviceTaintRule.",
  presets: ["kubernetes"],
  featureGates: deviceGates,
  gateDependencies,
  groupPriorities: { "resource.{domain}": 16_200 },
  resources: [deviceClasses, resourceClaims, resourceClaimTemplates, resourceSlices, deviceTaintRules],
});
