import { definePlugin } from "../../plugin.ts";
import { runtimeClassAdmission } from "./runtime-class-admission.ts";
import { runtimeClasses } from "./runtime-class.ts";

export { runtimeClasses };

export const nodesPlugin = definePlugin({
  name: "nodes",
  summary: "What nodes offer to pods: RuntimeClass.",
  groupPriorities: { "node.{domain}": 16_300 },
  resources: [runtimeClasses],
  admission: [runtimeClassAdmission],
});
