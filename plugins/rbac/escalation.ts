/**
 * Checks that users do not grant rights that they do not have, as kube-apiserver checks writes of roles and bindings
 * (pkg/registry/rbac/*\/policybased).
 */
import { badRequestError, type RequestHookContext, StatusError } from "../../plugin.ts";
import { goQuote, type NonResourceRule, pathSegmentName, type ResourceRule, sameValue, spell, systemGroups } from "../../toolbox.ts";
import { type Binding, type ClusterRole, groupVersion, type PolicyRule, type Role, type RoleRef } from "./schema.ts";
import { covers, describeRights, quoteTexts, type Right, rightsOf, sizeOf } from "./rules.ts";

/** Maximum number of comparisons of rule values per write; a write that needs more is rejected. */
const comparisonsMax = 100_000_000;
/** Number of comparisons after which other requests get a turn. */
const comparisonsPerTurn = 100_000;
/** Maximum number of missing rights that an error names. */
const describedMax = 10_000;

/** Rules with all rights, which a user needs to write an aggregationRule. */
const everything: readonly PolicyRule[] = Object.freeze([
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
]);

/** Returns why the caller may not write this role; undefined if the caller may. */
export async function authorizeRole(next: Role, prior: Role | undefined, context: RequestHookContext): Promise<string | undefined> {
  if (await mayEscalate("roles", next.metadata.namespace ?? "", context)) return undefined;
  if (prior !== undefined && onlyForGarbageCollection(next, prior)) return undefined;
  return await describeMissing(next.rules ?? [], next.metadata.namespace ?? "", context);
}

export async function authorizeClusterRole(
  next: ClusterRole,
  prior: ClusterRole | undefined,
  context: RequestHookContext,
): Promise<string | undefined> {
  if (await mayEscalate("clusterroles", "", context)) return undefined;
  if (prior !== undefined && onlyForGarbageCollection(next, prior)) return undefined;
  const lacked = await describeMissing(next.rules ?? [], "", context);
  if (lacked !== undefined) return lacked;
  const aggregates = (role: ClusterRole | undefined) => (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
  if (!aggregates(next) && !aggregates(prior)) return undefined;
  return await describeMissing(everything, "", context) === undefined
    ? undefined
    : "must have cluster-admin privileges to use the aggregationRule";
}

/**
 * Returns why the caller may not write this binding; undefined if the caller may. Throws 400 for a role that cannot exist, and 404 for one
 * that does not exist.
 */
export async function authorizeBinding(
  next: Binding,
  prior: Binding | undefined,
  context: RequestHookContext,
): Promise<string | undefined> {
  const namespace = next.metadata.namespace ?? "";
  if (isMaster(context)) return undefined;
  if (prior !== undefined && onlyForGarbageCollection(next, prior)) return undefined;
  if (await mayBind(next.roleRef, namespace, context)) return undefined;
  return await describeMissing(await rulesOfRole(next.roleRef, namespace, context), namespace, context);
}

const isMaster = ({ caller }: RequestHookContext): boolean => caller.groups.includes(systemGroups.masters);

async function mayEscalate(resource: string, namespace: string, context: RequestHookContext): Promise<boolean> {
  if (isMaster(context)) return true;
  return await isAllowed("escalate", { group: groupOf(context), resource, namespace, name: context.requestName }, context);
}

async function mayBind({ apiGroup, kind, name }: RoleRef, namespace: string, context: RequestHookContext): Promise<boolean> {
  if (kind !== "Role" && kind !== "ClusterRole") return false;
  return await isAllowed("bind", { group: apiGroup, resource: kind === "Role" ? "roles" : "clusterroles", namespace, name }, context);
}

async function isAllowed(
  verb: string,
  target: { readonly group: string; readonly resource: string; readonly namespace: string; readonly name: string },
  { access, caller }: RequestHookContext,
): Promise<boolean> {
  const { verdict } = await access.authorize(caller, {
    isResourceRequest: true,
    path: "",
    verb,
    version: "*",
    subresource: "",
    ...target,
  });
  return verdict === "allow";
}

function groupOf({ names }: RequestHookContext): string {
  return spell(names, "rbac.authorization.{domain}");
}

async function rulesOfRole(
  { kind, name }: RoleRef,
  namespace: string,
  { names, read }: RequestHookContext,
): Promise<readonly PolicyRule[]> {
  if (kind !== "Role" && kind !== "ClusterRole") {
    throw new StatusError("Unknown", `unsupported role reference kind: ${goQuote(kind)}`);
  }
  // Upstream's store makes these checks before the role is looked up.
  if (kind === "Role" && namespace === "") throw badRequestError("Namespace parameter required.");
  if (name === "") throw badRequestError("Name parameter required.");
  const wrong = pathSegmentName(name, false);
  if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(";")}`);
  const resource = kind === "Role" ? "roles" : "clusterroles", group = spell(names, "rbac.authorization.{domain}");
  const role = await read.get(groupVersion, resource, kind === "Role" ? namespace : "", name) as Role | undefined; // the object is of this resource
  if (role !== undefined) return role.rules ?? [];
  // Upstream names the resource of the request here, and the role as its name.
  const own = namespace === "" ? "clusterrolebindings" : "rolebindings";
  throw new StatusError("NotFound", `${own}.${group} ${goQuote(name)} not found`, { details: { name, group, kind: own } });
}

/** Returns a sentence with the rights in `rules` that the caller lacks in the namespace; undefined if the caller has them all. */
async function describeMissing(
  rules: readonly PolicyRule[],
  namespace: string,
  { access, caller, names }: RequestHookContext,
): Promise<string | undefined> {
  const { resourceRules, nonResourceRules, evaluationError } = await access.rules(caller, namespace, "RBAC");
  // Short rules come first: they are cheap to compare, and the rules with all rights are among them.
  const owned = [...resourceRules.map(ofResources), ...nonResourceRules.map(ofPaths)]
    .map((rule) => ({ rule, size: sizeOf(rule) })).toSorted((a, b) => a.size - b.size);
  const found: Right[] = [];
  let compared = 0, pausedAt = 0, more = false;
  search: for (const rule of rules) {
    for (const right of rightsOf(rule)) {
      compared++;
      const isOwned = owned.some((each) => {
        compared += each.size;
        return covers(each.rule, right);
      });
      if (compared > comparisonsMax) return "its rules are too many to compare them with those that you have";
      if (compared - pausedAt > comparisonsPerTurn) {
        pausedAt = compared;
        await new Promise<void>((resolve) => void setTimeout(resolve, 0));
      }
      if (isOwned) continue;
      more = found.length === describedMax;
      if (more) break search;
      found.push(right);
    }
  }
  if (found.length === 0) return undefined;
  const { name, groups } = caller;
  // Here kube-apiserver's message names the resource of a missing role. Elsewhere it names the kind.
  const group = spell(names, "rbac.authorization.{domain}");
  const errors = evaluationError === "" ? "" : `; resolution errors: [${evaluationError.replaceAll(`role.${group} `, `roles.${group} `)}]`;
  return `user ${quoteTexts([name]).slice(1, -1)} (groups=${
    quoteTexts(groups)
  }) is attempting to grant RBAC permissions not currently held:\n` +
    `${describeRights(found).join("\n")}${more ? "\nand others" : ""}${errors}`;
}

const ofResources = ({ verbs, apiGroups, resources, resourceNames }: ResourceRule): PolicyRule => ({
  verbs,
  apiGroups,
  resources,
  resourceNames,
});
const ofPaths = ({ verbs, nonResourceURLs }: NonResourceRule): PolicyRule => ({ verbs, nonResourceURLs });

/** Whether only owners, finalizers and managed fields change. The garbage collector must be able to write these. */
function onlyForGarbageCollection(next: Role | Binding, prior: Role | Binding): boolean {
  const { ownerReferences, finalizers, managedFields } = prior.metadata;
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...rest } = next.metadata;
  const kept = Object.fromEntries(
    Object.entries({ ownerReferences, finalizers, managedFields }).filter(([, value]) => value !== undefined),
  );
  return sameValue({ ...next, metadata: { ...rest, ...kept } }, prior);
}
