/** The conditions of a terminating namespace, with upstream's texts (pkg/controller/namespace/deletion). */
import type { Time } from "../../toolbox.ts";
import type { NamespaceCondition } from "./namespace.ts";

/** The result of one deletion pass over a namespace. */
export interface Content {
  /** Number of remaining objects by `resource.group`; the core group is empty. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Number of remaining objects by finalizer. */
  readonly held: ReadonlyMap<string, number>;
  /** Messages of failed list and delete requests. */
  readonly failures: readonly string[];
  /** Group versions of other servers that do not answer. */
  readonly undiscovered: readonly string[];
}

interface Text {
  readonly reason: string;
  readonly message: string;
}
type Row = Text & { readonly type: string; readonly problem: (content: Content) => Text | undefined };

/** Lists the counts, sorted so that equal content gives equal messages. */
function countsText(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts].map(([what, count]) => `${what} ${verb} ${count} resource instances`).sort().join(", ");
}

/** As client-go's error for servers that aggregated discovery shows as stale. */
function discoveryText(versions: readonly string[]): string {
  const each = versions.map((version) => `${version}: stale GroupVersion discovery: ${version}`).join(", ");
  return `Discovery failed for some groups, ${versions.length} failing: unable to retrieve the complete list of server APIs: ${each}`;
}

/** One row for each condition: its text without a problem, and a function that returns the text of a problem. */
const rows: readonly Row[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
    problem: ({ undiscovered }) =>
      undiscovered.length === 0 ? undefined : { reason: "DiscoveryFailed", message: discoveryText(undiscovered) },
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
    // Versions are not parsed here.
    problem: () => undefined,
  },
  {
    type: "NamespaceDeletionContentFailure",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
    problem: ({ failures }) => {
      const message = `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`;
      return failures.length === 0 ? undefined : { reason: "ContentDeletionFailed", message };
    },
  },
  {
    type: "NamespaceContentRemaining",
    reason: "ContentRemoved",
    message: "All content successfully removed",
    problem: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : { reason: "SomeResourcesRemain", message: `Some resources are remaining: ${countsText(remaining, "has")}` },
  },
  {
    type: "NamespaceFinalizersRemaining",
    reason: "ContentHasNoFinalizers",
    message: "All content-preserving finalizers finished",
    problem: ({ held }) => {
      const message = `Some content in the namespace has finalizers remaining: ${countsText(held, "in")}`;
      return held.size === 0 ? undefined : { reason: "SomeFinalizersRemain", message };
    },
  },
];

/** Returns the conditions after a pass, or `prior` itself if nothing changes. Other conditions keep their positions. */
export function conditionsAfter(prior: readonly NamespaceCondition[], content: Content, now: Time): readonly NamespaceCondition[] {
  const next = [...prior];
  for (const { type, reason, message, problem } of rows) {
    const text = problem(content);
    const made = { type, status: text === undefined ? "False" : "True", ...(text ?? { reason, message }) };
    const index = next.findIndex((each) => each.type === type);
    const before = next[index];
    if (before?.status === made.status && before.reason === made.reason && before.message === made.message) continue;
    const since = before?.status === made.status ? before.lastTransitionTime : now;
    const condition = { type, status: made.status, lastTransitionTime: since, reason: made.reason, message: made.message };
    if (before === undefined) next.push(condition);
    else next[index] = condition;
  }
  return next.length === prior.length && next.every((each, i) => each === prior[i]) ? prior : next;
}
