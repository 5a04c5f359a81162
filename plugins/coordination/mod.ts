import { definePlugin } from "../../plugin.ts";
import { leaderElection } from "./election-controller.ts";
import { identityGate, identityHook } from "./identity.ts";
import { leaseCandidates } from "./lease-candidate.ts";
import { leases } from "./lease.ts";
import { electionGate } from "./strategy.ts";

export { leaseCandidates, leases };

export const coordinationPlugin = definePlugin({
  name: "coordination",
  summary: "Locks, and candidates for them: Lease, LeaseCandidate.",
  featureGates: {
    [identityGate]: [
      { since: "1.20", stage: "Alpha", default: false },
      { since: "1.26", stage: "Beta", default: true },
    ],
    [electionGate]: [
      { since: "1.31", stage: "Alpha", default: false },
      { since: "1.33", stage: "Beta", default: false },
    ],
  },
  groupPriorities: { "coordination.{domain}": 16_500 },
  resources: [leases, leaseCandidates],
  controllers: [leaderElection],
  startHooks: [identityHook],
});
