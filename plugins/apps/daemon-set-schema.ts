import { field, type Infer, int32, int64, intOrString, LabelSelector, mapBy, object, oneOf, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { conditionOf, home } from "./schema.ts";

const struct = structsOf(home);

const RollingUpdateDaemonSet = struct("RollingUpdateDaemonSet", {
  maxUnavailable: field(
    1,
    intOrString,
    "On how many nodes, or on which percentage, the pod may be unavailable during an update. Default 1.",
    {
      pointer: true,
    },
  ),
  maxSurge: field(2, intOrString, "On how many nodes, or on which percentage, a new pod may start before the old one ends. Default 0.", {
    pointer: true,
  }),
}, { doc: "How pods are replaced one after the other. One of both amounts is 0." });
export type RollingUpdateDaemonSet = Infer<typeof RollingUpdateDaemonSet>;

const DaemonSetUpdateStrategy = struct("DaemonSetUpdateStrategy", {
  type: field(
    1,
    named("v1.DaemonSetUpdateStrategyType", oneOf("OnDelete", "RollingUpdate")),
    "When pods are replaced: some at a time (RollingUpdate, the default), or each after its deletion (OnDelete).",
  ),
  rollingUpdate: field(2, RollingUpdateDaemonSet, "The bounds of a rolling update. Only for the type RollingUpdate.", { pointer: true }),
}, {
  doc: "How old pods are replaced by new ones.",
  applyDefaults(self: { readonly type?: string; readonly rollingUpdate?: RollingUpdateDaemonSet | null }) {
    const type = self.type || "RollingUpdate", isRolling = type === "RollingUpdate";
    if (!isRolling && (self.rollingUpdate ?? undefined) === undefined) return self;
    // As upstream, an amount that nothing uses is 0.
    const { maxUnavailable, maxSurge } = self.rollingUpdate ?? {};
    return { ...self, type, rollingUpdate: { maxUnavailable: maxUnavailable ?? (isRolling ? 1 : 0), maxSurge: maxSurge ?? 0 } };
  },
});
export type DaemonSetUpdateStrategy = Infer<typeof DaemonSetUpdateStrategy>;

const DaemonSetSpec = struct("DaemonSetSpec", {
  selector: field(1, LabelSelector, "The pods of the daemon set. It must select the pods of the template, and cannot change.", {
    pointer: true,
    required: true,
  }),
  template: field(2, PodTemplateSpec, "The template of the pods. Its restartPolicy is Always.", { required: true }),
  updateStrategy: field(3, DaemonSetUpdateStrategy, "How old pods are replaced by new ones.", { written: "always" }),
  minReadySeconds: field(4, int32, "Seconds for which a new pod must be ready before it counts as available. Default 0."),
  revisionHistoryLimit: field(6, int32, "How many old revisions are kept, for going back to them. Default 10.", {
    pointer: true,
    unpublishedDefault: 10,
  }),
}, { doc: "What the daemon set shall be." });
export type DaemonSetSpec = Infer<typeof DaemonSetSpec>;

const DaemonSetStatus = struct("DaemonSetStatus", {
  currentNumberScheduled: field(1, int32, "On how many nodes a pod runs that shall run there.", { required: true }),
  numberMisscheduled: field(2, int32, "On how many nodes a pod runs that shall not run there.", { required: true }),
  desiredNumberScheduled: field(3, int32, "On how many nodes a pod shall run.", { required: true }),
  numberReady: field(4, int32, "On how many nodes the pod is ready.", { required: true }),
  observedGeneration: field(5, int64, "The generation that this status is about."),
  updatedNumberScheduled: field(6, int32, "On how many nodes the pod is of the present template."),
  numberAvailable: field(7, int32, "On how many nodes the pod is available: ready for minReadySeconds."),
  numberUnavailable: field(8, int32, "On how many nodes the pod is missing or not available."),
  collisionCount: field(9, int32, "How often the name of a new revision was in use.", { pointer: true }),
  conditions: field(10, mapBy(["type"], conditionOf("DaemonSet")), "The conditions of the daemon set.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "What a controller observed of the daemon set." });

export const DaemonSet = object("DaemonSet", {
  spec: field(2, DaemonSetSpec, "What the daemon set shall be.", { written: "always" }),
  status: field(3, DaemonSetStatus, "What was last observed of the daemon set.", { written: "always" }),
}, { package: home, doc: "A pod on each node, or on each of some nodes. A controller makes the pods." });
export type DaemonSet = Infer<typeof DaemonSet>;
