/** Finds the parameter objects of a policy, by its kind of parameters and the reference in a binding. */
import type { ApiObject, JsonObject, RequestHookContext } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import type { ParamKind, ParamRef } from "../schema.ts";

/** Thrown if the objects cannot be determined; the failure policy then decides. */
export class ParameterError extends Error {}

/** Returns the resource of a kind of parameters. Throws a ParameterError if no resource has this kind. */
export function parameterResource(
  { apiVersion = "", kind = "" }: ParamKind,
  { server }: RequestHookContext,
): { readonly resource: string; readonly namespaced: boolean } {
  const found = server.resourceOfKind(apiVersion, kind);
  if (found === undefined) throw new ParameterError(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`);
  return found;
}

/**
 * Returns the objects with which a policy is evaluated, one after another. Null stands for a policy or a binding without parameters. The
 * list is empty if there are no objects and the binding allows that.
 */
export async function parametersOf(
  paramKind: ParamKind | undefined,
  ref: ParamRef | undefined,
  requestNamespace: string,
  context: RequestHookContext,
): Promise<readonly (JsonObject | null)[]> {
  if (paramKind === undefined || ref === undefined) return [null];
  const { server } = context, { apiVersion = "" } = paramKind;
  const { resource, namespaced } = parameterResource(paramKind, context);
  const { name = "", selector, namespace: own = "", parameterNotFoundAction } = ref;
  const namespace = !namespaced ? "" : own === "" ? requestNamespace : own;
  if (namespaced && namespace === "") {
    throw new ParameterError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  if (!namespaced && own !== "") throw new ParameterError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  const found = name === ""
    ? (await server.recent(apiVersion, resource, namespace)).filter(({ metadata }) => selectsLabels(selector ?? {}, metadata.labels ?? {}))
    : [await server.recentObject(apiVersion, resource, namespace, name)].filter((each): each is ApiObject => each !== undefined);
  if (found.length === 0 && parameterNotFoundAction === "Deny") {
    throw new ParameterError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found.map((object) => server.json(apiVersion, resource, object));
}
