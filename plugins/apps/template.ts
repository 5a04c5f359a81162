/** Rules of the template of deployments and replica sets, with upstream's texts. */
import { type FieldError, type HookContext } from "../../plugin.ts";
import { validateLabelSelector } from "../../toolbox.ts";
import type { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { validatePodTemplateSpec } from "../shared/pod/validate-pod.ts";
import type { RequiredSelector } from "../shared/selector-text.ts";
import { invalidSelector, templateOptions, validateRestarts, validateSelected } from "../shared/workloads/template-rules.ts";

interface Spec {
  readonly selector: RequiredSelector;
  readonly template: PodTemplateSpec;
}

/** Checks the template of a deployment or of a replica set. It is not checked while the selector is invalid. */
export function validateSelectedTemplate(
  { selector, template }: Spec,
  prior: PodTemplateSpec | undefined,
  context: HookContext,
): readonly FieldError[] {
  if (validateLabelSelector(selector ?? undefined, "").length > 0) {
    return [invalidSelector(selector, "spec.selector", "invalid label selector")];
  }
  return [
    ...validateSelected(selector, template, "spec.template"),
    ...validatePodTemplateSpec(template, "spec.template", context.names, templateOptions(prior, context)),
    ...validateRestarts(template.spec, "spec.template.spec", "ReplicaSet"),
  ];
}
