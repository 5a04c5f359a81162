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
  invalid,
  mapBy,
  nameColumn,
  object,
  required,
  type Resource,
  string,
  structsOf,
  type Subresource,
  time,
} from "../../plugin.ts";
import {
  atomicRecord,
  metaRulesOf,
  named,
  type NameRule,
  notFound,
  sameValue,
  spell,
  subdomainName,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { notNegative } from "../shared/pod/rules.ts";
import { validatePodTemplateSpec } from "../shared/pod/validate-pod.ts";
import { warnOfPodTemplate } from "../shared/pod/warnings.ts";
import { labelsText } from "../shared/selector-text.ts";
import { containerColumns, selectorColumn } from "../shared/workloads/columns.ts";
import { workloadScale } from "../shared/workloads/scale.ts";
import { validateCounts, validateWithinReplicas } from "../shared/workloads/status-rules.ts";
import { notSelected, preparedTemplate, templateOptions, validateRestarts, warnOfPodNames } from "../shared/workloads/template-rules.ts";

const struct = structsOf("core/v1");

const ReplicationControllerSpec = struct("ReplicationControllerSpec", {
  replicas: field(1, int32, "The wanted number of pods.", { default: 1 }),
  minReadySeconds: field(4, int32, "Seconds for which a new pod must be ready before it counts as available.", {
    publish: { default: 0 },
  }),
  selector: field(2, atomicRecord(string), "The labels of the pods. Default: those of the template."),
  template: field(3, PodTemplateSpec, "The template of the pods. Its restartPolicy is Always.", { pointer: true }),
}, { doc: "What the replication controller shall be." });
type ReplicationControllerSpec = Infer<typeof ReplicationControllerSpec>;

const ReplicationControllerCondition = struct("ReplicationControllerCondition", {
  type: field(1, named("v1.ReplicationControllerConditionType", string), "The type of the condition.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastTransitionTime: field(3, time, "The time of the last change of the status.", { written: "always" }),
  reason: field(4, string, "The reason of the last change, in CamelCase."),
  message: field(5, string, "Details for people."),
}, { doc: "A condition of a replication controller." });

const ReplicationControllerStatus = struct("ReplicationControllerStatus", {
  replicas: field(1, int32, "How many pods the replication controller has.", { required: true }),
  fullyLabeledReplicas: field(2, int32, "How many of the pods have all labels of the template."),
  readyReplicas: field(4, int32, "How many of the pods are ready."),
  availableReplicas: field(5, int32, "How many of the pods are available: ready for minReadySeconds."),
  observedGeneration: field(3, int64, "The generation that this status is about."),
  conditions: field(6, mapBy(["type"], ReplicationControllerCondition), "The conditions of the replication controller.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "What a controller observed of the replication controller." });

type Labels = Readonly<Record<string, string>>;
interface Defaulted {
  readonly metadata: { readonly labels?: Labels };
  readonly spec: { readonly selector?: Labels; readonly template?: { readonly metadata?: { readonly labels?: Labels } } };
}

const isEmpty = (labels: Labels | undefined) => Object.keys(labels ?? {}).length === 0;

/** Selector and labels are those of the template by default. */
function withTemplateLabels<T extends Defaulted>(self: T): T {
  const labels = self.spec?.template?.metadata?.labels;
  if (labels === undefined || (!isEmpty(self.spec.selector) && !isEmpty(self.metadata.labels))) return self;
  return {
    ...self,
    ...(isEmpty(self.metadata.labels) ? { metadata: { ...self.metadata, labels } } : {}),
    ...(isEmpty(self.spec.selector) ? { spec: { ...self.spec, selector: labels } } : {}),
  };
}

const ReplicationController = object("ReplicationController", {
  spec: field(2, ReplicationControllerSpec, "What the replication controller shall be.", { written: "always" }),
  status: field(3, ReplicationControllerStatus, "What was last observed of the replication controller.", { written: "always" }),
}, {
  package: "core/v1",
  doc: "A number of equal pods. A controller keeps this number running. Deployments and replica sets are its successors.",
  applyDefaults: withTemplateLabels,
});
type ReplicationController = Infer<typeof ReplicationController>;

const columns: readonly Column<ReplicationController>[] = [
  nameColumn,
  { name: "Desired", type: "integer", description: "The wanted number of pods.", cell: ({ spec }) => spec.replicas ?? 0 },
  { name: "Current", type: "integer", description: "The number of pods.", cell: ({ status }) => status.replicas },
  { name: "Ready", type: "integer", description: "How many pods are ready.", cell: ({ status }) => status.readyReplicas ?? 0 },
  ageColumn,
  ...containerColumns<ReplicationController>(({ spec }) => spec.template?.spec),
  selectorColumn<ReplicationController>(({ spec }) => labelsText(spec.selector)),
];

function validateSpec(
  { replicas, minReadySeconds, selector = {}, template }: ReplicationControllerSpec,
  prior: ReplicationControllerSpec | undefined,
  context: HookContext,
): readonly FieldError[] {
  return [
    ...notNegative(minReadySeconds, "spec.minReadySeconds"),
    ...(isEmpty(selector) ? [required("spec.selector", "")] : []),
    ...notNegative(replicas, "spec.replicas"),
    ...(template === undefined ? [required("spec.template", "")] : validateTemplate(template, selector, prior?.template, context)),
  ];
}

function validateTemplate(
  template: PodTemplateSpec,
  selector: Labels,
  prior: PodTemplateSpec | undefined,
  context: HookContext,
): readonly FieldError[] {
  const { labels = {} } = template.metadata;
  const isSelected = Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  return [
    ...(isSelected ? [] : [notSelected(template.metadata.labels, "spec.template")]),
    ...validatePodTemplateSpec(template, "spec.template", context.names, templateOptions(prior, context)),
    ...validateRestarts(template.spec, "spec.template.spec", "ReplicationController"),
  ];
}

/** Annotations with this prefix name fields that another version of the API could not express. */
const inexpressible = "non-convertible.{platform}.io/";

function validateInexpressible(next: ReplicationController, prior: ReplicationController, { names }: HookContext): readonly FieldError[] {
  const prefix = spell(names, inexpressible);
  return Object.entries(prior.metadata.annotations ?? {}).filter(([key]) => key.startsWith(prefix)).flatMap(([key, value]) => {
    const [name, ...more] = key.slice(prefix.length).split("/");
    if (more.length > 0) return [];
    if (!name!.includes("selector")) return [{ ...notFound(name!, value), detail: "unknown non-convertible field" }];
    const isSame = sameValue(next.spec.selector ?? {}, prior.spec.selector ?? {});
    return isSame ? [] : [invalid("spec.selector", next.spec.selector, "cannot update non-convertible selector")];
  });
}

const limited = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

const status: Subresource<ReplicationController> = {
  // Upstream applies the defaults to the stored object, so labels that a status leaves out come back.
  write: (next, prior) => withTemplateLabels({ ...next, spec: prior.spec }),
  leaves: ["spec"],
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(replicationControllers, names)),
    ...validateCounts(next.status, ["replicas", ...limited, "observedGeneration"]),
    ...validateWithinReplicas(next.status, limited),
  ],
};

/** The selector of the scale: labels by key. */
const selectorOf = ({ spec: { selector = {} } }: ReplicationController): string => isEmpty(selector) ? "" : labelsText(selector);

/** As upstream, a prefix of names is not checked: the name made of it is. */
const nameRule: NameRule = (name, isPrefix) => isPrefix ? [] : subdomainName(name, false);

export const replicationControllers: Resource<ReplicationController> = defineResource({
  kind: "ReplicationController",
  scope: "Namespaced",
  shortNames: ["rc"],
  categories: ["all"],
  summary: "A number of equal pods, as before there were replica sets.",
  storedAs: "v1",
  storedUnder: "controllers",
  served: {
    v1: {
      schema: ReplicationController,
      introduced: "1.0",
      columns,
      selectableFields: { "status.replicas": ({ status }) => String(status.replicas) },
      subresources: { status, scale: workloadScale<ReplicationController>(selectorOf) },
    },
  },
  strategy: { generation: true, coreFinalizers: true, orphansDependents: true, nameRule },
  prepare(next, prior, { gates }) {
    const { template } = next.spec, prepared = template && preparedTemplate(template, prior?.spec.template, gates);
    return prepared === template ? next : { ...next, spec: { ...next.spec, template: prepared! } };
  },
  create: ({ spec }, context) => validateSpec(spec, undefined, context),
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(replicationControllers, context.names)),
    ...validateSpec(next.spec, prior.spec, context),
    ...validateInexpressible(next, prior, context),
  ],
  warn(next, prior, { names }) {
    // As upstream, the warnings of an update are those of the old template.
    const template = (prior ?? next).spec.template;
    const isSame = prior !== undefined && next.metadata.generation === prior.metadata.generation;
    return [
      ...(prior === undefined ? warnOfPodNames(next.metadata.name) : []),
      ...(isSame || template === undefined ? [] : warnOfPodTemplate(template, "spec.template", names)),
    ];
  },
});
