import { definePlugin } from "../../plugin.ts";
import { configurationProducer } from "./bootstrap.ts";
import { configurationConsumer } from "./consumer.ts";
import { flowControl } from "./flow-control.ts";
import { flowSchemas } from "./flow-schema.ts";
import { flowMetrics } from "./metrics.ts";
import { priorityLevels } from "./priority-level.ts";

export { flowSchemas, priorityLevels };

export const flowcontrolPlugin = definePlugin({
  name: "flowcontrol",
  summary: "Priority and fairness of requests: FlowSchema, PriorityLevelConfiguration.",
  groupPriorities: { "flowcontrol.apiserver.{domain}": 16_100 },
  resources: [flowSchemas, priorityLevels],
  flowControl,
  metrics: Object.values(flowMetrics),
  startHooks: [configurationProducer, configurationConsumer],
});
