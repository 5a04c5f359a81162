/** The reconcilers of the simulated cluster. One that is listed here runs; no other step is needed. */
import { certificateReconciler } from "./certificates/requests.ts";
import { claimUseReconciler, podClaimReconciler } from "./devices/claims.ts";
import { autoscalerReconciler } from "./policy/autoscalers.ts";
import { disruptionBudgetReconciler } from "./policy/disruption-budgets.ts";
import { endpointCleaner, endpointReconciler } from "./services/endpoints.ts";
import { mirrorReconciler } from "./services/mirrored-endpoints.ts";
import { claimReconciler, volumeReconciler } from "./volumes/claims.ts";
import { cronJobReconciler } from "./workloads/cron-jobs.ts";
import { daemonSetReconciler } from "./workloads/daemon-sets.ts";
import { deploymentReconciler } from "./workloads/deployments.ts";
import { jobOrphanReconciler } from "./workloads/job/orphans.ts";
import { jobReconciler } from "./workloads/jobs.ts";
import { replicaSetReconciler } from "./workloads/replica-sets.ts";
import { replicationControllerReconciler } from "./workloads/replication-controllers.ts";
import { statefulSetReconciler } from "./workloads/stateful-sets.ts";
import type { Reconciler } from "./world/reconciler.ts";

/** All of them, in no order. */
export const reconcilers: readonly Reconciler[] = Object.freeze([
  replicaSetReconciler,
  deploymentReconciler,
  replicationControllerReconciler,
  statefulSetReconciler,
  daemonSetReconciler,
  jobReconciler,
  jobOrphanReconciler,
  cronJobReconciler,
  endpointReconciler,
  endpointCleaner,
  mirrorReconciler,
  disruptionBudgetReconciler,
  autoscalerReconciler,
  claimReconciler,
  volumeReconciler,
  podClaimReconciler,
  claimUseReconciler,
  certificateReconciler,
]);
