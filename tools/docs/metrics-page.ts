/** Generates docs/metrics.md from the definitions. */
import { kernelMetrics } from "../../server/metrics/metrics.ts";
import { plugins } from "../../plugins/mod.ts";
import { serverRelease } from "../../core/releases.ts";
import { type MetricDefinition, stateAt } from "../../metrics/mod.ts";

const intro = `# Metrics

The metrics at \`/metrics\`. \`npm run docs\` generates this page from the definitions; a test fails when they differ. Metrics that
kube-apiserver also has use its names, labels and buckets, so its dashboards and alerts work. \`/metrics/slis\` serves only the service
level indicators: \`kubernetes_healthcheck\` and \`kubernetes_healthchecks_total\`. Plugins may add metrics of their own; see
[writing-a-controller.md](writing-a-controller.md#metrics).

The stability classes are those of kube-apiserver. STABLE metrics keep name, type and labels; BETA metrics may gain labels; ALPHA metrics
may change. Deprecation is shown in the help text and logged once. A deprecated STABLE metric is served for three more releases, a
BETA metric for one. Then it is hidden for one release (\`--show-hidden-metrics-for-version\` shows it) and removed in the next.

\`--disabled-metrics\` disables metrics. \`--allow-metric-labels\` and \`--allow-metric-labels-manifest\` restrict the values of a label.
Other values are recorded as \`unexpected\`, and so are label sets above the limit of a metric. Arbitrary client input (paths, methods,
resources that are not served) is never a label value.

A client that may \`delete\` the path \`/metrics\`, such as a member of \`system:masters\`, starts the metrics again with DELETE, as in kube-apiserver: counters and histograms count from
zero, and a series appears after its next recording. Gauges without labels, gauges that count up and down, and histograms without labels keep their values. DELETE on \`/metrics/slis\` does so for
the service level indicators, and with several workers for all of them. Protobuf is written for clients that accept it.

Metrics of kube-apiserver features that Thole does not have are missing, such as aggregation.
`;

/** The text of the page. */
export function metricsPage(): string {
  const definitions: readonly MetricDefinition[] = [...Object.values(kernelMetrics), ...plugins.flatMap(({ metrics = [] }) => metrics)];
  const rows = definitions.toSorted((a, b) => a.name < b.name ? -1 : 1).map(rowOf);
  return [intro, "| metric | type | class | labels | help |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}

function rowOf({ name, type, stability, labels, help, buckets, deprecatedSince }: MetricDefinition): string {
  const state = stateAt({ stability, ...(deprecatedSince === undefined ? {} : { deprecatedSince }) }, serverRelease);
  const standing = deprecatedSince === undefined ? stability : `${stability}, deprecated since ${deprecatedSince} (${state})`;
  const span = buckets === undefined ? "" : ` Buckets: ${buckets.length}, from ${buckets[0]} to ${buckets.at(-1)}.`;
  return `| \`${name}\` | ${type} | ${standing} | ${labels.map((label) => `\`${label}\``).join(" ")} | ${help}${span} |`;
}
