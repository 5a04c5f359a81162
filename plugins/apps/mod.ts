import { definePlugin } from "../../plugin.ts";
import { controllerRevisions } from "./controller-revision.ts";
import { daemonSets } from "./daemon-set.ts";
import { deployments } from "./deployment.ts";
import { featureGates } from "./gates.ts";
import { replicaSets } from "./replica-set.ts";
import { statefulSets } from "./stateful-set.ts";

export { controllerRevisions, daemonSets, deployments, replicaSets, statefulSets };

export const appsPlugin = definePlugin({
  name: "apps",
  presets: ["kubernetes"],
  summary: "Workloads that keep pods running: Deployment, ReplicaSet, StatefulSet, DaemonSet, ControllerRevision.",
  needs: ["pods"],
  featureGates,
  groupPriorities: { apps: 17_800 },
  resources: [deployments, replicaSets, statefulSets, daemonSets, controllerRevisions],
});
