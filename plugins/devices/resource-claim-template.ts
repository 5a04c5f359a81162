import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  invalid,
  nameColumn,
  type Resource,
} from "../../plugin.ts";
import { metaRulesOf, sameValue, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { emptyDropper } from "../shared/keeping-empty.ts";
import { validateTemplateMeta } from "../shared/template-meta.ts";
import { checkAccess, requestedAccess } from "./admin-access.ts";
import { dropFromSpec } from "./claim-gates.ts";
import { validateClaimSpec } from "./claim-rules.ts";
import { type ResourceClaimTemplate, resourceClaimTemplateOf } from "./claim-schema.ts";
import { templateConversion } from "./old-version.ts";
import { selectorsOf } from "./resource-claim.ts";
import { areLong } from "./selectors.ts";
import { versions } from "./versions.ts";

const columns: readonly Column<ResourceClaimTemplate>[] = [nameColumn, ageColumn];

function validateTemplate({ metadata, spec }: ResourceClaimTemplate, context: HookContext): readonly FieldError[] {
  return [
    ...validateObjectMeta(metadata, metaRulesOf(resourceClaimTemplates, context.names)),
    ...validateTemplateMeta(spec.metadata, "spec.metadata"),
    ...validateClaimSpec(spec.spec, "spec.spec", context),
  ];
}

const withoutEmpty = emptyDropper<ResourceClaimTemplate>(resourceClaimTemplateOf("v1"));

export const resourceClaimTemplates: Resource<ResourceClaimTemplate> = defineResource({
  kind: "ResourceClaimTemplate",
  scope: "Namespaced",
  summary: "A template from which a claim is made for each pod that refers to it.",
  storedAs: "resource.{domain}/v1",
  storedUnder: "resourceclaimtemplates",
  served: versions("ResourceClaimTemplate", (version) => ({
    schema: resourceClaimTemplateOf(version),
    columns,
    ...(version === "v1beta1" ? templateConversion : {}),
  })),
  strategy: { deleteAnswers: "object", ownMetaRules: true, coreFinalizers: true, isHeavy: ({ spec }) => areLong(selectorsOf(spec?.spec)) },
  authorizeWrite(sent, prior, context) {
    if (prior !== undefined) return undefined; // The spec is immutable.
    const next = dropDisabled(sent, undefined, context), { namespace = "", name = "" } = next.metadata;
    const path = requestedAccess(next.spec.spec.devices.requests);
    return checkAccess(path, { kind: "ResourceClaimTemplate", namespace, name }, context, () => validateTemplate(next, context));
  },
  prepare: dropDisabled,
  create: validateTemplate,
  update: (next, prior, context) => [
    ...validateTemplate(next, context),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(resourceClaimTemplates, context.names)),
    ...(sameValue(withoutEmpty(next).spec, prior.spec) ? [] : [invalid("spec", next.spec, "field is immutable")]),
  ],
});

function dropDisabled(
  next: ResourceClaimTemplate,
  prior: ResourceClaimTemplate | undefined,
  context: HookContext,
): ResourceClaimTemplate {
  return { ...next, spec: { ...next.spec, spec: dropFromSpec(next.spec.spec, prior?.spec.spec, context.gates) } };
}
