import { definePlugin } from "../../core/define.ts";
import { namespaceController } from "./namespace-controller.ts";
import { namespaces, namespaceSeeds } from "./namespace.ts";

export { namespaces };

export const clusterPlugin = definePlugin({
  name: "cluster",
  summary: "What every cluster has: namespaces, and what clients keep in them.",
  resources: [namespaces],
  controllers: [namespaceController],
  seeds: namespaceSeeds,
});
