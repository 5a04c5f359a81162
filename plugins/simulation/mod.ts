import { definePlugin } from "../../plugin.ts";
import { nodesSetting } from "./settings.ts";
import { stages } from "./stages/stage.ts";

/** What the controller follows: without one of these it waits. */
const followed: Readonly<Record<string, readonly string[]>> = {
  v1: ["endpoints", "namespaces", "nodes", "persistentvolumeclaims", "persistentvolumes", "pods", "replicationcontrollers", "services"],
  "apps/v1": ["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
  "autoscaling/v2": ["horizontalpodautoscalers"],
  "batch/v1": ["cronjobs", "jobs"],
  "certificates.{domain}/v1": ["certificatesigningrequests"],
  "coordination.{domain}/v1": ["leases"],
  "discovery.{domain}/v1": ["endpointslices"],
  "networking.{domain}/v1": ["ingresses"],
  "policy/v1": ["poddisruptionbudgets"],
  "storage.{domain}/v1": ["storageclasses"],
};

export const simulationPlugin = definePlugin({
  name: "simulation",
  // `--simulate` selects it.
  presets: [],
  summary: "A simulated cluster: workloads make pods, a scheduler binds them, and nodes and pods live by themselves.",
  needs: [
    "apps",
    "autoscaling",
    "batch",
    "certificates",
    "cluster",
    "coordination",
    "devices",
    "networking",
    "nodes",
    "pods",
    "policy",
    "services",
    "storage",
  ],
  settings: [nodesSetting],
  resources: [stages],
  controllers: [{
    name: "simulation",
    // Without it nothing would be simulated, and `--simulate` asks for it.
    isRequired: true,
    needs: Object.entries(followed).flatMap(([version, resources]) =>
      resources.map((resource) => ({ resource, groupVersions: [version] }))
    ),
    async run(context, signal) {
      const { simulate } = await import("./simulation.ts");
      await simulate(context, signal);
    },
  }],
});
