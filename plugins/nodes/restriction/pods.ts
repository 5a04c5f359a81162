/** What a kubelet may do with pods: those of its node, and mirror pods that need nothing of the API. */
import type { RequestHookContext } from "../../../plugin.ts";
import { sameValue, spell } from "../../../toolbox.ts";
import type { Pod } from "../authorizer/references.ts";
import { referencesOfPod } from "../authorizer/references.ts";

type Reason = string | undefined;

/** Kinds of the API that a mirror pod may not name, with upstream's words. */
function apiReference(pod: Pod, context: RequestHookContext): Reason {
  const { serviceAccountName = "", resourceClaims = [], volumes = [] } = pod.spec;
  if (serviceAccountName !== "") return "serviceaccounts";
  // A mirror pod has no references of its own: they are found in the pod without this mark.
  const found = [...referencesOfPod({ ...pod, metadata: { ...pod.metadata, annotations: {} } }, context.names)];
  for (const kind of ["secrets", "configmaps"]) if (found.some((each) => each.startsWith(`${kind}/`))) return kind;
  if (resourceClaims.length > 0) return "resourceclaims";
  for (const each of volumes) {
    if (each.csi !== undefined) return "csidrivers (via CSI volumes)";
    if (each.glusterfs !== undefined) return "endpoints (via glusterFS volumes)";
    if (each.persistentVolumeClaim !== undefined) return "persistentvolumeclaims";
    if (each.ephemeral !== undefined) return "persistentvolumeclaims (via ephemeral volumes)";
    if (each.azureFile !== undefined) return "secrets (via azureFile volumes)";
    for (const { serviceAccountToken, clusterTrustBundle, podCertificate } of each.projected?.sources ?? []) {
      if (serviceAccountToken !== undefined) return "serviceaccounts (via projected volumes)";
      if (clusterTrustBundle !== undefined) return "clustertrustbundles";
      if (podCertificate !== undefined) return "podcertificates";
    }
  }
  return undefined;
}

async function againstCreate(node: string, pod: Pod, context: RequestHookContext): Promise<Reason> {
  const mirror = spell(context.names, "{platform}.io/config.mirror"), only = `node "${node}" can only create pods with`;
  const { annotations = {}, ownerReferences = [] } = pod.metadata, [owner] = ownerReferences;
  if (!Object.hasOwn(annotations, mirror)) return `pod does not have "${mirror}" annotation, node "${node}" can only create mirror pods`;
  if (pod.spec.nodeName !== node) return `${only} spec.nodeName set to itself`;
  if (ownerReferences.length > 1) return `${only} a single owner reference set to itself`;
  if (owner === undefined || owner.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    return `${only} an owner reference set to itself`;
  }
  if (owner.controller !== true) return `${only} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node "${node}" must not set blockOwnerDeletion on an owner reference`;
  const uid = (await context.read.get("v1", "nodes", "", node))?.metadata.uid;
  if (uid === undefined) return `error looking up node ${node} to verify uid: node "${node}" not found`;
  if (uid !== owner.uid) return `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
  const named = apiReference(pod, context);
  return named === undefined ? undefined : `node "${node}" can not create pods that reference ${named}`;
}

function againstStatus(node: string, next: Pod, prior: Pod): Reason {
  if (prior.spec.nodeName !== node) return `node "${node}" can only update pod status for pods with spec.nodeName set to itself`;
  if (!sameValue(prior.metadata.labels ?? {}, next.metadata.labels ?? {})) return `node "${node}" cannot update labels through pod status`;
  if (!sameValue(prior.status.resourceClaimStatuses ?? [], next.status.resourceClaimStatuses ?? [])) {
    return `node "${node}" cannot update resource claim statues`;
  }
  const kept = sameValue(prior.status.extendedResourceClaimStatus ?? {}, next.status.extendedResourceClaimStatus ?? {});
  return kept ? undefined : `node "${node}" cannot update extended resource claim status`;
}

export const unexpectedPart = (subresource: string): string =>
  `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;

/** The reason against a write of a pod by the kubelet of a node. */
export async function againstPod(node: string, next: Pod, prior: Pod | undefined, context: RequestHookContext): Promise<Reason> {
  if (context.subresource === "status" && prior !== undefined) return againstStatus(node, next, prior);
  if (context.subresource !== "") return unexpectedPart(context.subresource);
  if (prior === undefined) return await againstCreate(node, next, context);
  return `unexpected operation "UPDATE", node "${node}" can only create and delete mirror pods`;
}

/** The reason against the eviction of a pod. */
export async function againstEviction(node: string, { read, request, requestName }: RequestHookContext): Promise<Reason> {
  const pod = await read.get("v1", "pods", request.namespace, requestName) as Pod | undefined; // the type of the resource
  return pod === undefined || pod.spec.nodeName === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
}
