/**
 * The admission step OwnerReferencesPermissionEnforcement: a client that sets references to owners needs rights on the dependent and on its
 * owners.
 */
import type { Admission, ApiObject, RequestHookContext } from "../../plugin.ts";
import {
  attributesOf,
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type OwnerReference,
  sameValue,
  splitGroupVersion,
} from "../../toolbox.ts";

/**
 * The step is off by default, as in upstream. Without it, a client that may write an object can have it deleted by the garbage collector,
 * or can delay the deletion of any owner.
 */
export const ownerPermissions: Admission = {
  name: "OwnerReferencesPermissionEnforcement",
  isOptional: true,
  resources: "all",
  async refuse(next, prior, context) {
    const owners = next.metadata.ownerReferences ?? [], before = prior?.metadata.ownerReferences ?? [];
    if (context.request.isAction || sameValue(owners, before)) return undefined;
    // For a create, the right to create includes the choice of owners.
    return (prior === undefined ? undefined : await deleteRefusal(next, prior, context)) ??
      await blockRefusal(newlyBlocking(owners, before), context);
  },
};

/** Returns the reason to reject a change of owners by a client that may not delete the object. */
async function deleteRefusal(next: ApiObject, prior: ApiObject, context: RequestHookContext): Promise<string | undefined> {
  const { namespace, name, form } = attributesOf({ operation: "UPDATE", object: next, oldObject: prior }, context);
  const { group, version, resource } = form;
  const decision = await decide(context, { verb: "delete", group, version, resource, subresource: context.subresource, namespace, name });
  return decision.verdict === "allow" ? undefined : `cannot set an ownerRef on a resource you can't delete: ${textOf(decision)}`;
}

/** Returns the references that delay the deletion of their owners and did not do so before. */
function newlyBlocking(owners: readonly OwnerReference[], before: readonly OwnerReference[]): readonly OwnerReference[] {
  const blocked = new Set(before.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(({ uid }) => uid));
  return owners.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion === true && !blocked.has(uid));
}

/** Returns the reason to reject references that delay the deletion of owners whose finalizers the client may not set. */
async function blockRefusal(refs: readonly OwnerReference[], context: RequestHookContext): Promise<string | undefined> {
  if (refs.length === 0) return undefined;
  const everything = { verb: "update", group: "*", version: "*", resource: "*", subresource: "finalizers", namespace: "", name: "*" };
  if ((await decide(context, everything)).verdict === "allow") return undefined;
  for (const { apiVersion = "", kind = "", name = "" } of refs) {
    const found = context.server.resourceOfKind(apiVersion, kind);
    if (found === undefined) {
      return `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`;
    }
    const { group, version } = splitGroupVersion(apiVersion);
    // A namespaced owner is in the namespace of its dependent.
    const namespace = found.namespaced ? context.request.namespace : "";
    const decision = await decide(context, {
      verb: "update",
      group,
      version,
      resource: found.resource,
      subresource: "finalizers",
      namespace,
      name,
    });
    if (decision.verdict !== "allow") {
      return `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${textOf(decision)}`;
    }
  }
  return undefined;
}

function decide(
  { access, caller }: RequestHookContext,
  attributes: Omit<AuthorizationAttributes, "isResourceRequest" | "path">,
): Promise<AuthorizationDecision> {
  return access.authorize(caller, { ...attributes, isResourceRequest: true, path: "" });
}

/** Writes the reason and the error of a decision as upstream does. */
function textOf({ reason, error }: AuthorizationDecision): string {
  return `${reason}, ${error ?? "<nil>"}`;
}
