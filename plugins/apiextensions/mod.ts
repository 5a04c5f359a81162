import { definePlugin } from "../../plugin.ts";
import { customResourceDefinitions } from "./definitions.ts";
import { conversionMetrics } from "./conversion/metrics.ts";
import { cleanup } from "./controllers/cleanup.ts";
import { establishing } from "./controllers/established.ts";
import { gates } from "./gates.ts";
import { definedResources } from "./serving/source.ts";

export { customResourceDefinitions };

export const apiextensionsPlugin = definePlugin({
  name: "apiextensions",
  summary: "CustomResourceDefinitions: kinds that are defined at run time.",
  featureGates: gates,
  groupPriorities: { "apiextensions.{domain}": 16_700 },
  resources: [customResourceDefinitions],
  resourceSource: definedResources,
  controllers: [establishing, cleanup],
  metrics: conversionMetrics,
});
