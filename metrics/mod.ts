/** Metrics with stability classes: definitions as values, fast recording, Prometheus text format. Imports nothing of the kernel. */
export { type AllowedLabels, allowedLabelsMistake, parseAllowedLabels } from "./allowed-labels.ts";
export { combineParts, cumulativeParts, type MetricPart, type PartsOf, sampleSum } from "./combine.ts";
export {
  type Combination,
  defineMetric,
  lineNames,
  type MetricDefinition,
  metricMistakes,
  type MetricStability,
  type MetricType,
  seriesMaxDefault,
} from "./define.ts";
export { hiddenVersionMistake, metricPeriods, type MetricState, stateAt } from "./lifecycle.ts";
export type { Counter, CounterSeries, Gauge, GaugeSeries, Histogram, HistogramSeries, MetricOf, Recorder } from "./recorder.ts";
export { createRegistry, type Definitions, type Registry, type RegistryOptions } from "./registry.ts";
export { recordRemote, remoteMetric, type RemoteRecording } from "./remote.ts";
export { labelLengthMax, type Labels, unexpected } from "./series.ts";
