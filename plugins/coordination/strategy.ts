import { type FieldError, invalid, notSupported } from "../../plugin.ts";
import { qualifiedName } from "../../toolbox.ts";

export const oldestVersion = "OldestEmulationVersion";

/** The gate of coordinated leader election. */
export const electionGate = "CoordinatedLeaderElection";

/** Checks a strategy: a known name, or a name with a domain. The path `spec.strategy.strategy` is upstream's. */
export function validateStrategy(strategy: string): readonly FieldError[] {
  const path = "spec.strategy.strategy";
  if (strategy === oldestVersion) return [];
  if (!strategy.includes("/")) return [notSupported(path, strategy, [oldestVersion])];
  return qualifiedName(strategy).map((wrong) => invalid(path, strategy, wrong));
}
