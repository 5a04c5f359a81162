/**
 * A user who writes a policy must have the right to read its parameter objects, because their values appear in messages. As upstream, the
 * error is one of validation, and members of system:masters are not checked.
 */
import {
  type Caller,
  type FieldError,
  forbidden,
  invalidError,
  type RequestHookContext,
  sameValue,
  spell,
  subdomainName,
  systemGroups,
} from "../../plugin.ts";
import { groupVersion, type ParamKind, type ValidatingAdmissionPolicy, type ValidatingAdmissionPolicyBinding } from "./schema.ts";
import { validatePolicy, validatePolicyBinding } from "./validate/validating.ts";

/** The objects to be read; a part that is not known is `*`. */
interface Read {
  readonly verb: "get" | "list";
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Throws 422 unless the caller may get all objects of the kind of parameters. */
export async function authorizePolicy(
  next: ValidatingAdmissionPolicy,
  prior: ValidatingAdmissionPolicy | undefined,
  context: RequestHookContext,
): Promise<undefined> {
  const { paramKind } = next.spec;
  if (paramKind === undefined || isMaster(context.caller) || sameValue(prior?.spec.paramKind, paramKind)) return;
  if ([...subdomainName(next.metadata.name ?? "", false), ...validatePolicy(next, prior)].length > 0) return;
  const { group, version, resource } = located(paramKind, context);
  if (await mayRead({ verb: "get", group, version, resource, namespace: "*", name: "*" }, context)) return;
  const { apiVersion = "", kind = "" } = paramKind;
  const needed = `must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  throw refusal("ValidatingAdmissionPolicy", next, forbidden("spec.paramKind", `user ${shown(context.caller)} ${needed}`), context);
}

/** Throws 422 unless the caller may read the objects to which the binding refers. */
export async function authorizeBinding(
  next: ValidatingAdmissionPolicyBinding,
  prior: ValidatingAdmissionPolicyBinding | undefined,
  context: RequestHookContext,
): Promise<undefined> {
  const { paramRef, policyName = "" } = next.spec;
  if (paramRef === undefined || isMaster(context.caller)) return;
  if (prior?.spec.policyName === policyName && sameValue(prior.spec.paramRef, paramRef)) return;
  if ([...subdomainName(next.metadata.name ?? "", false), ...validatePolicyBinding(next)].length > 0) return;
  const policy = await context.server.recentObject(groupVersion, "validatingadmissionpolicies", "", policyName) as
    | ValidatingAdmissionPolicy
    | undefined; // of that resource
  const paramKind = policy?.spec.paramKind;
  const place = paramKind === undefined ? { group: "*", version: "*", resource: "*" } : located(paramKind, context);
  const { name = "", namespace = "" } = paramRef, verb = name === "" ? "list" : "get";
  if (await mayRead({ ...place, verb, namespace, name }, context)) return;
  const who = `user ${shown(context.caller)} does not have "${verb}" permission`;
  const why = policy === undefined
    ? `unable to get policy ${policyName} to determine minimum required permissions and ${who} for all groups, versions and resources`
    : paramKind !== undefined && place.resource === "*"
    ? `unable to resolve paramKind &{${paramKind.apiVersion ?? ""} ${
      paramKind.kind ?? ""
    }} to determine minimum required permissions and ${who} for all groups, versions and resources`
    : `${who} on the object referenced by paramRef`;
  throw refusal("ValidatingAdmissionPolicyBinding", next, forbidden("spec.paramRef", why), context);
}

function isMaster({ groups }: Caller): boolean {
  return groups.includes(systemGroups.masters);
}

function located({ apiVersion = "", kind = "" }: ParamKind, { server }: RequestHookContext): Pick<Read, "group" | "version" | "resource"> {
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
  { metadata: { name = "" } }: ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding,
  error: FieldError,
  { names }: RequestHookContext,
): Error {
  return invalidError({ group: spell(names, "admissionregistration.{domain}"), name: kind }, name, [error]);
}

/** A user as Go shows it. */
function shown({ name, uid = "", groups, extra = {} }: Caller): string {
  const pairs = Object.entries(extra).sort(([a], [b]) => a < b ? -1 : 1).map(([key, values]) => `${key}:[${values.join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${pairs.join(" ")}]}`;
}
