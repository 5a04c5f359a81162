/** The result of the checks of a store, for people and for programs. */
import type { JsonObject } from "../core/json.ts";
import { type CheckName, checkNames, checks, countOf } from "./verify/checks.ts";
import type { Verified } from "./verify/verify-store.ts";
import { printable } from "../core/printable.ts";

/** Returns one line for each problem, the errors first. */
export function problemLines({ findings, isPartial }: Verified): readonly string[] {
  const lines = checkNames.flatMap((name) => {
    const { count, texts, hidden } = findings[name];
    return [...texts, ...(hidden === 0 ? [] : [`${hidden} more of ${count}: ${checks[name].counted}`])];
  });
  const printed = lines.map(printable);
  return isPartial ? [...printed, "the store has too many objects: not all uids, owners and namespaces were compared"] : printed;
}

/** Objects that are wrong by themselves first. */
const summed: readonly CheckName[] = Object.freeze([
  "unreadable",
  "mismatched",
  ...checkNames.filter((name) => name !== "unreadable" && name !== "mismatched"),
]);

/** Returns one line with the counts. */
export function summaryLine({ read, custom, other, findings }: Verified): string {
  const counts = summed.map((name) => `${findings[name].count} ${checks[name].counted}`);
  return `The store has ${read} objects, ${custom} of them custom resources, and ${other} other keys. ${counts.join(", ")}.`;
}

/** Returns the result of `-o json`. */
export function verifiedJson({ revision, read, custom, other, bytes, findings, isPartial }: Verified): JsonObject {
  return {
    revision,
    objects: read,
    customResources: custom,
    otherKeys: other,
    bytes,
    complete: !isPartial,
    errors: countOf(findings, "error"),
    warnings: countOf(findings, "warning"),
    checks: Object.fromEntries(
      checkNames.map((name) => [name, { severity: checks[name].severity, count: findings[name].count, messages: findings[name].texts }]),
    ),
  };
}
