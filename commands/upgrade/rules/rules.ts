/** The rule of each kind whose versions differ. For all other removals of the table only `apiVersion` changes. */
import type { GroupVersion } from "../../../core/versions.ts";
import { daemonSet, deployment, replicaSet, statefulSet } from "./apps.ts";
import { metrics } from "./autoscaling.ts";
import { definition } from "./definitions.ts";
import { priorityLevel } from "./flowcontrol.ts";
import { ingress } from "./ingress.ts";
import { disruptionBudget } from "./policy.ts";
import { accessReview, endpointSlice, event, signingRequest } from "./reports.ts";
import type { Rule } from "./rule.ts";
import { webhooks } from "./webhooks.ts";

/** By kind, then by the group version that is left, as in the table of removed APIs. */
export const rules: Readonly<Record<string, Readonly<Record<GroupVersion, Rule>>>> = Object.freeze({
  Deployment: { "extensions/v1beta1": deployment, "apps/v1beta1": deployment, "apps/v1beta2": deployment },
  DaemonSet: { "extensions/v1beta1": daemonSet, "apps/v1beta2": daemonSet },
  StatefulSet: { "apps/v1beta1": statefulSet, "apps/v1beta2": statefulSet },
  ReplicaSet: { "extensions/v1beta1": replicaSet, "apps/v1beta1": replicaSet, "apps/v1beta2": replicaSet },
  Ingress: { "extensions/v1beta1": ingress, "networking.{domain}/v1beta1": ingress },
  MutatingWebhookConfiguration: { "admissionregistration.{domain}/v1beta1": webhooks },
  ValidatingWebhookConfiguration: { "admissionregistration.{domain}/v1beta1": webhooks },
  CustomResourceDefinition: { "apiextensions.{domain}/v1beta1": definition },
  HorizontalPodAutoscaler: { "autoscaling/v2beta1": metrics },
  PodDisruptionBudget: { "policy/v1beta1": disruptionBudget },
  PriorityLevelConfiguration: {
    "flowcontrol.apiserver.{domain}/v1beta2": priorityLevel,
    "flowcontrol.apiserver.{domain}/v1beta3": priorityLevel,
    "flowcontrol.{domain}/v1beta2": priorityLevel,
    "flowcontrol.{domain}/v1beta3": priorityLevel,
  },
  EndpointSlice: { "discovery.{domain}/v1beta1": endpointSlice },
  Event: { "events.{domain}/v1beta1": event },
  LocalSubjectAccessReview: { "authorization.{domain}/v1beta1": accessReview },
  SubjectAccessReview: { "authorization.{domain}/v1beta1": accessReview },
  CertificateSigningRequest: { "certificates.{domain}/v1beta1": signingRequest },
});
