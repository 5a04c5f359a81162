import { definePlugin } from "../../plugin.ts";
import { eventRateLimit } from "./event-rate-limit.ts";
import { events } from "./event.ts";
import { garbageCollector, garbageCollectorMetrics } from "./garbage-collector.ts";
import { generalSteps } from "./general-steps.ts";
import { legacyTokenCleaner } from "./legacy-token-cleaner.ts";
import { legacyTokenController } from "./legacy-token-controller.ts";
import { legacyTokenTracking } from "./legacy-token-tracking.ts";
import { namespaceController } from "./namespace-controller.ts";
import { bootstrapNamespaces, namespaces } from "./namespace.ts";
import { ownerPermissions } from "./owner-permissions.ts";
import { rootCaController } from "./root-ca-controller.ts";
import { serviceAccountController } from "./service-account-controller.ts";
import { serviceAccounts } from "./service-account.ts";
import { tokenGateDependencies, tokenGates } from "./token-request.ts";

export { events, namespaces, serviceAccounts };

export const clusterPlugin = definePlugin({
  name: "cluster",
  summary: "The core resources of a cluster: namespaces, service accounts and events.",
  featureGates: tokenGates,
  gateDependencies: tokenGateDependencies,
  groupPriorities: { "events.{domain}": 17_750 },
  resources: [namespaces, serviceAccounts, events],
  admission: [...generalSteps, eventRateLimit, ownerPermissions],
  controllers: [
    namespaceController,
    serviceAccountController,
    legacyTokenController,
    legacyTokenTracking,
    legacyTokenCleaner,
    rootCaController,
    garbageCollector,
  ],
  metrics: garbageCollectorMetrics,
  bootstrapObjects: bootstrapNamespaces,
});
