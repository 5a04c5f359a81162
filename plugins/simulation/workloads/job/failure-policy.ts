/** What a job's failure policy says of a failed pod. */
import type { Pod } from "../../world/world.ts";
import type { Job } from "./types.ts";

/** The action of the first rule that the pod matches, and why. */
export interface Verdict {
  readonly action: "Count" | "Ignore" | "FailIndex" | "FailJob";
  readonly message: string;
}

/** Returns what becomes of a failed pod. Without a policy, or a rule that matches, its failure counts. */
export function verdictOf({ spec, metadata }: Job, pod: Pod): Verdict {
  const where = `pod ${metadata.namespace}/${pod.metadata.name}`;
  for (const [at, { action, onExitCodes, onPodConditions = [] }] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    if (onExitCodes !== undefined && onExitCodes !== null) {
      const { containerName, operator, values } = onExitCodes;
      const ended = [...pod.status.initContainerStatuses ?? [], ...pod.status.containerStatuses ?? []]
        .filter(({ name }) => (containerName ?? undefined) === undefined || name === containerName);
      for (const { name, state } of ended) {
        const code = state?.terminated?.exitCode;
        if (code === undefined || code === 0 || values.includes(code) !== (operator === "In")) continue;
        return { action, message: `Container ${name} for ${where} failed with exit code ${code} matching ${action} rule at index ${at}` };
      }
    }
    const condition = (pod.status.conditions ?? []).find(({ type, status }) =>
      onPodConditions.some((each) => each.type === type && (each.status || "True") === status)
    );
    if (condition !== undefined) {
      return {
        action,
        message: `Pod ${metadata.namespace}/${pod.metadata.name} has condition ${condition.type} matching ${action} rule at index ${at}`,
      };
    }
  }
  return { action: "Count", message: "" };
}
