/** The claims to devices that pods refer to. */
import { controllerOf, type Store } from "../world/store.ts";
import type { DeviceStores, Pod } from "../world/world.ts";

type ObjectOf<S> = S extends Store<infer T> ? T : never;
/** A claim to devices. */
export type ResourceClaim = ObjectOf<DeviceStores["claims"]>;
/** A reference of a pod to a claim, or to a template from which its claim is made. */
export type PodClaim = NonNullable<Pod["spec"]["resourceClaims"]>[number];

/** The annotation of a claim that was made from a template: the name of the reference in the pod. */
export const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";
/** Keeps a claim while it is allocated. */
export const protection = "resource.kubernetes.io/delete-protection";

/** The name of the claim of a reference: "" if its pod needs none, undefined if it is not made yet. */
export function claimNameOf({ status }: Pod, { name, resourceClaimName, resourceClaimTemplateName }: PodClaim): string | undefined {
  if (resourceClaimName !== undefined && resourceClaimName !== null) return resourceClaimName;
  if (resourceClaimTemplateName === undefined || resourceClaimTemplateName === null) return "";
  const made = status.resourceClaimStatuses?.find((each) => each.name === name);
  return made === undefined ? undefined : made.resourceClaimName ?? "";
}

/** Whether the claim may be used by the pod: one that was made from a template belongs to one pod. */
export function isUsableBy(claim: ResourceClaim, { metadata }: Pod, { resourceClaimTemplateName }: PodClaim): boolean {
  return resourceClaimTemplateName === undefined || resourceClaimTemplateName === null || controllerOf(claim) === metadata.uid;
}

/** The claims of a pod, or why it must wait for them. */
export type ClaimsOfPod = { readonly claims: readonly ResourceClaim[] } | { readonly waits: true };

/** Returns the claims of a pod, each of them once. */
export function claimsOfPod({ claims }: DeviceStores, pod: Pod): ClaimsOfPod {
  const found = new Map<string, ResourceClaim>();
  for (const reference of pod.spec.resourceClaims ?? []) {
    const name = claimNameOf(pod, reference);
    if (name === "") continue;
    const claim = name === undefined ? undefined : claims.get(pod.metadata.namespace ?? "", name);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined || !isUsableBy(claim, pod, reference)) return { waits: true };
    found.set(claim.metadata.uid ?? "", claim);
  }
  return { claims: [...found.values()] };
}

/** Whether a claim is reserved for a pod. */
export function isReservedFor({ status }: ResourceClaim, { metadata }: Pod): boolean {
  return (status.reservedFor ?? []).some(({ uid }) => uid === metadata.uid);
}

/** The reservation of a claim for a pod. */
export function reservationFor({ metadata: { name = "", uid = "" } }: Pod) {
  return { resource: "pods", name, uid };
}
