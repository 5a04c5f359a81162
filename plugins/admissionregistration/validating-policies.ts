import {
  defineResource,
  metaOfStatus,
  metaRulesOf,
  type Resource,
  type Subresource,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../plugin.ts";
import { authorizeBinding, authorizePolicy } from "./authorize.ts";
import { bindingColumns, validatingPolicyColumns } from "./columns.ts";
import { groupVersion, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./schema.ts";
import { validatePolicy, validatePolicyBinding, validatePolicyStatus } from "./validate/validating.ts";
import { categories, strategy } from "./webhook-configurations.ts";

const status: Subresource<ValidatingAdmissionPolicy> = {
  leaves: ["metadata", "spec"],
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(validatingAdmissionPolicies, names)),
    ...validatePolicyStatus(next),
  ],
};

export const validatingAdmissionPolicies: Resource<ValidatingAdmissionPolicy> = defineResource<ValidatingAdmissionPolicy>({
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
  strategy,
  authorizeWrite: authorizePolicy,
  create: (next) => validatePolicy(next),
  update: (next, prior, { names }) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(validatingAdmissionPolicies, names)),
    ...validatePolicy(next, prior),
  ],
});

export const validatingAdmissionPolicyBindings: Resource<ValidatingAdmissionPolicyBinding> = defineResource<
  ValidatingAdmissionPolicyBinding
>({
  kind: "ValidatingAdmissionPolicyBinding",
  scope: "Cluster",
  categories,
  summary: "Puts a ValidatingAdmissionPolicy into effect.",
  storedAs: groupVersion,
  storedUnder: "validatingadmissionpolicybindings",
  served: { [groupVersion]: { schema: ValidatingAdmissionPolicyBinding, introduced: "1.30", columns: bindingColumns } },
  strategy,
  authorizeWrite: authorizeBinding,
  create: validatePolicyBinding,
  update: (next, _prior, { names }) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(validatingAdmissionPolicyBindings, names)),
    ...validatePolicyBinding(next),
  ],
});
