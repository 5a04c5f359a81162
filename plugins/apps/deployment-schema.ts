import {
  boolean,
  field,
  type Infer,
  int32,
  int64,
  intOrString,
  LabelSelector,
  mapBy,
  object,
  oneOf,
  string,
  structsOf,
  time,
} from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { terminatingGate } from "./gates.ts";
import { home } from "./schema.ts";

const struct = structsOf(home);

const RollingUpdateDeployment = struct("RollingUpdateDeployment", {
  maxUnavailable: field(1, intOrString, "How many of the pods, or which percentage, may be unavailable during an update. Default 25%.", {
    pointer: true,
  }),
  maxSurge: field(2, intOrString, "How many pods, or which percentage, may exist beyond the wanted number during an update. Default 25%.", {
    pointer: true,
  }),
}, { doc: "How pods are replaced one after the other." });
export type RollingUpdateDeployment = Infer<typeof RollingUpdateDeployment>;

const DeploymentStrategy = struct("DeploymentStrategy", {
  type: field(
    1,
    named("v1.DeploymentStrategyType", oneOf("Recreate", "RollingUpdate")),
    "How pods are replaced: some at a time (RollingUpdate, the default), or all at once after the old ones have ended (Recreate).",
  ),
  rollingUpdate: field(2, RollingUpdateDeployment, "The bounds of a rolling update. Only for the type RollingUpdate.", { pointer: true }),
}, {
  doc: "How old pods are replaced by new ones.",
  applyDefaults(self: { readonly type?: string; readonly rollingUpdate?: RollingUpdateDeployment | null }) {
    const type = self.type || "RollingUpdate";
    if (type !== "RollingUpdate") return self;
    const { maxUnavailable = "25%", maxSurge = "25%" } = self.rollingUpdate ?? {};
    return { ...self, type, rollingUpdate: { maxUnavailable: maxUnavailable ?? "25%", maxSurge: maxSurge ?? "25%" } };
  },
});
export type DeploymentStrategy = Infer<typeof DeploymentStrategy>;

const DeploymentSpec = struct("DeploymentSpec", {
  replicas: field(1, int32, "The wanted number of pods. Default 1.", { pointer: true, unpublishedDefault: 1 }),
  selector: field(2, LabelSelector, "The pods of the deployment. It must select the pods of the template, and cannot change.", {
    pointer: true,
    required: true,
  }),
  template: field(3, PodTemplateSpec, "The template of the pods. Its restartPolicy is Always.", { required: true }),
  strategy: field(4, DeploymentStrategy, "How old pods are replaced by new ones.", {
    written: "always",
    patch: { strategy: ["retainKeys"] },
  }),
  minReadySeconds: field(5, int32, "Seconds for which a new pod must be ready before it counts as available. Default 0."),
  revisionHistoryLimit: field(6, int32, "How many old replica sets are kept, for going back to them. Default 10.", {
    pointer: true,
    unpublishedDefault: 10,
  }),
  paused: field(7, boolean, "Whether a change of the template has no effect for now."),
  progressDeadlineSeconds: field(9, int32, "Seconds for an update to progress before it counts as failed. Default 600.", {
    pointer: true,
    unpublishedDefault: 600,
  }),
}, { doc: "What the deployment shall be." });
export type DeploymentSpec = Infer<typeof DeploymentSpec>;

const DeploymentCondition = struct("DeploymentCondition", {
  type: field(1, named("v1.DeploymentConditionType", string), "The type of the condition.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastUpdateTime: field(6, time, "The time of the last change of the condition.", { written: "always" }),
  lastTransitionTime: field(7, time, "The time of the last change of the status.", { written: "always" }),
  reason: field(4, string, "The reason of the last change, in CamelCase."),
  message: field(5, string, "Details for people."),
}, { doc: "A condition of a deployment." });

const DeploymentStatus = struct("DeploymentStatus", {
  observedGeneration: field(1, int64, "The generation that this status is about."),
  replicas: field(2, int32, "How many pods the deployment has."),
  updatedReplicas: field(3, int32, "How many of the pods are of the present template."),
  readyReplicas: field(7, int32, "How many of the pods are ready."),
  availableReplicas: field(4, int32, "How many of the pods are available: ready for minReadySeconds."),
  unavailableReplicas: field(5, int32, "How many pods are missing until all wanted ones are available."),
  terminatingReplicas: field(9, int32, "How many of the pods are being deleted.", { pointer: true, gate: terminatingGate }),
  conditions: field(6, mapBy(["type"], DeploymentCondition), "The conditions of the deployment.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
  collisionCount: field(8, int32, "How often the name of a new replica set was in use.", { pointer: true }),
}, { doc: "What a controller observed of the deployment." });
export type DeploymentStatus = Infer<typeof DeploymentStatus>;

export const Deployment = object("Deployment", {
  spec: field(2, DeploymentSpec, "What the deployment shall be.", { written: "always" }),
  status: field(3, DeploymentStatus, "What was last observed of the deployment.", { written: "always" }),
}, {
  package: home,
  doc: "A number of equal pods, and how they are replaced when their template changes. A controller makes replica sets for it.",
});
export type Deployment = Infer<typeof Deployment>;
