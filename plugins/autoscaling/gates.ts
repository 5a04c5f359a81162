import type { Plugin } from "../../plugin.ts";

export const gates = { tolerance: "HPAConfigurableTolerance", zero: "HPAScaleToZero" } as const;

export const autoscalingGates: NonNullable<Plugin["featureGates"]> = {
  [gates.tolerance]: [
    { since: "1.33", stage: "Alpha", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
  [gates.zero]: [{ since: "1.16", stage: "Alpha", default: false }],
};
