/**
 * The lifecycle of a deprecated metric:
 *
 *     deprecated ──> hidden ──> gone       STABLE is deprecated for three minor releases, BETA for one, ALPHA for none.
 *
 * A hidden metric is neither recorded nor served, unless `--show-hidden-metrics-for-version` enables it. It is hidden for one release
 * and gone in the next. Source: the metric lifecycle in Kubernetes' documentation of system metrics.
 */
import type { MetricDefinition, MetricStability } from "./define.ts";

export type MetricState = "shown" | "deprecated" | "hidden" | "gone";

/** Number of minor releases in which a deprecated metric of each class is still served. */
const releasesShown: Readonly<Record<MetricStability, number>> = { STABLE: 3, BETA: 1, ALPHA: 0 };

/** The state of a metric in a minor release (`"1.35"`). A metric that a later release deprecates is `shown`. */
export function stateAt(
  { stability, deprecatedSince }: Pick<MetricDefinition, "stability" | "deprecatedSince">,
  release: string,
): MetricState {
  if (deprecatedSince === undefined) return "shown";
  const passed = minorsBetween(deprecatedSince, release);
  if (passed < 0) return "shown";
  const left = releasesShown[stability] - passed;
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
