import { definePlugin } from "../../plugin.ts";
import { quotasAdmission } from "./admission.ts";
import { quotaController } from "./controller.ts";
import { limitRanges } from "./limit-range.ts";
import { resourceQuotas } from "./resource-quota.ts";

export { limitRanges, resourceQuotas };

export const quotasPlugin = definePlugin({
  name: "quotas",
  summary: "Limits of what a namespace uses: ResourceQuota, LimitRange.",
  resources: [resourceQuotas, limitRanges],
  admission: quotasAdmission,
  controllers: [quotaController],
});
