/**
 * The deprecation policy: its rules and periods. Definitions are checked with these values, and docs/deprecation-policy.md is generated from
 * them. Source: the deprecation policy of Kubernetes.
 */
import type { Release } from "../releases.ts";
import type { Stage } from "../versions.ts";

/** A period of time: the longer one of a number of months and a number of minor releases. */
export interface Period {
  readonly months: number;
  readonly releases: number;
}

/** There are three minor releases a year. */
export const monthsPerRelease = 4;

/** Returns a period as a number of minor releases. */
export function releasesOf({ months, releases }: Period): number {
  return Math.max(releases, Math.ceil(months / monthsPerRelease));
}

/** Returns a text such as "9 months or 3 releases, whichever is longer". */
export function periodText({ months, releases }: Period): string {
  if (months === 0 && releases === 0) return "none";
  return `${months} months or ${releases} ${releases === 1 ? "release" : "releases"}, whichever is longer`;
}

const none: Period = { months: 0, releases: 0 };

/** How long a beta version is served: at most so long before its deprecation, and exactly so long after it. */
export const betaVersion: { readonly untilDeprecation: Period; readonly untilRemoval: Period } = Object.freeze({
  untilDeprecation: { months: 9, releases: 3 },
  untilRemoval: { months: 9, releases: 3 },
});
/** Beta versions that were introduced earlier had no maximum time until their deprecation. */
export const betaLifetimeSince: Release = "1.19";
/** Beta versions that were introduced earlier are served by default. */
export const betaOffSince: Release = "1.22";

/** How long a deprecated flag of an administrator's program works, by the stage of its feature. */
export const flagPeriods: Readonly<Record<Stage, Period>> = Object.freeze({
  GA: { months: 6, releases: 1 },
  Beta: { months: 3, releases: 1 },
  Alpha: none,
});

/** How long a gate can still be set after it has no effect, or is deprecated, by the stage that it had before. */
export const gatePeriods: Readonly<Record<"graduated" | Stage, Period>> = Object.freeze({
  graduated: { months: 6, releases: 2 },
  GA: { months: 6, releases: 2 },
  Beta: { months: 3, releases: 1 },
  Alpha: none,
});

/** The rules, by the names that errors and tests use. */
export const policyRules = Object.freeze({
  "element-removal":
    "Fields, enum values, subresources and kinds of a beta or GA version are removed only together with the version. Types do not change, and optional fields do not become required.",
  "replacement":
    "A deprecated beta or GA version names its replacement if the kind lives on. The replacement is served when the version is deprecated, and outlives it.",
  "replacement-stability": "A version is not deprecated in favor of a less stable one.",
  "ga-version-removal": "A GA version may be deprecated. It is not removed within its major release.",
  "beta-version-deprecation": `A beta version is deprecated at most ${
    releasesOf(betaVersion.untilDeprecation)
  } releases after its introduction.`,
  "beta-version-removal": `A beta version is deprecated before it is removed, and is served for ${
    releasesOf(betaVersion.untilRemoval)
  } releases after that, not longer.`,
  "alpha-version-removal": "An alpha version may be removed in any release.",
  "stored-version": "The stored version advances only after a release that supports both the old and the new version.",
  "preferred-version": "The preferred version of a group advances only after a release that supports both the old and the new version.",
  "beta-off-by-default": `A beta version is off by default if it was introduced in ${betaOffSince} or later; an alpha version always is.`,
  "deprecated-version":
    "Each request of a deprecated version gets a Warning header, sets a metric with the release that removes the version, and annotates its audit event.",
  "removed-version":
    "A version is not served from the release on that removes it. In that release itself, only a setting that names it enables it.",
  "gate-default": "An alpha gate is off by default and can be set.",
  "gate-stages": "The stages of a gate follow each other: alpha, beta, GA; deprecated is the last one.",
  "gate-removal": "A gate that has no effect any more, or is deprecated, can still be set for a period that depends on its stage before.",
  "gate-warning": "A gate that is GA or deprecated warns when it is set. One that is locked cannot be set to another value.",
  "flag-warning": "A deprecated flag warns when it is set, and in --help. --suppress-deprecation-warnings silences the log.",
  "flag-removal": "A deprecated flag works for a period that depends on the stage of its feature, and names its replacement.",
  "metric-deprecation": "A metric is deprecated only after it was served for a period that depends on its stability class.",
  "metric-warning": "The help of a deprecated metric says since when, and its first recording is logged.",
  "metric-hiding":
    "A deprecated metric is served for a period that depends on its class, is hidden in the next release, and removed one release later.",
});
export type PolicyRule = keyof typeof policyRules;

/** Returns a mistake: what is wrong, what to do, and the rule. */
export function violation(rule: PolicyRule, problem: string, remedy: string): string {
  return `${problem}: ${remedy} (deprecation policy, rule ${rule})`;
}
