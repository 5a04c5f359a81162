import type { Plugin } from "../../plugin.ts";

/** Conditions and status have the generation that they are based on. */
export const observedGenerationGate = "CRDObservedGenerationTracking";
/** Errors of unchanged values of custom resources are ignored in updates. */
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
