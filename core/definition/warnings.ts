import type { ApiObject } from "../meta/object-meta.ts";
import { qualifiedName } from "../meta/names.ts";

const standard: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warnings about new finalizers that are not qualified names or have no domain. */
export function finalizerWarnings(next: ApiObject, prior: ApiObject | undefined): readonly string[] {
  const known = new Set(prior?.metadata.finalizers);
  const added = [...new Set(next.metadata.finalizers)].filter((each) => !known.has(each)).toSorted();
  return added.flatMap((each) => [...qualifiedName(each), ...domainWarning(each)].map((text) => `metadata.finalizers: "${each}": ${text}`));
}

function domainWarning(finalizer: string): readonly string[] {
  if (finalizer.includes("/") || standard.has(finalizer)) return [];
  const path = finalizer.includes(".") ? " including a path (/)" : "";
  return [`prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`];
}
