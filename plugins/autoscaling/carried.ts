/**
 * What the annotations of version 1 contain, as JSON: metrics and conditions in the form of version 1, and the behavior with the names of
 * Go's fields. As in Go, names are compared without their case, and an annotation with a value of another type counts as absent.
 */
import { DecodeError, decoder } from "../../core/derive/decode.ts";
import { readJson } from "../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { field, type Infer, int32, LabelSelector, list, quantity, string, structsOf, time } from "../../plugin.ts";
import type { Node, Typed } from "../../toolbox.ts";
import { Reference } from "./version-1.ts";

const struct = structsOf("autoscaling/v1");
const always = { required: true } as const, pointer = { pointer: true } as const;

const metricName = "The name of the metric.", value = "The value.", average = "The value for each pod.", source = "A metric.";
const selectorDoc = "Labels of the metric.", percentDoc = "The use of each pod, in percent of what it requests.";

const MetricSpec = struct("MetricSpec", {
  type: field(1, string, "The type of the source.", always),
  object: field(
    2,
    struct("ObjectMetricSource", {
      target: field(1, Reference, "The object.", always),
      metricName: field(2, string, metricName, always),
      targetValue: field(3, quantity, value, always),
      selector: field(4, LabelSelector, selectorDoc, pointer),
      averageValue: field(5, quantity, average, pointer),
    }),
    source,
    pointer,
  ),
  pods: field(
    3,
    struct("PodsMetricSource", {
      metricName: field(1, string, metricName, always),
      targetAverageValue: field(2, quantity, average, always),
      selector: field(3, LabelSelector, selectorDoc, pointer),
    }),
    source,
    pointer,
  ),
  resource: field(
    4,
    struct("ResourceMetricSource", {
      name: field(1, string, "The name of the resource.", always),
      targetAverageUtilization: field(2, int32, percentDoc, pointer),
      targetAverageValue: field(3, quantity, average, pointer),
    }),
    source,
    pointer,
  ),
  containerResource: field(
    7,
    struct("ContainerResourceMetricSource", {
      name: field(1, string, "The name of the resource.", always),
      targetAverageUtilization: field(2, int32, percentDoc, pointer),
      targetAverageValue: field(3, quantity, average, pointer),
      container: field(5, string, "The name of the container.", always),
    }),
    source,
    pointer,
  ),
  external: field(
    5,
    struct("ExternalMetricSource", {
      metricName: field(1, string, metricName, always),
      metricSelector: field(2, LabelSelector, selectorDoc, pointer),
      targetValue: field(3, quantity, value, pointer),
      targetAverageValue: field(4, quantity, average, pointer),
    }),
    source,
    pointer,
  ),
});
export type CarriedMetric = Infer<typeof MetricSpec>;

const MetricStatus = struct("MetricStatus", {
  type: field(1, string, "The type of the source.", always),
  object: field(
    2,
    struct("ObjectMetricStatus", {
      target: field(1, Reference, "The object.", always),
      metricName: field(2, string, metricName, always),
      currentValue: field(3, quantity, value, always),
      selector: field(4, LabelSelector, selectorDoc, pointer),
      averageValue: field(5, quantity, average, pointer),
    }),
    source,
    pointer,
  ),
  pods: field(
    3,
    struct("PodsMetricStatus", {
      metricName: field(1, string, metricName, always),
      currentAverageValue: field(2, quantity, average, always),
      selector: field(3, LabelSelector, selectorDoc, pointer),
    }),
    source,
    pointer,
  ),
  resource: field(
    4,
    struct("ResourceMetricStatus", {
      name: field(1, string, "The name of the resource.", always),
      currentAverageUtilization: field(2, int32, percentDoc, pointer),
      currentAverageValue: field(3, quantity, average, always),
    }),
    source,
    pointer,
  ),
  containerResource: field(
    7,
    struct("ContainerResourceMetricStatus", {
      name: field(1, string, "The name of the resource.", always),
      currentAverageUtilization: field(2, int32, percentDoc, pointer),
      currentAverageValue: field(3, quantity, average, always),
      container: field(4, string, "The name of the container.", always),
    }),
    source,
    pointer,
  ),
  external: field(
    5,
    struct("ExternalMetricStatus", {
      metricName: field(1, string, metricName, always),
      metricSelector: field(2, LabelSelector, selectorDoc, pointer),
      currentValue: field(3, quantity, value, always),
      currentAverageValue: field(4, quantity, average, pointer),
    }),
    source,
    pointer,
  ),
});
export type CarriedMetricStatus = Infer<typeof MetricStatus>;

const Condition = struct("HorizontalPodAutoscalerCondition", {
  type: field(1, string, "The type of the condition.", always),
  status: field(2, string, "True, False or Unknown.", always),
  lastTransitionTime: field(3, time, "When the status last changed.", { written: "always" }),
  reason: field(4, string, "The reason."),
  message: field(5, string, "The message."),
});

const Rules = struct("HPAScalingRules", {
  StabilizationWindowSeconds: field(1, int32, "The window.", pointer),
  SelectPolicy: field(2, string, "The policy that counts.", pointer),
  Policies: field(
    3,
    list(struct("HPAScalingPolicy", {
      Type: field(1, string, "What the value counts.", always),
      Value: field(2, int32, "How much may change.", always),
      PeriodSeconds: field(3, int32, "The period.", always),
    })),
    "The policies.",
  ),
  Tolerance: field(4, quantity, "The tolerance.", pointer),
});
export type CarriedRules = Infer<typeof Rules>;
const Behavior = struct("HorizontalPodAutoscalerBehavior", {
  ScaleUp: field(1, Rules, "Up.", pointer),
  ScaleDown: field(2, Rules, "Down.", pointer),
});

const nodes = { metrics: list(MetricSpec), currentMetrics: list(MetricStatus), conditions: list(Condition), behavior: Behavior } as const;
type Carried = { readonly [K in keyof typeof nodes]: Infer<(typeof nodes)[K]> };

/** Reads the text of an annotation. Undefined if it cannot be read. */
export function readCarried<K extends keyof Carried>(key: K, text: string | undefined): Carried[K] | undefined {
  if (text === undefined) return undefined;
  const read = readJson(new TextEncoder().encode(text)), node = nodes[key] as Typed<Carried[K]>; // the node of this key
  if (!read.ok) return undefined;
  try {
    return decoder(node)(withExactNames(read.tree, node), { reader: "json", findings: [] });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return undefined; // a value of another type
  }
}

/** The tree with the names that the node has, where they differ in case only. */
function withExactNames(tree: Tree, node: Node): Tree {
  if (node.tag === "list" && Array.isArray(tree)) return tree.map((item) => withExactNames(item, node.of));
  if (node.tag !== "struct" || !(tree instanceof TreeObject)) return tree;
  const names = new Map(Object.keys(node.fields).map((name) => [name.toLowerCase(), name]));
  const known = tree.keys.flatMap((key, i) => {
    const name = names.get(key.toLowerCase());
    return name === undefined ? [] : [{ name, value: withExactNames(tree.values[i]!, node.fields[name]!.node) }];
  });
  return new TreeObject(known.map(({ name }) => name), known.map(({ value }) => value));
}
