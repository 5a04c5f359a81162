import { defineResource, type Resource, type Subresource } from "../../plugin.ts";
import { metaOfStatus, metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { bindingAuthorization, policyAuthorization } from "./authorize.ts";
import { bindingColumns, validatingPolicyColumns } from "./columns.ts";
import { groupVersion, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./schema.ts";
import { validatePolicy, validatePolicyBinding, validatePolicyStatus } from "./validate/validating.ts";
import { categories, strategy } from "./webhook-configurations.ts";
import { inlineExpressionsLengthMax } from "../shared/bounds.ts";

/** Whether the expressions are so long that they are compiled in the heavy thread. */
function hasLongExpressions({ spec }: { readonly spec?: Partial<ValidatingAdmissionPolicy["spec"]> | null }): boolean {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [] } = spec ?? {};
  const texts = [
    ...[...matchConditions, ...variables].map(({ expression }) => expression),
    ...validations.flatMap(({ expression, messageExpression = "" }) => [expression, messageExpression]),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ];
  return texts.reduce((sum, text) => sum + text.length, 0) > inlineExpressionsLengthMax;
}

const status: Subresource<ValidatingAdmissionPolicy> = {
  leaves: ["metadata", "spec"],
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(validatingAdmissionPolicies, names)),
    ...validatePolicyStatus(next),
  ],
};

export const validatingAdmissionPolicies: Resource<ValidatingAdmissionPolicy> = defineResource({
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  scope: "Cluster",
  categories,
  summary: "Rules in CEL that requests must satisfy.",
  storedAs: groupVersion,
  storedUnder: "validatingadmissionpolicies",
  served: {
    [groupVersion]: { schema: ValidatingAdmissionPolicy, introduced: "1.30", columns: validatingPolicyColumns, subresources: { status } },
  },
  strategy: { ...strategy, isHeavy: hasLongExpressions },
  authorizeWrite: policyAuthorization({ kind: "ValidatingAdmissionPolicy", validate: validatePolicy }),
  create: (next, context) => validatePolicy(next, context),
  update: (next, prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(validatingAdmissionPolicies, context.names)),
    ...validatePolicy(next, context, prior),
  ],
});

export const validatingAdmissionPolicyBindings: Resource<ValidatingAdmissionPolicyBinding> = defineResource({
  kind: "ValidatingAdmissionPolicyBinding",
  scope: "Cluster",
  categories,
  summary: "Puts a ValidatingAdmissionPolicy into effect.",
  storedAs: groupVersion,
  storedUnder: "validatingadmissionpolicybindings",
  served: { [groupVersion]: { schema: ValidatingAdmissionPolicyBinding, introduced: "1.30", columns: bindingColumns } },
  strategy,
  authorizeWrite: bindingAuthorization({
    kind: "ValidatingAdmissionPolicyBinding",
    validate: validatePolicyBinding,
    policies: { groupVersions: [groupVersion], resource: "validatingadmissionpolicies" },
  }),
  create: validatePolicyBinding,
  update: (next, _prior, { names }) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(validatingAdmissionPolicyBindings, names)),
    ...validatePolicyBinding(next),
  ],
});
