/**
 * The lifecycle of a deprecated metric:
 *
 *     deprecated ──> hidden ──> gone       STABLE is deprecated for three minor releases, BETA for one, ALPHA for none.
 *
 * A hidden metric is neither recorded nor served, unless `--show-hidden-metrics-for-version` enables it. It is hidden for one release
 * and gone in the next. Source: the metric lifecycle in Kubernetes' documentation of system metrics.
 */
import type { MetricStability } from "./stability.ts";

export type MetricState = "shown" | "deprecated" | "hidden" | "gone";

/**
 * Minor releases in which a metric of each class is served before it may be deprecated (12 months or 4 releases, 8 months or 2), and after
 * its deprecation (9 months or 3 releases, 4 months or 1). A release takes four months.
 */
export const metricPeriods: Readonly<Record<MetricStability, { readonly beforeDeprecation: number; readonly afterDeprecation: number }>> =
  Object
    .freeze({
      STABLE: { beforeDeprecation: 4, afterDeprecation: 3 },
      BETA: { beforeDeprecation: 2, afterDeprecation: 1 },
      ALPHA: { beforeDeprecation: 0, afterDeprecation: 0 },
    });

interface Deprecatable {
  readonly stability: MetricStability;
  readonly deprecatedSince?: string;
}

/** The mistake of a metric that is deprecated too early after its introduction; undefined if it is not. */
export function earlyDeprecation(
  { stability, introducedIn, deprecatedSince }: Required<Deprecatable> & { readonly introducedIn: string },
): string | undefined {
  const least = metricPeriods[stability].beforeDeprecation;
  if (minorsBetween(introducedIn, deprecatedSince) >= least) return undefined;
  const [major = 0, minor = 0] = introducedIn.split(".").map(Number);
  return `deprecated in ${deprecatedSince}, but a ${stability} metric that ${introducedIn} introduced is served for ${least} releases before that: ` +
    `set deprecatedSince to "${major}.${minor + least}.0" or later (deprecation policy, rule metric-deprecation)`;
}

/** The state of a metric in a minor release (`"1.35"`). A metric that a later release deprecates is `shown`. */
export function stateAt(
  { stability, deprecatedSince }: Deprecatable,
  release: string,
): MetricState {
  if (deprecatedSince === undefined) return "shown";
  const passed = minorsBetween(deprecatedSince, release);
  if (passed < 0) return "shown";
  const left = metricPeriods[stability].afterDeprecation - passed;
  return left > 0 ? "deprecated" : left === 0 ? "hidden" : "gone";
}

/** Number of minor releases from `a` to `b`; infinite (or minus infinity) between major releases. */
function minorsBetween(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split(".").map(Number);
  const [bMajor = 0, bMinor = 0] = b.split(".").map(Number);
  return aMajor === bMajor ? bMinor - aMinor : Infinity * (bMajor - aMajor);
}

/** Upstream's error for an invalid value of `--show-hidden-metrics-for-version` in `release`; undefined for a valid one. */
export function hiddenVersionMistake(value: string, release: string): string | undefined {
  const [major = 0, minor = 0] = release.split(".").map(Number);
  const previous = `${major}.${minor - 1}`;
  if (value === "" || value === previous) return undefined;
  return `--show-hidden-metrics-for-version must be omitted or have the value '${previous}'. Only the previous minor version is allowed`;
}
