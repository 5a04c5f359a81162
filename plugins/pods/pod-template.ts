import { type Column, defineResource, field, type Infer, nameColumn, object, type Resource } from "../../plugin.ts";
import { metaRulesOf, validateObjectMetaUpdate } from "../../toolbox.ts";
import { optionsForCreate } from "../shared/pod/validation-options.ts";
import { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { withoutStopSignals } from "../shared/pod/stop-signals.ts";
import { optionsForUpdate } from "../shared/pod/stored-options.ts";
import { validatePodTemplateSpec } from "../shared/pod/validate-pod.ts";
import { labelsText } from "../shared/selector-text.ts";
import { warnOfPodTemplate } from "../shared/pod/warnings.ts";

const PodTemplate = object("PodTemplate", {
  template: field(2, PodTemplateSpec, "The template of the pods.", { written: "always" }),
}, { package: "core/v1", doc: "A template for creating pods. This server does not create pods; workload controllers do." });
type PodTemplate = Infer<typeof PodTemplate>;

const columns: readonly Column<PodTemplate>[] = [
  nameColumn,
  {
    name: "Containers",
    type: "string",
    description: "The names of the containers.",
    cell: ({ template: { spec } }) => (spec.containers ?? []).map(({ name }) => name).join(","),
  },
  {
    name: "Images",
    type: "string",
    description: "The images of the containers.",
    cell: ({ template: { spec } }) => (spec.containers ?? []).map(({ image = "" }) => image).join(","),
  },
  {
    name: "Pod Labels",
    type: "string",
    description: "The labels that pods of the template get.",
    cell: ({ template: { metadata: { labels } } }) => labelsText(labels),
  },
];

export const podTemplates: Resource<PodTemplate> = defineResource({
  kind: "PodTemplate",
  scope: "Namespaced",
  summary: "A template for creating pods.",
  storedAs: "v1",
  storedUnder: "podtemplates",
  served: { v1: { schema: PodTemplate, introduced: "1.0", columns } },
  strategy: { deleteAnswers: "object", coreFinalizers: true, generation: true },
  prepare(next, prior, { gates }) {
    const spec = withoutStopSignals(next.template.spec, prior?.template.spec, gates);
    return spec === next.template.spec ? next : { ...next, template: { ...next.template, spec } };
  },
  create: ({ template }, { names, gates }) => validatePodTemplateSpec(template, "template", names, optionsForCreate(gates)),
  update: (next, prior, context) => {
    const rules = metaRulesOf(podTemplates, context.names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validatePodTemplateSpec(next.template, "template", context.names, optionsForUpdate(prior.template, context.names, context.gates)),
    ];
  },
  // An update that changes metadata only must not repeat the warnings.
  warn: ({ template, metadata }, prior, context) =>
    prior !== undefined && metadata.generation === prior.metadata.generation ? [] : warnOfPodTemplate(template, "template", context.names),
});
