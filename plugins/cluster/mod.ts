import { definePlugin } from "../../core/define.ts";
import { leaseGates, leases } from "./lease.ts";
import { namespaceController } from "./namespace-controller.ts";
import { namespaces, namespaceSeeds } from "./namespace.ts";
import { serviceAccountController } from "./service-account-controller.ts";
import { serviceAccounts } from "./service-account.ts";

export { leases, namespaces, serviceAccounts };

export const clusterPlugin = definePlugin({
  name: "cluster",
  summary: "What every cluster has: namespaces, service accounts and leases.",
  featureGates: leaseGates,
  groupPriorities: { "coordination.{domain}": 16_500 },
  resources: [namespaces, serviceAccounts, leases],
  controllers: [namespaceController, serviceAccountController],
  seeds: namespaceSeeds,
});
