import {
  Condition,
  field,
  type Infer,
  int32,
  int64,
  intOrString,
  LabelSelector,
  mapBy,
  object,
  oneOf,
  record,
  structsOf,
  time,
} from "../../plugin.ts";
import { named } from "../../toolbox.ts";

const home = "policy/v1";
const struct = structsOf(home);

export const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"] as const;

const PodDisruptionBudgetSpec = struct("PodDisruptionBudgetSpec", {
  minAvailable: field(1, intOrString, "How many of the pods, or which percentage, must stay available after an eviction.", {
    pointer: true,
  }),
  selector: field(2, LabelSelector, "The pods that the budget is about. Absent: none. Empty: all pods of the namespace.", {
    pointer: true,
    patch: { strategy: ["replace"] },
  }),
  maxUnavailable: field(3, intOrString, "How many of the pods, or which percentage, may be unavailable after an eviction.", {
    pointer: true,
  }),
  unhealthyPodEvictionPolicy: field(
    4,
    named("v1.UnhealthyPodEvictionPolicyType", oneOf(...evictionPolicies)),
    "When running pods that are not ready may be evicted: always (AlwaysAllow), or only while enough pods are healthy (IfHealthyBudget).",
    { pointer: true },
  ),
}, { doc: "How many pods must stay available." });
export type PodDisruptionBudgetSpec = Infer<typeof PodDisruptionBudgetSpec>;

const PodDisruptionBudgetStatus = struct("PodDisruptionBudgetStatus", {
  observedGeneration: field(1, int64, "The generation of the budget that this status is about."),
  disruptedPods: field(
    2,
    record(time),
    "The pods whose eviction was allowed and whose deletion was not seen yet, with the time of the eviction.",
  ),
  disruptionsAllowed: field(3, int32, "How many pods may be evicted now.", { written: "always" }),
  currentHealthy: field(4, int32, "How many pods are healthy now.", { written: "always" }),
  desiredHealthy: field(5, int32, "How many pods must be healthy.", { written: "always" }),
  expectedPods: field(6, int32, "How many pods the budget counts.", { written: "always" }),
  conditions: field(7, mapBy(["type"], Condition), "The conditions of the budget.", { patch: { strategy: ["merge"], mergeKey: "type" } }),
}, { doc: "What a controller counted for the budget." });
export type PodDisruptionBudgetStatus = Infer<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = object("PodDisruptionBudget", {
  spec: field(2, PodDisruptionBudgetSpec, "What the budget demands.", { written: "always" }),
  status: field(3, PodDisruptionBudgetStatus, "What was last counted for the budget.", { written: "always" }),
}, { package: home, doc: "A limit of how many pods may be evicted at the same time." });
export type PodDisruptionBudget = Infer<typeof PodDisruptionBudget>;
