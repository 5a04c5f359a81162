/** HorizontalPodAutoscaler in version 1, which knows one metric only. The others, and the behavior, are in annotations. */
import { field, type Infer, int32, int64, object, string, structsOf, time } from "../../plugin.ts";

const home = "autoscaling/v1";
const struct = structsOf(home);
const always = { required: true } as const, pointer = { pointer: true } as const;

export const Reference = struct("CrossVersionObjectReference", {
  kind: field(1, string, "The kind of the object.", always),
  name: field(2, string, "The name of the object.", always),
  apiVersion: field(3, string, "The group and version of the kind."),
}, { doc: "Names an object in the same namespace.", atomic: true });

const HorizontalPodAutoscalerSpec = struct("HorizontalPodAutoscalerSpec", {
  scaleTargetRef: field(1, Reference, "The object whose replicas are changed.", always),
  minReplicas: field(2, int32, "The smallest number of replicas. Default 1.", { pointer: true, unpublishedDefault: 1 }),
  maxReplicas: field(3, int32, "The largest number of replicas.", always),
  targetCPUUtilizationPercentage: field(4, int32, "The wanted use of cpu of each pod, in percent of what it requests.", pointer),
}, { doc: "What an autoscaler changes." });

const HorizontalPodAutoscalerStatus = struct("HorizontalPodAutoscalerStatus", {
  observedGeneration: field(1, int64, "The generation of the autoscaler that this status is about.", pointer),
  lastScaleTime: field(2, time, "When the number of replicas was last changed.", pointer),
  currentReplicas: field(3, int32, "The number of replicas that was last seen.", always),
  desiredReplicas: field(4, int32, "The number of replicas that is wanted.", always),
  currentCPUUtilizationPercentage: field(5, int32, "The use of cpu of each pod, in percent of what it requests.", pointer),
}, { doc: "What a controller has done for the autoscaler." });

export const HorizontalPodAutoscalerV1 = object("HorizontalPodAutoscaler", {
  spec: field(2, HorizontalPodAutoscalerSpec, "What the autoscaler changes.", always),
  status: field(3, HorizontalPodAutoscalerStatus, "What a controller has done for the autoscaler.", { written: "always" }),
}, { package: home, doc: "Changes the replicas of an object by metrics. A controller does it, not this server." });
export type HorizontalPodAutoscalerV1 = Infer<typeof HorizontalPodAutoscalerV1>;
