/**
 * A user who writes a policy must have the right to read its parameter objects, because their values appear in messages. As in upstream, a
 * missing right is reported as an error of validation, and members of system:masters are not checked.
 */
import {
  type ApiObject,
  type Caller,
  type FieldError,
  forbidden,
  type HookContext,
  type RequestHookContext,
  type Resource,
} from "../../plugin.ts";
import { invalidError, sameValue, spell, subdomainName, systemGroups } from "../../toolbox.ts";
import type { Binding, Policy } from "./policies/invocations.ts";
import type { ParamKind } from "./schema.ts";

type AuthorizeWrite<T extends ApiObject> = NonNullable<Resource<T>["authorizeWrite"]>;

/** The objects that will be read; a part that is not known is `*`. */
interface Read {
  readonly verb: "get" | "list";
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A kind of policies or of their bindings, for which this is checked. */
interface Authorized<T extends ApiObject> {
  readonly kind: string;
  /** Validates an object. The rights are checked only for a valid object. */
  readonly validate: (next: T, context: HookContext, prior: T | undefined) => readonly FieldError[];
}

/** Makes the hook that throws 422 unless the caller may get all objects of the policy's kind of parameters. */
export function policyAuthorization<P extends Policy>({ kind: kindOfPolicy, validate }: Authorized<P>): AuthorizeWrite<P> {
  return async (next, prior, context) => {
    const { paramKind } = next.spec;
    if (paramKind === undefined || isMaster(context.caller) || sameValue(prior?.spec.paramKind, paramKind)) return;
    if ([...subdomainName(next.metadata.name ?? "", false), ...validate(next, context, prior)].length > 0) return;
    const { group, version, resource } = locate(paramKind, context);
    if (await mayRead({ verb: "get", group, version, resource, namespace: "*", name: "*" }, context)) return;
    const { apiVersion = "", kind = "" } = paramKind;
    const needed = `must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
    throw refusal(kindOfPolicy, next, forbidden("spec.paramKind", `user ${callerText(context.caller)} ${needed}`), context);
  };
}

/**
 * Makes the hook that throws 422 unless the caller may read the objects to which the binding refers.
 *
 * @param policies the versions of the policies; the first one that is served is used
 * @param isSwapped whether one message has the user and the verb in exchanged places, as in upstream
 */
export function bindingAuthorization<B extends Binding>(
  { kind, validate, policies, isSwapped = false }: Authorized<B> & {
    readonly policies: { readonly groupVersions: readonly string[]; readonly resource: string };
    readonly isSwapped?: boolean;
  },
): AuthorizeWrite<B> {
  return async (next, prior, context) => {
    const { paramRef, policyName = "" } = next.spec;
    if (paramRef === undefined || isMaster(context.caller)) return;
    if (prior?.spec.policyName === policyName && sameValue(prior.spec.paramRef, paramRef)) return;
    if ([...subdomainName(next.metadata.name ?? "", false), ...validate(next, context, prior)].length > 0) return;
    let policy: Policy | undefined;
    for (const groupVersion of policies.groupVersions) {
      policy ??= await context.server.recentObject(groupVersion, policies.resource, "", policyName) as Policy | undefined; // the object is of this resource
    }
    const paramKind = policy?.spec.paramKind;
    const place = paramKind === undefined ? { group: "*", version: "*", resource: "*" } : locate(paramKind, context);
    const { name = "", namespace = "" } = paramRef, verb = name === "" ? "list" : "get";
    if (await mayRead({ ...place, verb, namespace, name }, context)) return;
    const user = callerText(context.caller), who = `user ${user} does not have "${verb}" permission`;
    const everything = "to determine minimum required permissions and";
    const why = policy === undefined
      ? `unable to get policy ${policyName} ${everything} ${who} for all groups, versions and resources`
      : paramKind !== undefined && place.resource === "*"
      ? `unable to resolve paramKind &{${paramKind.apiVersion ?? ""} ${
        paramKind.kind ?? ""
      }} ${everything} ${who} for all groups, versions and resources`
      : `${isSwapped ? `user ${verb} does not have "${user}" permission` : who} on the object referenced by paramRef`;
    throw refusal(kind, next, forbidden("spec.paramRef", why), context);
  };
}

function isMaster({ groups }: Caller): boolean {
  return groups.includes(systemGroups.masters);
}

function locate({ apiVersion = "", kind = "" }: ParamKind, { server }: RequestHookContext): Pick<Read, "group" | "version" | "resource"> {
  const slash = apiVersion.indexOf("/");
  const resource = server.resourceOfKind(apiVersion, kind)?.resource ?? "*";
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), resource };
}

async function mayRead(read: Read, { access, caller }: RequestHookContext): Promise<boolean> {
  const { verdict } = await access.authorize(caller, { isResourceRequest: true, path: "", subresource: "", ...read });
  return verdict === "allow";
}

function refusal(
  kind: string,
  { metadata: { name = "" } }: ApiObject,
  error: FieldError,
  { names }: RequestHookContext,
): Error {
  return invalidError({ group: spell(names, "admissionregistration.{domain}"), name: kind }, name, [error]);
}

/** Writes a user as Go shows it. */
function callerText({ name, uid = "", groups, extra = {} }: Caller): string {
  const pairs = Object.entries(extra).sort(([a], [b]) => a < b ? -1 : 1).map(([key, values]) => `${key}:[${values.join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${pairs.join(" ")}]}`;
}
