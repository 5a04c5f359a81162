import type { Plugin } from "../../plugin.ts";

/** The gate by which conditions and status record the generation on which they are based. */
export const observedGenerationGate = "CRDObservedGenerationTracking";
/** The gate by which updates ignore errors of unchanged values of custom resources. */
export const ratchetingGate = "CRDValidationRatcheting";
export const fieldSelectorsGate = "CustomResourceFieldSelectors";

export const gates: NonNullable<Plugin["featureGates"]> = {
  [observedGenerationGate]: [
    { since: "1.35", stage: "Beta", default: false },
    { since: "1.36", stage: "Beta", default: true },
  ],
  [ratchetingGate]: [
    { since: "1.28", stage: "Alpha", default: false },
    { since: "1.30", stage: "Beta", default: true },
    { since: "1.33", stage: "GA", default: true, locked: true },
  ],
  [fieldSelectorsGate]: [
    { since: "1.30", stage: "Alpha", default: false },
    { since: "1.31", stage: "Beta", default: true },
    { since: "1.32", stage: "GA", default: true, locked: true },
  ],
};
