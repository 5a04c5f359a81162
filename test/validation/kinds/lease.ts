import { type Case, type Change, type KindRules, rule } from "../rule.ts";

function inSpec(at: string, reason: Case["reason"], broken: Change, held: Change): Case {
  return { at: `spec.${at}`, reason, broken: { spec: broken }, held: { spec: held } };
}
const both = "create+update";
const strategy = "OldestEmulationVersion";

/** With the gate CoordinatedLeaderElection, without which the last two rules have no fields. */
export const lease: KindRules = {
  kind: "coordination.k8s.io/v1/Lease",
  path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
  valid: {},
  rules: [
    rule(
      ["spec.leaseDurationSeconds", both, "Invalid", "> 0"],
      inSpec("leaseDurationSeconds", "Invalid", { leaseDurationSeconds: 0 }, { leaseDurationSeconds: 1 }),
    ),
    rule(
      ["spec.leaseTransitions", both, "Invalid", ">= 0"],
      inSpec("leaseTransitions", "Invalid", { leaseTransitions: -1 }, { leaseTransitions: 0 }),
    ),
    rule(
      [
        "spec.strategy",
        both,
        "NotSupported / Invalid",
        "OldestEmulationVersion, or qualifiedName containing / (unknown plain name reported at spec.strategy.strategy)",
      ],
      inSpec("strategy.strategy", "NotSupported", { strategy: "Youngest" }, { strategy }),
      inSpec("strategy.strategy", "Invalid", { strategy: "example.com/a b" }, { strategy: "example.com/a" }),
    ),
    rule(
      ["spec.preferredHolder", both, "Forbidden", "only with strategy"],
      inSpec("preferredHolder", "Forbidden", { preferredHolder: "a" }, { strategy, preferredHolder: "a" }),
    ),
  ],
};
