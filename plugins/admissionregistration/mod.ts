import { definePlugin } from "../../plugin.ts";
import { conditionMetrics } from "./conditions/metrics.ts";
import { mutatingAdmissionPolicies, mutatingAdmissionPolicyBindings, mutatingPolicyGates } from "./mutating-policies.ts";
import { policyMetrics } from "./policies/metrics.ts";
import { mutatingPolicies } from "./policies/mutating-admission.ts";
import { policyStatusController } from "./status/controller.ts";
import { validatingPolicies } from "./policies/validating-admission.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./webhook-configurations.ts";
import { webhookMetrics } from "./webhooks/metrics.ts";
import { mutatingWebhooks } from "./webhooks/mutating-webhooks.ts";
import { validatingWebhooks } from "./webhooks/validating-webhooks.ts";
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from "./validating-policies.ts";

export const admissionregistrationPlugin = definePlugin({
  name: "admissionregistration",
  summary: "Policies in CEL that requests must satisfy or that change objects, and webhooks that change or reject requests.",
  groupPriorities: { "admissionregistration.{domain}": 16_700 },
  featureGates: mutatingPolicyGates,
  resources: [
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    mutatingAdmissionPolicies,
    mutatingAdmissionPolicyBindings,
    validatingWebhookConfigurations,
    mutatingWebhookConfigurations,
  ],
  admission: [mutatingPolicies, mutatingWebhooks, validatingPolicies, validatingWebhooks],
  controllers: [policyStatusController],
  metrics: [...conditionMetrics, ...policyMetrics, ...webhookMetrics],
});
