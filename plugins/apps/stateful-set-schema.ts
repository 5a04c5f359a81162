import {
  field,
  type Infer,
  int32,
  int64,
  intOrString,
  LabelSelector,
  list,
  mapBy,
  object,
  oneOf,
  string,
  structsOf,
} from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { EmbeddedClaim } from "../shared/volumes/claim.ts";
import { unavailableGate } from "./gates.ts";
import { conditionOf, home } from "./schema.ts";

const struct = structsOf(home);

const RollingUpdateStatefulSetStrategy = struct("RollingUpdateStatefulSetStrategy", {
  partition: field(1, int32, "The ordinal from which on pods are replaced. Default 0.", { pointer: true }),
  maxUnavailable: field(2, intOrString, "How many of the pods, or which percentage, may be unavailable during an update. Default 1.", {
    pointer: true,
    gate: unavailableGate,
  }),
}, { doc: "How pods are replaced one after the other." });
type RollingUpdate = Infer<typeof RollingUpdateStatefulSetStrategy>;

interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: RollingUpdate | null;
}

const StatefulSetUpdateStrategy = struct("StatefulSetUpdateStrategy", {
  type: field(
    1,
    named("v1.StatefulSetUpdateStrategyType", oneOf("OnDelete", "RollingUpdate")),
    "When pods are replaced: one after the other (RollingUpdate, the default), or each after its deletion (OnDelete).",
  ),
  rollingUpdate: field(2, RollingUpdateStatefulSetStrategy, "The bounds of a rolling update. Only for the type RollingUpdate.", {
    pointer: true,
  }),
}, {
  doc: "How old pods are replaced by new ones.",
  applyDefaults(self: Strategy) {
    const { type = "" } = self, rollingUpdate = self.rollingUpdate ?? (type === "" ? {} : undefined);
    if ((type !== "" && type !== "RollingUpdate") || rollingUpdate === undefined) return self;
    return { ...self, type: "RollingUpdate", rollingUpdate: { ...rollingUpdate, partition: rollingUpdate.partition ?? 0 } };
  },
  gatedDefaults: {
    [unavailableGate](self: Strategy) {
      const { type, rollingUpdate } = self;
      const lacks = type === "RollingUpdate" && (rollingUpdate ?? undefined) !== undefined;
      return !lacks || (rollingUpdate!.maxUnavailable ?? undefined) !== undefined
        ? self
        : { ...self, rollingUpdate: { ...rollingUpdate, maxUnavailable: 1 } };
    },
  },
});
export type StatefulSetUpdateStrategy = Infer<typeof StatefulSetUpdateStrategy>;

const StatefulSetPersistentVolumeClaimRetentionPolicy = struct("StatefulSetPersistentVolumeClaimRetentionPolicy", {
  whenDeleted: field(
    1,
    named("v1.PersistentVolumeClaimRetentionPolicyType", string),
    "What becomes of the claims when the stateful set is deleted: Retain (the default) or Delete.",
  ),
  whenScaled: field(
    2,
    named("v1.PersistentVolumeClaimRetentionPolicyType", string),
    "What becomes of the claims of pods that a smaller number of replicas removes: Retain (the default) or Delete.",
  ),
}, { doc: "What becomes of claims that were made for pods." });

const StatefulSetOrdinals = struct("StatefulSetOrdinals", {
  start: field(1, int32, "The number of the first pod. Default 0.", { written: "always" }),
}, { doc: "How the pods are numbered." });

interface Spec {
  readonly podManagementPolicy?: string;
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string } | null;
  readonly volumeClaimTemplates?: readonly object[];
}

const StatefulSetSpec = struct("StatefulSetSpec", {
  replicas: field(1, int32, "The wanted number of pods. Default 1.", { pointer: true, unpublishedDefault: 1 }),
  selector: field(2, LabelSelector, "The pods of the stateful set. It must select the pods of the template, and cannot change.", {
    pointer: true,
    required: true,
  }),
  template: field(3, PodTemplateSpec, "The template of the pods. Its restartPolicy is Always.", { required: true }),
  volumeClaimTemplates: field(4, list(EmbeddedClaim), "Claims that are made for each pod, which stay when the pod is replaced."),
  serviceName: field(5, string, "The service that gives the pods their names in DNS.", { written: "always" }),
  podManagementPolicy: field(
    6,
    named("v1.PodManagementPolicyType", oneOf("OrderedReady", "Parallel")),
    "Whether pods are started and ended one after the other (OrderedReady, the default) or at once (Parallel).",
  ),
  updateStrategy: field(7, StatefulSetUpdateStrategy, "How old pods are replaced by new ones.", { written: "always" }),
  revisionHistoryLimit: field(8, int32, "How many old revisions are kept, for going back to them. Default 10.", {
    pointer: true,
    unpublishedDefault: 10,
  }),
  minReadySeconds: field(9, int32, "Seconds for which a new pod must be ready before it counts as available. Default 0."),
  persistentVolumeClaimRetentionPolicy: field(
    10,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    "What becomes of claims that were made for pods.",
    { pointer: true },
  ),
  ordinals: field(11, StatefulSetOrdinals, "How the pods are numbered.", { pointer: true }),
}, {
  doc: "What the stateful set shall be.",
  applyDefaults(self: Spec) {
    const { whenDeleted, whenScaled } = self.persistentVolumeClaimRetentionPolicy ?? {}, { volumeClaimTemplates } = self;
    return {
      ...self,
      // The type of a claim is known without kind and version, but written.
      ...(volumeClaimTemplates === undefined ? {} : {
        volumeClaimTemplates: volumeClaimTemplates.map((each) => ({ ...each, kind: "PersistentVolumeClaim", apiVersion: "v1" })),
      }),
      podManagementPolicy: self.podManagementPolicy || "OrderedReady",
      persistentVolumeClaimRetentionPolicy: { whenDeleted: whenDeleted || "Retain", whenScaled: whenScaled || "Retain" },
    };
  },
});
export type StatefulSetSpec = Infer<typeof StatefulSetSpec>;

const StatefulSetStatus = struct("StatefulSetStatus", {
  observedGeneration: field(1, int64, "The generation that this status is about."),
  replicas: field(2, int32, "How many pods the stateful set has.", { required: true }),
  readyReplicas: field(3, int32, "How many of the pods are ready."),
  currentReplicas: field(4, int32, "How many of the pods are of the current revision."),
  updatedReplicas: field(5, int32, "How many of the pods are of the revision to which they are updated."),
  currentRevision: field(6, string, "The revision of pods that are not updated yet."),
  updateRevision: field(7, string, "The revision to which pods are updated."),
  collisionCount: field(9, int32, "How often the name of a new revision was in use.", { pointer: true }),
  conditions: field(10, mapBy(["type"], conditionOf("StatefulSet")), "The conditions of the stateful set.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
  availableReplicas: field(11, int32, "How many of the pods are available: ready for minReadySeconds.", { written: "always" }),
}, { doc: "What a controller observed of the stateful set." });

export const StatefulSet = object("StatefulSet", {
  spec: field(2, StatefulSetSpec, "What the stateful set shall be.", { written: "always" }),
  status: field(3, StatefulSetStatus, "What was last observed of the stateful set.", { written: "always" }),
}, { package: home, doc: "Pods with numbers, each with its own name and its own claims. A controller makes them one after the other." });
export type StatefulSet = Infer<typeof StatefulSet>;
