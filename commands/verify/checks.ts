/** The checks of a store: one table with their severity and how a summary counts them. */
import { bound } from "../../core/bound.ts";
import { logTextLengthMax } from "../../core/bounds.ts";

/** Problems of one kind that `thole verify` and `thole import` show; the others are counted. */
export const unreadableShownMax = bound(100);

export type Severity = "error" | "warning";

export interface Check {
  readonly severity: Severity;
  /** After a number, in a summary: `3 objects cannot be read`. */
  readonly counted: string;
}

/** In the order in which they are shown. */
export const checks = Object.freeze(
  {
    unreadable: { severity: "error", counted: "objects cannot be read" },
    duplicates: { severity: "error", counted: "uids are used more than once" },
    mismatched: { severity: "warning", counted: "custom resources do not match their schemas" },
    undefinedResources: { severity: "warning", counted: "custom resources have no definition" },
    missingOwners: { severity: "warning", counted: "owners are missing" },
    missingNamespaces: { severity: "warning", counted: "namespaces are missing" },
  } as const satisfies Readonly<Record<string, Check>>,
);
export type CheckName = keyof typeof checks;
export const checkNames: readonly CheckName[] = Object.freeze(Object.keys(checks) as CheckName[]); // The keys of the table.

/** Problems of one check. */
export interface Found {
  readonly count: number;
  /** One text for each, at most `unreadableShownMax`. */
  readonly texts: readonly string[];
  /** Problems without a text. */
  readonly hidden: number;
}
export type Findings = Readonly<Record<CheckName, Found>>;

/** Collects problems. */
export class Problems implements Found {
  count = 0;
  hidden = 0;
  readonly texts: string[] = [];
  /** `count`: the number of problems that the text is about. */
  add(text: string, count = 1): void {
    this.count += count;
    if (this.texts.length < unreadableShownMax) this.texts.push(text.slice(0, logTextLengthMax));
    else this.hidden += count;
  }
}

/** Returns the number of problems of a severity. */
export function countOf(findings: Findings, severity: Severity): number {
  return checkNames.reduce((sum, name) => sum + (checks[name].severity === severity ? findings[name].count : 0), 0);
}
