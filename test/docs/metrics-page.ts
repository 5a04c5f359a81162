/** docs/metrics.md, made of the definitions. */
import { kernelMetrics } from "../../kernel/observe/metrics.ts";
import { plugins } from "../../plugins/mod.ts";
import { targetRelease } from "../../kernel/catalog/gates.ts";
import { type MetricDefinition, stateAt } from "../../metrics/mod.ts";

const intro = `# Metrics

What \`/metrics\` tells, made of the definitions by \`npm run docs\`; a test fails when this page and they differ. Names, labels and buckets
are kube-apiserver's where it has the same, so that its dashboards and alerts work. \`/metrics/slis\` has the service level indicators
alone: \`kubernetes_healthcheck\` and \`kubernetes_healthchecks_total\`.

Classes are kube-apiserver's too: STABLE metrics keep name, type and labels, BETA ones may gain labels, ALPHA ones may change. A deprecated
metric says so in its help and once in the log; STABLE ones stay for three more releases and BETA ones for one, then it is hidden for
one release (\`--show-hidden-metrics-for-version\` shows it), then it is gone. \`--disabled-metrics\` leaves metrics out,
\`--allow-metric-labels\` and its manifest bound the values of a label; other values count as \`unexpected\`, as do label sets beyond the
bound of a metric. What clients can invent (paths, methods, resources that are not served) never becomes the value of a label.

Left out is what kube-apiserver counts of parts that are not here: flow control, audit, webhooks, aggregation, token caches.
`;

/** The text of the page. */
export function metricsPage(): string {
  const definitions: readonly MetricDefinition[] = [...Object.values(kernelMetrics), ...plugins.flatMap(({ metrics = [] }) => metrics)];
  const rows = definitions.toSorted((a, b) => a.name < b.name ? -1 : 1).map(rowOf);
  return [intro, "| metric | type | class | labels | help |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}

function rowOf({ name, type, stability, labels, help, buckets, deprecatedSince }: MetricDefinition): string {
  const state = stateAt({ stability, ...(deprecatedSince === undefined ? {} : { deprecatedSince }) }, targetRelease);
  const standing = deprecatedSince === undefined ? stability : `${stability}, deprecated since ${deprecatedSince} (${state})`;
  const span = buckets === undefined ? "" : ` Buckets: ${buckets.length}, from ${buckets[0]} to ${buckets.at(-1)}.`;
  return `| \`${name}\` | ${type} | ${standing} | ${labels.map((label) => `\`${label}\``).join(" ")} | ${help}${span} |`;
}
