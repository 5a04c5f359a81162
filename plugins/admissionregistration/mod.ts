import { definePlugin } from "../../plugin.ts";
import { policyMetrics } from "./policies/metrics.ts";
import { validatingPolicies } from "./policies/validating-admission.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./webhook-configurations.ts";
import { webhookMetrics } from "./webhooks/metrics.ts";
import { mutatingWebhooks } from "./webhooks/mutating-webhooks.ts";
import { validatingWebhooks } from "./webhooks/validating-webhooks.ts";
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from "./validating-policies.ts";

/** Mutating policies are not registered: nothing acts on them yet. */
export const admissionregistrationPlugin = definePlugin({
  name: "admissionregistration",
  summary: "Policies in CEL that requests must satisfy, and webhooks that change or reject requests.",
  groupPriorities: { "admissionregistration.{domain}": 16_700 },
  resources: [
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    validatingWebhookConfigurations,
    mutatingWebhookConfigurations,
  ],
  admission: [mutatingWebhooks, validatingPolicies, validatingWebhooks],
  metrics: [...policyMetrics, ...webhookMetrics],
});
