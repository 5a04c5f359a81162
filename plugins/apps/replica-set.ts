import {
  ageColumn,
  type Column,
  defineResource,
  field,
  type FieldError,
  type HookContext,
  type Infer,
  int32,
  int64,
  LabelSelector,
  mapBy,
  nameColumn,
  object,
  type Resource,
  structsOf,
  type Subresource,
} from "../../plugin.ts";
import { metaRulesOf, validateObjectMetaUpdate } from "../../toolbox.ts";
import { notNegative } from "../shared/pod/rules.ts";
import { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { selectorCell, selectorText } from "../shared/selector-text.ts";
import { containerColumns, selectorColumn } from "../shared/workloads/columns.ts";
import { workloadScale } from "../shared/workloads/scale.ts";
import { validateCounts, validateWithinReplicas } from "../shared/workloads/status-rules.ts";
import {
  preparedTemplate,
  validateSelector,
  validateSelectorKept,
  warnOfPodNames,
  warnOfTemplate,
} from "../shared/workloads/template-rules.ts";
import { terminatingGate } from "./gates.ts";
import { conditionOf, home } from "./schema.ts";
import { validateSelectedTemplate } from "./template.ts";

const struct = structsOf(home);

const ReplicaSetSpec = struct("ReplicaSetSpec", {
  replicas: field(1, int32, "The wanted number of pods. Default 1.", { pointer: true, unpublishedDefault: 1 }),
  minReadySeconds: field(4, int32, "Seconds for which a new pod must be ready before it counts as available. Default 0."),
  selector: field(2, LabelSelector, "The pods of the replica set. It must select the pods of the template, and cannot change.", {
    pointer: true,
    required: true,
  }),
  template: field(3, PodTemplateSpec, "The template of the pods. Its restartPolicy is Always.", { written: "always" }),
}, { doc: "What the replica set shall be." });
type ReplicaSetSpec = Infer<typeof ReplicaSetSpec>;

const ReplicaSetStatus = struct("ReplicaSetStatus", {
  replicas: field(1, int32, "How many pods the replica set has.", { required: true }),
  fullyLabeledReplicas: field(2, int32, "How many of the pods have all labels of the template."),
  readyReplicas: field(4, int32, "How many of the pods are ready."),
  availableReplicas: field(5, int32, "How many of the pods are available: ready for minReadySeconds."),
  terminatingReplicas: field(7, int32, "How many of the pods are being deleted.", { pointer: true, gate: terminatingGate }),
  observedGeneration: field(3, int64, "The generation that this status is about."),
  conditions: field(6, mapBy(["type"], conditionOf("ReplicaSet")), "The conditions of the replica set.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "What a controller observed of the replica set." });

const ReplicaSet = object("ReplicaSet", {
  spec: field(2, ReplicaSetSpec, "What the replica set shall be.", { written: "always" }),
  status: field(3, ReplicaSetStatus, "What was last observed of the replica set.", { written: "always" }),
}, { package: home, doc: "A number of equal pods. A controller keeps this number running." });
type ReplicaSet = Infer<typeof ReplicaSet>;

const columns: readonly Column<ReplicaSet>[] = [
  nameColumn,
  { name: "Desired", type: "integer", description: "The wanted number of pods.", cell: ({ spec }) => spec.replicas ?? 0 },
  { name: "Current", type: "integer", description: "The number of pods.", cell: ({ status }) => status.replicas },
  { name: "Ready", type: "integer", description: "How many pods are ready.", cell: ({ status }) => status.readyReplicas ?? 0 },
  ageColumn,
  ...containerColumns<ReplicaSet>(({ spec }) => spec.template.spec),
  selectorColumn<ReplicaSet>(({ spec }) => selectorCell(spec.selector)),
];

function validateSpec(spec: ReplicaSetSpec, prior: PodTemplateSpec | undefined, context: HookContext): readonly FieldError[] {
  return [
    ...notNegative(spec.replicas, "spec.replicas"),
    ...notNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    // As upstream, the text is that of deployments.
    ...validateSelector(spec.selector, "spec.selector", "deployment"),
    ...validateSelectedTemplate(spec, prior, context),
  ];
}

const limited = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

const status: Subresource<ReplicaSet> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  leaves: ["spec"],
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(replicaSets, names)),
    ...validateCounts(next.status, ["replicas", ...limited, "observedGeneration", "terminatingReplicas"]),
    ...validateWithinReplicas(next.status, limited),
  ],
};

export const replicaSets: Resource<ReplicaSet> = defineResource({
  kind: "ReplicaSet",
  scope: "Namespaced",
  shortNames: ["rs"],
  categories: ["all"],
  summary: "A number of equal pods.",
  storedAs: home,
  storedUnder: "replicasets",
  served: {
    [home]: {
      schema: ReplicaSet,
      introduced: "1.9",
      columns,
      subresources: { status, scale: workloadScale<ReplicaSet>(({ spec }) => selectorText(spec.selector) ?? "") },
    },
  },
  strategy: { generation: true, coreFinalizers: true },
  prepare(next, prior, { gates }) {
    const template = preparedTemplate(next.spec.template, prior?.spec.template, gates);
    return template === next.spec.template ? next : { ...next, spec: { ...next.spec, template } };
  },
  create: ({ spec }, context) => validateSpec(spec, undefined, context),
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(replicaSets, context.names)),
    ...validateSpec(next.spec, prior.spec.template, context),
    ...validateSelectorKept(next.spec.selector, prior.spec.selector),
  ],
  warn: (next, prior, context) => [
    ...(prior === undefined ? warnOfPodNames(next.metadata.name) : []),
    ...warnOfTemplate(next, prior, context),
  ],
});
