import { definePlugin } from "../../plugin.ts";
import { relaxedServicesGate, strictAddressesGate } from "../shared/gates.ts";
import { denyServiceExternalIPs } from "./admission.ts";
import { apiServiceHook, defaultRangeHook } from "./bootstrap.ts";
import { endpointSlices } from "./endpoint-slice.ts";
import { endpoints } from "./endpoints.ts";
import { ipAddresses } from "./ip-address.ts";
import { repairHook } from "./repair.ts";
import { serviceCIDRs } from "./service-cidr.ts";
import { services } from "./service.ts";

export { endpoints, endpointSlices, ipAddresses, serviceCIDRs, services };

export const servicesPlugin = definePlugin({
  name: "services",
  summary: "Services with their addresses and ports: Service, Endpoints, EndpointSlice, ServiceCIDR and IPAddress.",
  groupPriorities: { "discovery.{domain}": 16_200 },
  featureGates: { ...strictAddressesGate, ...relaxedServicesGate },
  resources: [services, endpoints, endpointSlices, serviceCIDRs, ipAddresses],
  admission: [denyServiceExternalIPs],
  startHooks: [defaultRangeHook, apiServiceHook, repairHook],
});
