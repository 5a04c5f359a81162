/** The step `NodeRestriction`: kubelets write their own objects only. */
import { type Admission, type ApiObject, forbiddenError, type RequestHookContext } from "../../../plugin.ts";
import { sameValue } from "../../../toolbox.ts";
import { nodeOf } from "../authorizer/identity.ts";
import type { Pod } from "../authorizer/references.ts";
import type { Node } from "../node-schema.ts";
import { againstCertificate, type PodCertificateRequest } from "./certificates.ts";
import { forbiddenLabels } from "./labels.ts";
import { againstEviction, againstPod, unexpectedPart } from "./pods.ts";
import { againstToken, type TokenRequest } from "./tokens.ts";

type Reason = string | undefined;

function againstNode(node: string, next: Node, prior: Node | undefined, { names }: RequestHookContext): Reason {
  const { name = "", labels, ownerReferences = [] } = next.metadata, { configSource, taints = [] } = next.spec;
  if (name !== node) return `node "${node}" is not allowed to modify node "${name}"`;
  const forbidden = forbiddenLabels(labels, prior?.metadata.labels, names).join(", ");
  if (prior === undefined) {
    if (configSource !== undefined) return `node "${node}" is not allowed to create pods with a non-nil configSource`;
    return forbidden === "" ? undefined : `node "${node}" is not allowed to set the following labels: ${forbidden}`;
  }
  if (configSource !== undefined && !sameValue(configSource, prior.spec.configSource)) {
    return `node "${node}" is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!sameValue(taints, prior.spec.taints ?? [])) return `node "${node}" is not allowed to modify taints`;
  if (!sameValue(ownerReferences, prior.metadata.ownerReferences ?? [])) return `node "${node}" is not allowed to modify ownerReferences`;
  return forbidden === "" ? undefined : `is not allowed to modify labels: ${forbidden}`;
}

type Claim = ApiObject & { readonly status?: Readonly<Record<string, unknown>> };
/** What a kubelet may change in a claim: sizes and conditions in its status. */
function restOfClaim({ metadata, status = {}, ...rest }: Claim): unknown {
  const { resourceVersion: _version, managedFields: _fields, ...meta } = metadata;
  const { capacity: _capacity, conditions: _conditions, allocatedResources: _resources, allocatedResourceStatuses: _states, ...kept } =
    status;
  return { ...rest, metadata: meta, status: kept };
}

function againstClaim(node: string, next: Claim, prior: Claim | undefined, { subresource }: RequestHookContext): Reason {
  if (subresource !== "status" || prior === undefined) return "may only update PVC status";
  if (sameValue(restOfClaim(next), restOfClaim(prior))) return undefined;
  return `node "${node}" is not allowed to update fields other than status.quantity and status.conditions`;
}

function againstLease(node: string, { metadata: { name, namespace } }: ApiObject): Reason {
  if (namespace !== "kube-node-lease") return 'can only access leases in the "kube-node-lease" system namespace';
  return name === node ? undefined : "can only access node lease with the same name as the requesting node";
}
function againstCsiNode(node: string, { metadata: { name } }: ApiObject): Reason {
  return name === node ? undefined : "can only access CSINode with the same name as the requesting node";
}
function againstSlice(node: string, slice: ApiObject, verb: "create" | "delete"): Reason {
  const { nodeName } = (slice as ApiObject & { readonly spec: { readonly nodeName?: string } }).spec; // the type of the resource
  return nodeName === node ? undefined : `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
}

/** The reason against a write of an object by the kubelet of a node. The casts are to the types of the resources. */
function againstWrite(node: string, next: ApiObject, prior: ApiObject | undefined, context: RequestHookContext): Reason | Promise<Reason> {
  switch (context.resource.plural) {
    case "pods":
      return againstPod(node, next as Pod, prior as Pod | undefined, context);
    case "nodes":
      return againstNode(node, next as Node, prior as Node | undefined, context);
    case "persistentvolumeclaims":
      return againstClaim(node, next, prior, context);
    case "leases":
      return againstLease(node, next);
    case "csinodes":
      return againstCsiNode(node, next);
    case "resourceslices":
      return prior === undefined ? againstSlice(node, next, "create") : undefined;
    case "podcertificaterequests":
      return againstCertificate(node, next as PodCertificateRequest, prior, context);
  }
  return undefined;
}

function againstDeletion(node: string, prior: ApiObject, { resource: { plural } }: RequestHookContext): Reason {
  const { name = "" } = prior.metadata;
  switch (plural) {
    case "pods":
      return (prior as Pod).spec.nodeName === node ? undefined : `node "${node}" can only delete pods with spec.nodeName set to itself`;
    case "nodes":
      return name === node ? undefined : `node "${node}" is not allowed to modify node "${name}"`;
    case "persistentvolumeclaims":
      return "may only update PVC status";
    case "leases":
      return againstLease(node, prior);
    case "csinodes":
      return againstCsiNode(node, prior);
    case "resourceslices":
      return againstSlice(node, prior, "delete");
    case "podcertificaterequests":
      return "unexpected operation DELETE";
  }
  return undefined;
}

async function againstAction(node: string, request: ApiObject, subresource: string, context: RequestHookContext): Promise<Reason> {
  const { plural } = context.resource;
  if (plural === "serviceaccounts") return subresource === "token" ? await againstToken(node, request as TokenRequest, context) : undefined;
  if (plural !== "pods") return undefined;
  return subresource === "eviction" ? await againstEviction(node, context) : unexpectedPart(subresource);
}

/** Throws 403 with the reason that `find` returns, if the caller is a kubelet. */
async function restrict(
  name: string,
  { caller, resource: { group, plural } }: RequestHookContext,
  find: (node: string) => Reason | Promise<Reason>,
) {
  const node = nodeOf(caller);
  if (node === undefined) return;
  const why = node === "" ? `could not determine node from user "${caller.name}"` : await find(node);
  if (why !== undefined) throw forbiddenError({ group, name: plural }, name, why);
}

export const nodeRestriction: Admission<ApiObject> = {
  name: "NodeRestriction",
  isOptional: true,
  resources: [
    "pods",
    "nodes",
    "persistentvolumeclaims",
    "serviceaccounts",
    "leases.coordination.{domain}",
    "csinodes.storage.{domain}",
    "resourceslices.resource.{domain}",
    "podcertificaterequests.certificates.{domain}",
  ],
  async mutate(next, prior, context) {
    await restrict(next.metadata.name ?? "", context, (node) => againstWrite(node, next, prior, context));
    return next;
  },
  refuseDelete(prior, context) {
    const node = nodeOf(context.caller);
    if (node === undefined) return undefined;
    return node === "" ? `could not determine node from user "${context.caller.name}"` : againstDeletion(node, prior, context);
  },
  async mutateAction(request: ApiObject, subresource, context) {
    await restrict(context.requestName, context, (node) => againstAction(node, request, subresource, context));
    return request;
  },
};
