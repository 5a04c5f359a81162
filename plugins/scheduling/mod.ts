import { definePlugin } from "../../plugin.ts";
import { workloadGate } from "../shared/gates.ts";
import { priorityAdmission } from "./admission.ts";
import { bootstrapSystemClasses } from "./bootstrap.ts";
import { priorityClasses } from "./priority-class.ts";
import { workloads } from "./workload.ts";

export { priorityClasses, workloads };

export const schedulingPlugin = definePlugin({
  name: "scheduling",
  presets: ["kubernetes"],
  summary: "Priorities of pods: PriorityClass, with the two classes of system pods. Groups of pods: Workload.",
  featureGates: workloadGate,
  groupPriorities: { "scheduling.{domain}": 16_600 },
  resources: [priorityClasses, workloads],
  admission: [priorityAdmission],
  startHooks: [bootstrapSystemClasses],
});
