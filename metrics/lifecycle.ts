/**
 * What becomes of a deprecated metric, release by release:
 *
 *     deprecated ──> hidden ──> gone       STABLE stays for three releases, BETA for one, ALPHA may go at once.
 *
 * Hidden means that it is neither recorded nor served unless the operator asks for it, which works for one release: the one
 * after that it is gone. Rules: the metric lifecycle in Kubernetes' documentation of system metrics.
 */
import type { MetricDefinition, MetricStability } from "./define.ts";

export type MetricState = "shown" | "deprecated" | "hidden" | "gone";

/** Minor releases for which a deprecated metric of each class is still shown. */
const releasesShown: Readonly<Record<MetricStability, number>> = { STABLE: 3, BETA: 1, ALPHA: 0 };

/** How a metric stands at a minor release (`"1.35"`). One that is deprecated by a later release is shown as any other. */
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

/** Minor releases from `a` to `b`. A new major release is as far away as anything can be: what it drops is not counted on. */
function minorsBetween(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split(".").map(Number);
  const [bMajor = 0, bMinor = 0] = b.split(".").map(Number);
  return aMajor === bMajor ? bMinor - aMinor : Infinity * (bMajor - aMajor);
}

/** What is wrong with a value of `--show-hidden-metrics-for-version` at `release`, in upstream's words; undefined for nothing. */
export function hiddenVersionMistake(value: string, release: string): string | undefined {
  const [major = 0, minor = 0] = release.split(".").map(Number);
  const previous = `${major}.${minor - 1}`;
  if (value === "" || value === previous) return undefined;
  return `--show-hidden-metrics-for-version must be omitted or have the value '${previous}'. Only the previous minor version is allowed`;
}
