import { definePlugin } from "../../plugin.ts";
import { cronJobs } from "./cron-job.ts";
import { batchGates } from "./gates.ts";
import { jobs } from "./job.ts";

export { cronJobs, jobs };

export const batchPlugin = definePlugin({
  name: "batch",
  presets: ["kubernetes"],
  summary: "Work that ends, also on a schedule: Job, CronJob.",
  needs: ["pods"],
  featureGates: batchGates,
  groupPriorities: { batch: 17_400 },
  resources: [jobs, cronJobs],
});
