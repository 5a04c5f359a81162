/** The table of autoscalers, made from the stored form in both versions. */
import { ageColumn, type Column, nameColumn } from "../../plugin.ts";
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from "./schema.ts";

const unknown = "<unknown>", shownMax = 2;

function metricsText({ spec: { metrics = [] }, status: { currentMetrics } }: HorizontalPodAutoscaler): string {
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, i) => metricText(metric, currentMetrics?.[i])), shown = texts.slice(0, shownMax).join(", ");
  return texts.length > shownMax ? `${shown} + ${texts.length - shownMax} more...` : shown;
}

/** The last value and the wanted one. Without a value, upstream writes that of an empty quantity. */
function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { external, pods, object, resource, containerResource } = metric;
  if (metric.type === "External" && external !== undefined) return valueText(external.target, status?.external?.current);
  if (metric.type === "Pods" && pods !== undefined) {
    return `${status?.pods === undefined ? unknown : status.pods.current.averageValue ?? "<nil>"}/${pods.target.averageValue}`;
  }
  if (metric.type === "Object" && object !== undefined) return valueText(object.target, status?.object?.current);
  if (metric.type === "Resource" && resource !== undefined) return useText(resource, status?.resource?.current);
  if (metric.type === "ContainerResource" && containerResource !== undefined) {
    return useText(containerResource, status?.containerResource?.current);
  }
  return "<unknown type>";
}

type Current = NonNullable<MetricStatus["resource"]>["current"] | undefined;
type Target = NonNullable<MetricSpec["resource"]>["target"];

function valueText({ value, averageValue }: Target, current: Current): string {
  if (averageValue !== undefined) return `${current?.averageValue ?? unknown}/${averageValue} (avg)`;
  return `${current === undefined ? unknown : current.value ?? "<nil>"}/${value}`;
}

function useText({ name, target }: { readonly name: string; readonly target: Target }, current: Current): string {
  if (target.averageValue !== undefined) {
    return `${name}: ${current === undefined ? unknown : current.averageValue ?? "<nil>"}/${target.averageValue}`;
  }
  const used = current?.averageUtilization, wanted = target.averageUtilization;
  return `${name}: ${used === undefined ? unknown : `${used}%`}/${wanted === undefined ? "<auto>" : `${wanted}%`}`;
}

export const columns: readonly Column<HorizontalPodAutoscaler>[] = [
  nameColumn,
  {
    name: "Reference",
    type: "string",
    description: "The object whose replicas are changed.",
    cell: ({ spec: { scaleTargetRef: { kind, name } } }) => `${kind}/${name}`,
  },
  { name: "Targets", type: "string", description: "The last and the wanted values of the metrics.", cell: metricsText },
  {
    name: "MinPods",
    type: "string",
    description: "The smallest number of replicas.",
    cell: ({ spec }) => String(spec.minReplicas ?? "<unset>"),
  },
  // The cells of the next two are numbers, as upstream.
  { name: "MaxPods", type: "string", description: "The largest number of replicas.", cell: ({ spec }) => spec.maxReplicas },
  {
    name: "Replicas",
    type: "string",
    description: "The number of replicas that was last seen.",
    cell: ({ status }) => status.currentReplicas ?? 0,
  },
  ageColumn,
];
