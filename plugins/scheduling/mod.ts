import { definePlugin } from "../../plugin.ts";
import { priorityAdmission } from "./admission.ts";
import { bootstrapSystemClasses } from "./bootstrap.ts";
import { priorityClasses } from "./priority-class.ts";

export { priorityClasses };

export const schedulingPlugin = definePlugin({
  name: "scheduling",
  presets: ["kubernetes"],
  summary: "Priorities of pods: PriorityClass, with the two classes of system pods.",
  groupPriorities: { "scheduling.{domain}": 16_600 },
  resources: [priorityClasses],
  admission: [priorityAdmission],
  startHooks: [bootstrapSystemClasses],
});
