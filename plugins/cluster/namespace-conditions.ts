/** What a namespace that is being deleted tells of what is left in it, in upstream's words. */
import type { Time } from "../../core/schema.ts";
import type { NamespaceCondition } from "./namespace.ts";

/** What one pass over a namespace found and could not do. */
export interface Content {
  /** Objects left, by `resource.group`; the group of the core is empty. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects left that a finalizer holds, by finalizer. */
  readonly held: ReadonlyMap<string, number>;
  /** Messages of what could not be deleted or listed. */
  readonly failures: readonly string[];
}

interface Finding {
  readonly reason: string;
  readonly message: string;
}
type Row = Finding & { readonly type: string; readonly found: (content: Content) => Finding | undefined };

/** Sorted, so that the same content always reads the same. */
function told(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts].map(([what, count]) => `${what} ${verb} ${count} resource instances`).sort().join(", ");
}

/** One row a condition: its text when all is well, and what stands against it. */
const rows: readonly Row[] = [
  // The first two are about discovery over the network and about parsing what it says: neither can fail in process.
  {
    type: "NamespaceDeletionDiscoveryFailure",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
    found: () => undefined,
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
    found: () => undefined,
  },
  {
    type: "NamespaceDeletionContentFailure",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
    found: ({ failures }) => {
      const message = `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`;
      return failures.length === 0 ? undefined : { reason: "ContentDeletionFailed", message };
    },
  },
  {
    type: "NamespaceContentRemaining",
    reason: "ContentRemoved",
    message: "All content successfully removed",
    found: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : { reason: "SomeResourcesRemain", message: `Some resources are remaining: ${told(remaining, "has")}` },
  },
  {
    type: "NamespaceFinalizersRemaining",
    reason: "ContentHasNoFinalizers",
    message: "All content-preserving finalizers finished",
    found: ({ held }) => {
      const message = `Some content in the namespace has finalizers remaining: ${told(held, "in")}`;
      return held.size === 0 ? undefined : { reason: "SomeFinalizersRemain", message };
    },
  },
];

/** The conditions after a pass; `prior` itself when they say the same. Conditions of others stay where they are. */
export function conditionsAfter(prior: readonly NamespaceCondition[], content: Content, now: Time): readonly NamespaceCondition[] {
  const next = [...prior];
  for (const { type, reason, message, found } of rows) {
    const finding = found(content);
    const made = { type, status: finding === undefined ? "False" : "True", ...(finding ?? { reason, message }) };
    const at = next.findIndex((each) => each.type === type);
    const before = next[at];
    if (before?.status === made.status && before.reason === made.reason && before.message === made.message) continue;
    const since = before?.status === made.status ? before.lastTransitionTime : now;
    const condition = { type, status: made.status, lastTransitionTime: since, reason: made.reason, message: made.message };
    if (before === undefined) next.push(condition);
    else next[at] = condition;
  }
  return next.length === prior.length && next.every((each, i) => each === prior[i]) ? prior : next;
}
