/** The order of admission steps. */
/** The step of the kernel, which checks the namespace of new objects (`kernel/write/namespace-lifecycle.ts`). */
export const namespaceLifecycle = "NamespaceLifecycle";

/** The steps before which those of other plugins run. These steps see and check the objects as the others leave them. */
const last = [
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
  "ResourceQuota",
];

/**
 * The admission plugins of kube-apiserver 1.35 in their order (`pkg/kubeapiserver/options/plugins.go`, which names them all). Thole has
 * those that a plugin declares as a step. Of the others only the names are known; disabling them has no effect.
 */
export const upstreamOrder: readonly string[] = Object.freeze([
  "AlwaysAdmit",
  "NamespaceAutoProvision",
  namespaceLifecycle,
  "NamespaceExists",
  "LimitPodHardAntiAffinityTopology",
  "LimitRanger",
  "ServiceAccount",
  "NodeRestriction",
  "TaintNodesByCondition",
  "AlwaysPullImages",
  "ImagePolicyWebhook",
  "PodSecurity",
  "PodNodeSelector",
  "Priority",
  "DefaultTolerationSeconds",
  "PodTolerationRestriction",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "DefaultStorageClass",
  "StorageObjectInUseProtection",
  "OwnerReferencesPermissionEnforcement",
  "PersistentVolumeClaimResize",
  "RuntimeClass",
  "CertificateApproval",
  "CertificateSigning",
  "ClusterTrustBundleAttest",
  "CertificateSubjectRestriction",
  "DefaultIngressClass",
  "DenyServiceExternalIPs",
  "PodTopologyLabels",
  "NodeDeclaredFeatureValidator",
  ...last,
  "AlwaysDeny",
]);

/**
 * The admission plugins of a kube-apiserver 1.36, which are not in 1.35: rules for jobs and pods of a group (alpha), and for resizes that a node has no room
 * for. Its command lines name them, so they can be enabled and disabled, without effect.
 */
export const newerSteps: readonly string[] = Object.freeze([
  "JobValidation",
  "PodGroupProtection",
  "PodGroupWorkloadExists",
  "PodResizeValidator",
]);

const places: ReadonlyMap<string, number> = new Map(upstreamOrder.map((name, place) => [name, place]));
const placeOfOthers = places.get(last[0]!)! - 0.5;

/** Returns the steps in upstream's order. Steps that upstream does not have are in their own order, before policies and webhooks. */
export function inOrder<S extends { readonly name: string }>(steps: readonly S[]): readonly S[] {
  const placeOf = ({ name }: S) => places.get(name) ?? placeOfOthers;
  return steps.toSorted((a, b) => placeOf(a) - placeOf(b));
}
