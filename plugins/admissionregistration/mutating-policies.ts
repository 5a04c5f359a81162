import { defineResource, type Plugin, type Resource } from "../../plugin.ts";
import { metaRulesOf, validateObjectMeta } from "../../toolbox.ts";
import { bindingAuthorization, policyAuthorization } from "./authorize.ts";
import { bindingColumns, mutatingPolicyColumns } from "./columns.ts";
import { alpha, beta, type MutatingAdmissionPolicy, type MutatingAdmissionPolicyBinding } from "./mutating-schema.ts";
import { validateMutatingBinding, validateMutatingPolicy } from "./validate/mutating.ts";
import { categories, strategy } from "./webhook-configurations.ts";
import { inlineExpressionsLengthMax } from "../shared/bounds.ts";

const alphaVersion = "admissionregistration.{domain}/v1alpha1", betaVersion = "admissionregistration.{domain}/v1beta1";

export const mutatingPolicyGates: NonNullable<Plugin["featureGates"]> = {
  MutatingAdmissionPolicy: [
    { since: "1.32", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: false },
  ],
};

/** Whether the expressions are so long that they are compiled in the heavy thread. */
function hasLongExpressions({ spec }: { readonly spec?: Partial<MutatingAdmissionPolicy["spec"]> | null }): boolean {
  const { matchConditions = [], variables = [], mutations = [] } = spec ?? {};
  const texts = [
    ...[...matchConditions, ...variables].map(({ expression }) => expression),
    ...mutations.map(({ applyConfiguration, jsonPatch }) => `${applyConfiguration?.expression ?? ""}${jsonPatch?.expression ?? ""}`),
  ];
  return texts.reduce((sum, text) => sum + text.length, 0) > inlineExpressionsLengthMax;
}

/** The life of the alpha version. As in upstream, it has no replacement. */
const alphaLife = { introduced: "1.32", deprecated: "1.35", removed: "1.38" };

export const mutatingAdmissionPolicies: Resource<MutatingAdmissionPolicy> = defineResource({
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  scope: "Cluster",
  categories,
  summary: "Changes in CEL that are made to the objects of requests.",
  storedAs: betaVersion,
  storedUnder: "mutatingadmissionpolicies",
  served: {
    [betaVersion]: { schema: beta.policy, introduced: "1.34", columns: mutatingPolicyColumns },
    [alphaVersion]: { schema: alpha.policy, ...alphaLife, columns: mutatingPolicyColumns },
  },
  strategy: { ...strategy, isHeavy: hasLongExpressions },
  authorizeWrite: policyAuthorization({ kind: "MutatingAdmissionPolicy", validate: validateMutatingPolicy }),
  create: (next, context) => validateMutatingPolicy(next, context),
  update: (next, prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(mutatingAdmissionPolicies, context.names)),
    ...validateMutatingPolicy(next, context, prior),
  ],
});

export const mutatingAdmissionPolicyBindings: Resource<MutatingAdmissionPolicyBinding> = defineResource({
  kind: "MutatingAdmissionPolicyBinding",
  scope: "Cluster",
  categories,
  summary: "Puts a MutatingAdmissionPolicy into effect.",
  storedAs: betaVersion,
  storedUnder: "mutatingadmissionpolicybindings",
  served: {
    [betaVersion]: { schema: beta.binding, introduced: "1.34", columns: bindingColumns },
    [alphaVersion]: { schema: alpha.binding, ...alphaLife, columns: bindingColumns },
  },
  strategy,
  authorizeWrite: bindingAuthorization({
    kind: "MutatingAdmissionPolicyBinding",
    validate: validateMutatingBinding,
    policies: { groupVersions: [betaVersion, alphaVersion], resource: "mutatingadmissionpolicies" },
    isSwapped: true,
  }),
  create: validateMutatingBinding,
  update: (next, _prior, { names }) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(mutatingAdmissionPolicyBindings, names)),
    ...validateMutatingBinding(next),
  ],
});
