/** HorizontalPodAutoscaler in version 2, which is the stored one. */
import { field, type Infer, int32, int64, LabelSelector, list, mapBy, object, quantity, string, structsOf, time } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { behaviorDefaults, defaultMetrics, withoutCarried } from "./defaults.ts";

const home = "autoscaling/v2";
const struct = structsOf(home);
const always = { required: true } as const, pointer = { pointer: true } as const;

const CrossVersionObjectReference = struct("CrossVersionObjectReference", {
  kind: field(1, string, "The kind of the object.", always),
  name: field(2, string, "The name of the object.", always),
  apiVersion: field(3, string, "The group and version of the kind."),
}, { doc: "Names an object in the same namespace." });
export type CrossVersionObjectReference = Infer<typeof CrossVersionObjectReference>;

const MetricIdentifier = struct("MetricIdentifier", {
  name: field(1, string, "The name of the metric.", always),
  selector: field(2, LabelSelector, "Labels of the metric. Absent: only the name counts.", pointer),
}, { doc: "Names a metric." });
export type MetricIdentifier = Infer<typeof MetricIdentifier>;

const MetricTarget = struct("MetricTarget", {
  type: field(1, named("v2.MetricTargetType", string), "What is compared: Utilization, Value or AverageValue.", always),
  value: field(2, quantity, "The wanted value of the metric.", pointer),
  averageValue: field(3, quantity, "The wanted value for each pod.", pointer),
  averageUtilization: field(4, int32, "The wanted use of each pod, in percent of what it requests. Only for resources.", pointer),
}, { doc: "The wanted value of a metric." });
export type MetricTarget = Infer<typeof MetricTarget>;

const MetricValueStatus = struct("MetricValueStatus", {
  value: field(1, quantity, "The value of the metric.", pointer),
  averageValue: field(2, quantity, "The value for each pod.", pointer),
  averageUtilization: field(3, int32, "The use of each pod, in percent of what it requests.", pointer),
}, { doc: "The value of a metric." });

const resourceNode = named("v1.ResourceName", string), sourceType = named("v2.MetricSourceType", string);
const sourceTypeDoc = "Which of the sources is set: ContainerResource, External, Object, Pods or Resource.";
const metric = field(1, MetricIdentifier, "The metric.", always), target = field(2, MetricTarget, "The wanted value.", always);
const current = field(2, MetricValueStatus, "The value that was last read.", always);
const resource = field(1, resourceNode, "The name of the resource, such as cpu.", always);
const container = field(3, string, "The name of the container.", always);

const MetricSpec = struct("MetricSpec", {
  type: field(1, sourceType, sourceTypeDoc, always),
  object: field(
    2,
    struct("ObjectMetricSource", {
      describedObject: field(1, CrossVersionObjectReference, "The object.", always),
      target,
      metric: field(3, MetricIdentifier, "The metric.", always),
    }, { doc: "A metric of one object." }),
    "A metric of one object.",
    pointer,
  ),
  pods: field(3, struct("PodsMetricSource", { metric, target }, { doc: "A metric of each pod." }), "A metric of each pod.", pointer),
  resource: field(
    4,
    struct("ResourceMetricSource", { name: resource, target }, { doc: "A resource that the pods use." }),
    "A resource that the pods use.",
    pointer,
  ),
  containerResource: field(
    7,
    struct("ContainerResourceMetricSource", { name: resource, target, container }, {
      doc: "A resource that one container of the pods uses.",
    }),
    "A resource that one container of the pods uses.",
    pointer,
  ),
  external: field(
    5,
    struct("ExternalMetricSource", { metric, target }, { doc: "A metric of no object." }),
    "A metric of no object.",
    pointer,
  ),
}, { doc: "A metric and its wanted value." });
export type MetricSpec = Infer<typeof MetricSpec>;

const MetricStatus = struct("MetricStatus", {
  type: field(1, sourceType, sourceTypeDoc, always),
  object: field(
    2,
    struct("ObjectMetricStatus", {
      metric,
      current,
      describedObject: field(3, CrossVersionObjectReference, "The object.", always),
    }, { doc: "The value of a metric of one object." }),
    "A metric of one object.",
    pointer,
  ),
  pods: field(
    3,
    struct("PodsMetricStatus", { metric, current }, { doc: "The value of a metric of each pod." }),
    "A metric of each pod.",
    pointer,
  ),
  resource: field(
    4,
    struct("ResourceMetricStatus", { name: resource, current }, { doc: "What the pods use of a resource." }),
    "A resource that the pods use.",
    pointer,
  ),
  containerResource: field(
    7,
    struct("ContainerResourceMetricStatus", { name: resource, current, container }, {
      doc: "What one container of the pods uses of a resource.",
    }),
    "A resource that one container of the pods uses.",
    pointer,
  ),
  external: field(
    5,
    struct("ExternalMetricStatus", { metric, current }, { doc: "The value of a metric of no object." }),
    "A metric of no object.",
    pointer,
  ),
}, { doc: "The value of a metric that was last read." });
export type MetricStatus = Infer<typeof MetricStatus>;

const HPAScalingPolicy = struct("HPAScalingPolicy", {
  type: field(1, named("v2.HPAScalingPolicyType", string), "What the value counts: Pods or Percent.", always),
  value: field(2, int32, "How much may change in the period.", always),
  periodSeconds: field(3, int32, "The period in seconds, at most 1800.", always),
}, { doc: "How much may change in a period." });

const HPAScalingRules = struct("HPAScalingRules", {
  stabilizationWindowSeconds: field(
    3,
    int32,
    "How many seconds earlier recommendations count, at most 3600. Default 0 for scaling up.",
    pointer,
  ),
  selectPolicy: field(1, named("v2.ScalingPolicySelect", string), "Which policy counts: Max (the default), Min or Disabled.", pointer),
  policies: field(
    2,
    list(HPAScalingPolicy),
    "How much may change. Default: at most 4 pods or 100 percent up, 100 percent down, in 15 seconds.",
    {
      keepsEmpty: true,
    },
  ),
  tolerance: field(4, quantity, "By which part of the wanted value the metric may differ without a change, such as 0.01.", pointer),
}, { doc: "Rules of scaling in one direction." });
export type HPAScalingRules = Infer<typeof HPAScalingRules>;

const HorizontalPodAutoscalerBehavior = struct("HorizontalPodAutoscalerBehavior", {
  scaleUp: field(1, HPAScalingRules, "Rules of scaling up.", pointer),
  scaleDown: field(2, HPAScalingRules, "Rules of scaling down.", pointer),
}, { doc: "Rules of scaling in both directions.", applyDefaults: behaviorDefaults });
export type HorizontalPodAutoscalerBehavior = Infer<typeof HorizontalPodAutoscalerBehavior>;

const HorizontalPodAutoscalerCondition = struct("HorizontalPodAutoscalerCondition", {
  type: field(1, named("v2.HorizontalPodAutoscalerConditionType", string), "The type of the condition.", always),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", always),
  lastTransitionTime: field(3, time, "When the status last changed.", { written: "always" }),
  reason: field(4, string, "The reason of the last change in one word."),
  message: field(5, string, "The last change in a sentence."),
}, { doc: "A condition of an autoscaler." });
export type HorizontalPodAutoscalerCondition = Infer<typeof HorizontalPodAutoscalerCondition>;

const HorizontalPodAutoscalerSpec = struct("HorizontalPodAutoscalerSpec", {
  scaleTargetRef: field(1, CrossVersionObjectReference, "The object whose replicas are changed.", always),
  minReplicas: field(2, int32, "The smallest number of replicas. Default 1.", { pointer: true, unpublishedDefault: 1 }),
  maxReplicas: field(3, int32, "The largest number of replicas.", always),
  metrics: field(4, list(MetricSpec), "The metrics; the one that wants most replicas counts. Default: 80 percent of the requested cpu.", {
    unpublishedDefault: defaultMetrics,
  }),
  behavior: field(5, HorizontalPodAutoscalerBehavior, "Rules of scaling. Absent: those of the controller.", pointer),
}, { doc: "What an autoscaler changes, and by which metrics." });
export type HorizontalPodAutoscalerSpec = Infer<typeof HorizontalPodAutoscalerSpec>;

const HorizontalPodAutoscalerStatus = struct("HorizontalPodAutoscalerStatus", {
  observedGeneration: field(1, int64, "The generation of the autoscaler that this status is about.", pointer),
  lastScaleTime: field(2, time, "When the number of replicas was last changed.", pointer),
  currentReplicas: field(3, int32, "The number of replicas that was last seen."),
  desiredReplicas: field(4, int32, "The number of replicas that is wanted.", always),
  currentMetrics: field(5, list(MetricStatus), "The values of the metrics that were last read.", { written: "always" }),
  conditions: field(6, mapBy(["type"], HorizontalPodAutoscalerCondition), "The conditions of the autoscaler.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "What a controller has done for the autoscaler." });
export type HorizontalPodAutoscalerStatus = Infer<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = object("HorizontalPodAutoscaler", {
  spec: field(2, HorizontalPodAutoscalerSpec, "What the autoscaler changes, and by which metrics.", always),
  status: field(3, HorizontalPodAutoscalerStatus, "What a controller has done for the autoscaler.", { written: "always" }),
}, {
  package: home,
  doc: "Changes the replicas of an object by metrics. A controller does it, not this server.",
  applyDefaults: withoutCarried,
});
export type HorizontalPodAutoscaler = Infer<typeof HorizontalPodAutoscaler>;
