/** The authorizer `RBAC`: roles and bindings, kept in memory by watches. */
import type { ApiObject, AuthorizerDefinition } from "../../plugin.ts";
import { type AuthorizationDecision, type Authorizer, spell } from "../../toolbox.ts";
import { followObjects } from "../shared/follow-objects.ts";
import { isServed } from "../shared/is-served.ts";
import { defaultBindings, defaultNames, defaultRoles } from "./policy.ts";
import { type Found, RuleIndex } from "./rule-index.ts";
import { type Binding, groupVersion, type Role } from "./schema.ts";

/** The authorizer that `--authorization-mode=RBAC` selects. */
export const rbacAuthorizer: AuthorizerDefinition = Object.freeze<AuthorizerDefinition>({
  name: "RBAC",
  summary: "Allows what roles say that bindings give to the user.",
  open(context) {
    const index = new RuleIndex(spell(context.names, "rbac.authorization.{domain}"));
    const hasRoles = isServed(context, { groupVersion, resource: "clusterroles" });
    const hasBindings = isServed(context, { groupVersion, resource: "clusterrolebindings" });
    const { roles, bindings } = defaultNames(context.names);
    const defaults = untilThere({ ClusterRole: hasRoles ? roles : [], ClusterRoleBinding: hasBindings ? bindings : [] });
    // Default objects of a disabled kind have effect as if they were stored: the server's controllers need them.
    if (!hasRoles) { for (const each of defaultRoles(context.names)) index.setRole(each); }
    if (!hasBindings) { for (const each of defaultBindings(context.names)) index.setBinding(each); }
    const role = {
      set(each: ApiObject) {
        index.setRole(each as Role); // the objects are of this resource; the same holds below
        defaults.met(each);
      },
      remove: (each: ApiObject) => index.deleteRole(each as Role),
    };
    const binding = {
      set(each: ApiObject) {
        index.setBinding(each as Binding);
        defaults.met(each);
      },
      remove: (each: ApiObject) => index.deleteBinding(each as Binding),
    };
    const follow = (resource: string, target: typeof role) => followObjects(context, { groupVersion, resource, ...target });
    const synced = [
      follow("clusterroles", role),
      follow("roles", role),
      follow("clusterrolebindings", binding),
      follow("rolebindings", binding),
    ];
    return { ...authorizerOf(index), ready: Promise.all([...synced, defaults.there]).then(() => {}) };
  },
});

/**
 * Resolves `there` once each of these objects has been found, whose names are given by kind. The first start creates them, and without them only
 * system:masters has rights.
 */
function untilThere(names: Readonly<Record<string, readonly string[]>>): { readonly there: Promise<void>; met(object: ApiObject): void } {
  const missing = new Map(Object.entries(names).map(([kind, each]) => [kind, new Set(each)]));
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => [...missing.values()].every(({ size }) => size === 0) && resolve();
  look();
  return {
    there: promise,
    met({ kind = "", metadata: { name = "" } }) {
      if (missing.get(kind)?.delete(name) === true) look();
    },
  };
}

/** Makes the authorizer that decides by an index. */
export function authorizerOf(index: RuleIndex): Authorizer {
  return {
    name: "RBAC",
    async authorize(user, attributes) {
      return decisionOf(await index.find(user, attributes));
    },
    rules(user, namespace) {
      const { rules, errors, isWhole } = index.rules(user, namespace);
      return {
        resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map((rule) => ({
          verbs: rule.verbs ?? [],
          apiGroups: rule.apiGroups ?? [],
          resources: rule.resources ?? [],
          resourceNames: rule.resourceNames ?? [],
        })),
        nonResourceRules: rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
          .map((rule) => ({ verbs: rule.verbs ?? [], nonResourceURLs: rule.nonResourceURLs ?? [] })),
        incomplete: !isWhole,
        evaluationError: errors.length === 0 ? "" : aggregate(errors),
      };
    },
  };
}

function decisionOf({ allowedBy, errors }: Found): AuthorizationDecision {
  if (allowedBy !== undefined) return { verdict: "allow", reason: `RBAC: allowed by ${allowedBy}` };
  return { verdict: "noOpinion", reason: errors.length === 0 ? "" : `RBAC: ${aggregate(errors)}` };
}

/** Writes several errors in the format of Go's aggregate, without duplicates. */
function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(", ")}]`;
}
