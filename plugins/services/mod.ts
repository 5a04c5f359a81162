import { definePlugin } from "../../plugin.ts";
import { endpointSlices } from "./endpoint-slice.ts";
import { endpoints } from "./endpoints.ts";
import { ipAddresses } from "./ip-address.ts";
import { serviceCIDRs } from "./service-cidr.ts";

export { endpoints, endpointSlices, ipAddresses, serviceCIDRs };

export const servicesPlugin = definePlugin({
  name: "services",
  summary: "The addresses of services: Endpoints, EndpointSlice, ServiceCIDR and IPAddress.",
  groupPriorities: { "discovery.{domain}": 16_200 },
  resources: [endpoints, endpointSlices, serviceCIDRs, ipAddresses],
});
