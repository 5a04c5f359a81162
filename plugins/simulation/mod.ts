import { definePlugin } from "../../plugin.ts";
import { stages } from "./stages/stage.ts";

export const simulationPlugin = definePlugin({
  name: "simulation",
  // `--simulate` selects it.
  presets: [],
  summary: "A simulated cluster: workloads make pods, a scheduler binds them, and nodes and pods live by themselves.",
  needs: ["apps", "autoscaling", "batch", "nodes", "pods", "policy", "services", "storage"],
  resources: [stages],
  controllers: [{
    name: "simulation",
    async run(context, signal) {
      const { simulate } = await import("./simulation.ts");
      await simulate(context, signal);
    },
  }],
});
