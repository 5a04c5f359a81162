/** The built-in plugin families, in their order. A family listed here is registered; no other step is needed. */
import type { Plugin } from "../core/plugin.ts";
import { admissionregistrationPlugin } from "./admissionregistration/mod.ts";
import { apiextensionsPlugin } from "./apiextensions/mod.ts";
import { apiregistrationPlugin } from "./apiregistration/mod.ts";
import { appsPlugin } from "./apps/mod.ts";
import { authenticationPlugin } from "./authentication/mod.ts";
import { authorizationPlugin } from "./authorization/mod.ts";
import { certificatesPlugin } from "./certificates/mod.ts";
import { autoscalingPlugin } from "./autoscaling/mod.ts";
import { batchPlugin } from "./batch/mod.ts";
import { clusterPlugin } from "./cluster/mod.ts";
import { coordinationPlugin } from "./coordination/mod.ts";
import { configmapsPlugin } from "./configmaps/mod.ts";
import { csiPlugin } from "./csi/mod.ts";
import { devicesPlugin } from "./devices/mod.ts";
import { flowcontrolPlugin } from "./flowcontrol/mod.ts";
import { internalPlugin } from "./internal/mod.ts";
import { migrationPlugin } from "./migration/mod.ts";
import { networkingPlugin } from "./networking/mod.ts";
import { nodesPlugin } from "./nodes/mod.ts";
import { podsPlugin } from "./pods/mod.ts";
import { policyPlugin } from "./policy/mod.ts";
import { quotasPlugin } from "./quotas/mod.ts";
import { rbacPlugin } from "./rbac/mod.ts";
import { schedulingPlugin } from "./scheduling/mod.ts";
import { servicesPlugin } from "./services/mod.ts";
import { simulationPlugin } from "./simulation/mod.ts";
import { storagePlugin } from "./storage/mod.ts";

/** The plugins of the built-in kinds, in the order in which they are served. `start` serves all of them by default. */
export const plugins: readonly Plugin[] = Object.freeze([
  clusterPlugin,
  coordinationPlugin,
  podsPlugin,
  appsPlugin,
  configmapsPlugin,
  storagePlugin,
  csiPlugin,
  schedulingPlugin,
  servicesPlugin,
  networkingPlugin,
  policyPlugin,
  certificatesPlugin,
  nodesPlugin,
  devicesPlugin,
  batchPlugin,
  autoscalingPlugin,
  migrationPlugin,
  flowcontrolPlugin,
  internalPlugin,
  authenticationPlugin,
  authorizationPlugin,
  rbacPlugin,
  admissionregistrationPlugin,
  quotasPlugin,
  apiextensionsPlugin,
  apiregistrationPlugin,
  simulationPlugin,
]);
