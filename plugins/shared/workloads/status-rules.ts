/** Rules of the counts in the status of workloads, with upstream's texts. */
import { type FieldError, invalid } from "../../../plugin.ts";
import { notNegative } from "../pod/rules.ts";

type Counts = Readonly<Record<string, unknown>>;

function countOf(status: Counts, name: string): number {
  return Number(status[name] ?? 0);
}

/** Checks that these counts are not negative. Absent ones are 0. */
export function validateCounts(status: Counts, names: readonly string[]): readonly FieldError[] {
  return names.flatMap((name) => notNegative(countOf(status, name), `status.${name}`));
}

/** Checks that these counts are not greater than `replicas`, and that available replicas are not more than `ready` ones. */
export function validateWithinReplicas(status: Counts, names: readonly string[], ready = "readyReplicas"): readonly FieldError[] {
  const replicas = countOf(status, "replicas"), available = countOf(status, "availableReplicas");
  return [
    ...names.filter((name) => countOf(status, name) > replicas).map((name) =>
      invalid(`status.${name}`, status[name], "cannot be greater than status.replicas")
    ),
    ...(available > countOf(status, "readyReplicas")
      ? [invalid("status.availableReplicas", available, `cannot be greater than ${ready}`)]
      : []),
  ];
}

/** Checks that the count of collisions does not become smaller. */
export function validateCollisions(next: Counts, prior: Counts): readonly FieldError[] {
  const before = prior["collisionCount"], now = countOf(next, "collisionCount");
  const isLess = before !== undefined && before !== null && (now < Number(before) || (next["collisionCount"] ?? null) === null);
  return isLess ? [invalid("status.collisionCount", now, "cannot be decremented")] : [];
}
