/** Schemas of admissionregistration.{domain}/v1, and the parts that the alpha and beta versions share. */
import {
  bytes,
  Condition,
  field,
  type Infer,
  int32,
  int64,
  LabelSelector,
  list,
  mapBy,
  object,
  oneOf,
  setOf,
  string,
  structsOf,
} from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { keepingEmpty } from "../shared/keeping-empty.ts";

import {
  anything,
  matchPolicies,
  matchPolicyDoc,
  matchResources,
  namedRule,
  RuleWithOperations,
} from "../../core/admission/match-schema.ts";

export const home = "admissionregistration/v1";
export const groupVersion = "admissionregistration.{domain}/v1";
const struct = structsOf(home);

const byName = { patch: { strategy: ["merge"], mergeKey: "name" } } as const;
export const failurePolicies = Object.freeze(["Fail", "Ignore"] as const);
export const reinvocationPolicies = Object.freeze(["IfNeeded", "Never"] as const);
/** The values of `sideEffects` that a webhook may have. */
export const harmlessSideEffects = Object.freeze(["None", "NoneOnDryRun"] as const);

const failurePolicyDoc = "What happens when the evaluation fails: Fail rejects the request, Ignore continues without it.";
const NamedRuleWithOperations = namedRule(struct);
const MatchResources = matchResources(struct, NamedRuleWithOperations);
export type MatchResources = Infer<typeof MatchResources>;

/** Makes the struct MatchCondition of a version. */
export function matchCondition(structs: typeof struct) {
  return structs("MatchCondition", {
    name: field(1, string, "A qualified name, for messages.", { required: true }),
    expression: field(2, string, "An expression in CEL that is true or false. All conditions must be true.", { required: true }),
  }, { doc: "A condition on requests." });
}
const MatchCondition = matchCondition(struct);
export type MatchCondition = Infer<typeof MatchCondition>;

/** Makes the struct ParamKind of a version. */
export function paramKind(structs: typeof struct) {
  return structs("ParamKind", {
    apiVersion: field(1, string, "Group and version of the kind.", { goName: "APIVersion" }),
    kind: field(2, string, "The kind."),
  }, { atomic: true, doc: "The kind of the objects that parametrise a policy." });
}
const ParamKind = paramKind(struct);
export type ParamKind = Infer<typeof ParamKind>;

/** Makes the struct ParamRef of a version. */
export function paramRef(structs: typeof struct, publishesActions: boolean) {
  return structs("ParamRef", {
    name: field(1, string, "Name of the object. Not together with `selector`."),
    namespace: field(
      2,
      string,
      "Namespace of the object. Empty for a namespaced kind: the namespace of the request. Not for cluster-wide kinds.",
    ),
    selector: field(3, LabelSelector, "Selects objects by label; the policy is evaluated with each. Not together with `name`.", {
      pointer: true,
    }),
    parameterNotFoundAction: field(
      4,
      publishesActions ? oneOf("Allow", "Deny") : string,
      "What happens without an object: Allow skips the policy, Deny applies its failurePolicy.",
      publishesActions ? { pointer: true, unpublishedDefault: "Deny" } : { pointer: true },
    ),
  }, { atomic: true, doc: "The objects that parametrise a policy." });
}
const ParamRef = paramRef(struct, false);
export type ParamRef = Infer<typeof ParamRef>;

/** Makes the struct Variable of a version. */
export function variable(structs: typeof struct, atomic: { readonly atomic?: true }) {
  return structs("Variable", {
    name: field(1, string, "Name of the variable: `variables.NAME` in later expressions.", { required: true }),
    expression: field(2, string, "The expression in CEL whose result is the value.", { required: true }),
  }, { ...atomic, doc: "A named expression." });
}
const Variable = variable(struct, { atomic: true });
export type Variable = Infer<typeof Variable>;

// The types below belong to validating policies.

const Validation = struct("Validation", {
  expression: field(
    1,
    string,
    "An expression in CEL that must be true. Its variables: object, oldObject, request, params, namespaceObject, variables, authorizer.",
    { required: true, goName: "Expression" },
  ),
  message: field(2, string, "The message if the expression is false. Without line breaks."),
  reason: field(3, named("v1.StatusReason", string), "The reason and with it the code of the response. Default: Invalid.", {
    pointer: true,
  }),
  messageExpression: field(4, string, "An expression in CEL that makes the message. Used instead of `message` if it succeeds."),
}, { doc: "A rule of a policy." });
export type Validation = Infer<typeof Validation>;

const AuditAnnotation = struct("AuditAnnotation", {
  key: field(1, string, "Key of the annotation, after the name of the policy and a slash.", { required: true }),
  valueExpression: field(2, string, "An expression in CEL: the text of the annotation, or null for none.", { required: true }),
}, { doc: "An annotation of the audit event of a request." });
export type AuditAnnotation = Infer<typeof AuditAnnotation>;

const ExpressionWarning = struct("ExpressionWarning", {
  fieldRef: field(2, string, "The field of the expression.", { required: true }),
  warning: field(3, string, "The mistakes in the expression, for each kind.", { required: true }),
}, { doc: "Mistakes in the types of an expression." });
export type ExpressionWarning = Infer<typeof ExpressionWarning>;

const TypeChecking = struct("TypeChecking", {
  expressionWarnings: field(1, list(ExpressionWarning), "Mistakes in expressions."),
}, { doc: "The result of checking the types of expressions." });

const PolicySpec = struct("ValidatingAdmissionPolicySpec", {
  paramKind: field(1, ParamKind, "The kind of the objects that parametrise the policy. Absent: none.", { pointer: true }),
  matchConstraints: field(2, MatchResources, "Which requests the policy covers.", { pointer: true }),
  validations: field(3, list(Validation), "The rules."),
  failurePolicy: field(4, oneOf(...failurePolicies), failurePolicyDoc, { pointer: true, unpublishedDefault: "Fail" }),
  auditAnnotations: field(5, list(AuditAnnotation), "Annotations of audit events."),
  matchConditions: field(6, mapBy(["name"], MatchCondition), "Further conditions on requests.", byName),
  variables: field(7, mapBy(["name"], Variable), "Named expressions, in the order of their use.", byName),
}, { doc: "The specification of a policy." });

const PolicyStatus = struct("ValidatingAdmissionPolicyStatus", {
  observedGeneration: field(1, int64, "The generation that was checked."),
  typeChecking: field(2, TypeChecking, "The result of checking the types of expressions.", { pointer: true }),
  conditions: field(3, mapBy(["type"], Condition), "Conditions of the policy."),
}, { doc: "The status of a policy." });

export const ValidatingAdmissionPolicy = object("ValidatingAdmissionPolicy", {
  spec: field(2, PolicySpec, "What the policy requires.", { written: "always" }),
  status: field(3, PolicyStatus, "What the server found in the policy.", { written: "always" }),
}, { package: home, doc: "Rules in CEL that requests must satisfy. It has effect where a binding names it." });
export type ValidatingAdmissionPolicy = Infer<typeof ValidatingAdmissionPolicy>;

const BindingSpec = struct("ValidatingAdmissionPolicyBindingSpec", {
  policyName: field(1, string, "Name of the policy."),
  paramRef: field(2, ParamRef, "The objects that parametrise the policy.", { pointer: true }),
  matchResources: field(3, MatchResources, "Narrows the requests that the policy covers.", { pointer: true }),
  validationActions: field(
    4,
    setOf(oneOf("Audit", "Deny", "Warn")),
    "What a failed rule does: Deny rejects the request, Warn adds a warning to the response, Audit an annotation to the audit event.",
  ),
}, { doc: "The specification of a binding." });

export const ValidatingAdmissionPolicyBinding = object("ValidatingAdmissionPolicyBinding", {
  spec: field(2, BindingSpec, "Where the policy has effect.", { written: "always" }),
}, { package: home, doc: "Puts a ValidatingAdmissionPolicy into effect." });
export type ValidatingAdmissionPolicyBinding = Infer<typeof ValidatingAdmissionPolicyBinding>;

// The types below belong to webhooks.

export const ServiceReference = struct("ServiceReference", {
  namespace: field(1, string, "Namespace of the Service.", { required: true }),
  name: field(2, string, "Name of the Service.", { required: true }),
  path: field(3, string, "Path of the URL.", { pointer: true }),
  port: field(4, int32, "Port of the Service. Default: 443.", { pointer: true, unpublishedDefault: 443 }),
}, { doc: "A Service that is called." });

const WebhookClientConfig = struct("WebhookClientConfig", {
  url: field(3, string, "The URL of the webhook: https://host:port/path. Not together with `service`.", { pointer: true, goName: "URL" }),
  service: field(1, ServiceReference, "The Service of the webhook. Not together with `url`.", { pointer: true }),
  caBundle: field(2, bytes, "CA certificates in PEM that verify the webhook. Default: those of the system.", { goName: "CABundle" }),
}, { doc: "How a webhook is called." });

const webhookFields = {
  name: field(1, string, "Name of the webhook: a domain name with at least three segments.", { required: true }),
  clientConfig: field(2, WebhookClientConfig, "How the webhook is called.", { required: true }),
  rules: field(3, list(RuleWithOperations), "Requests that are sent to the webhook."),
  failurePolicy: field(4, oneOf(...failurePolicies), failurePolicyDoc, { pointer: true, unpublishedDefault: "Fail" }),
  matchPolicy: field(9, oneOf(...matchPolicies), matchPolicyDoc, { pointer: true, unpublishedDefault: "Equivalent" }),
  namespaceSelector: field(
    5,
    LabelSelector,
    "Selects namespaces by label: requests for objects in them, and for the namespaces themselves. Other cluster-wide objects are always selected.",
    anything,
  ),
} as const;
const objectSelectorDoc = "Selects objects by label: the new or the old object must match.";
const laterFields = {
  sideEffects: field(
    6,
    oneOf("None", "NoneOnDryRun", "Some", "Unknown"),
    "The side effects of the webhook: None, or NoneOnDryRun if it has none in dry runs.",
    { pointer: true, required: true, written: "always" },
  ),
  timeoutSeconds: field(7, int32, "Timeout of a call in seconds, 1 to 30.", { pointer: true, unpublishedDefault: 10 }),
  admissionReviewVersions: field(
    8,
    list(string),
    "Versions of AdmissionReview that the webhook understands. The first that the server knows is sent.",
    { required: true },
  ),
} as const;
const conditionsDoc = "Conditions on requests, up to 64. A request is sent only if all are true.";

// Upstream compares webhooks exactly to count their changes.
const ValidatingWebhook = keepingEmpty(struct("ValidatingWebhook", {
  ...webhookFields,
  objectSelector: field(10, LabelSelector, objectSelectorDoc, anything),
  ...laterFields,
  matchConditions: field(11, mapBy(["name"], MatchCondition), conditionsDoc, byName),
}, { doc: "A webhook that accepts or rejects requests." }));
export type ValidatingWebhook = Infer<typeof ValidatingWebhook>;

const MutatingWebhook = keepingEmpty(struct("MutatingWebhook", {
  ...webhookFields,
  objectSelector: field(11, LabelSelector, objectSelectorDoc, anything),
  ...laterFields,
  reinvocationPolicy: field(
    10,
    oneOf(...reinvocationPolicies),
    "Whether the webhook is called again when a later step changes the object: Never or IfNeeded.",
    { pointer: true, unpublishedDefault: "Never" },
  ),
  matchConditions: field(12, mapBy(["name"], MatchCondition), conditionsDoc, byName),
}, { doc: "A webhook that may change objects." }));
export type MutatingWebhook = Infer<typeof MutatingWebhook>;

export const ValidatingWebhookConfiguration = object("ValidatingWebhookConfiguration", {
  webhooks: field(2, mapBy(["name"], ValidatingWebhook), "The webhooks.", { ...byName, goName: "Webhooks", keepsEmpty: true }),
}, { package: home, doc: "Webhooks that accept or reject requests without changing them." });
export type ValidatingWebhookConfiguration = Infer<typeof ValidatingWebhookConfiguration>;

export const MutatingWebhookConfiguration = object("MutatingWebhookConfiguration", {
  webhooks: field(2, mapBy(["name"], MutatingWebhook), "The webhooks.", { ...byName, goName: "Webhooks", keepsEmpty: true }),
}, { package: home, doc: "Webhooks that may change objects, and accept or reject requests." });
export type MutatingWebhookConfiguration = Infer<typeof MutatingWebhookConfiguration>;
