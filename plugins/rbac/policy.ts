/** The default roles and bindings, with the names and rights of kube-apiserver's. */
import type { ApiObject } from "../../plugin.ts";
import { type Names, spell, systemGroups } from "../../toolbox.ts";
import { componentBindings, componentRoles, namespacedRoles } from "./component-roles.ts";
import { controllerRules } from "./controller-roles.ts";
import { rolesOfGates, withGatedRules } from "./gated-rules.ts";
import {
  all,
  core,
  type DefaultBinding,
  type DefaultRole,
  events,
  namedRule,
  paths,
  read,
  readWrite,
  rule,
  write,
} from "./policy-rules.ts";
import { type Binding, type ClusterRole, groupVersion, type PolicyRule, type Role } from "./schema.ts";

const health = ["/healthz", "/livez", "/readyz"];

const controllerRole = (account: string): string => `system:controller:${account}`;

const roles: readonly DefaultRole[] = [
  { name: "cluster-admin", rules: [rule(all, all, "*"), paths(all, "*")] },
  {
    name: "system:discovery",
    rules: [
      paths(
        ["get"],
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
      ),
    ],
  },
  {
    name: "system:monitoring",
    rules: [
      paths(["get"], "/metrics", "/metrics/slis", ...health, ...health.map((path) => `${path}/*`)),
      rule(["get"], core, "nodes/metrics"),
    ],
  },
  {
    name: "system:basic-user",
    rules: [
      rule(["create"], "authorization.{domain}", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
      rule(["create"], "authentication.{domain}", "selfsubjectreviews"),
    ],
  },
  { name: "system:public-info-viewer", rules: [paths(["get"], ...health, "/version", "/version/")] },
  {
    name: "system:auth-delegator",
    rules: [
      rule(["create"], "authentication.{domain}", "tokenreviews"),
      rule(["create"], "authorization.{domain}", "subjectaccessreviews"),
    ],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      paths(
        ["get"],
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/",
        "/openid/v1/jwks",
        "/openid/v1/jwks/",
      ),
    ],
  },
  { name: "admin", aggregates: "admin" },
  { name: "edit", aggregates: "edit", aggregatedTo: "admin" },
  { name: "view", aggregates: "view", aggregatedTo: "edit" },
  {
    name: "system:aggregate-to-admin",
    aggregatedTo: "admin",
    rules: [
      rule(["create"], "authorization.{domain}", "localsubjectaccessreviews"),
      rule(readWrite, "rbac.authorization.{domain}", "roles", "rolebindings"),
    ],
  },
  {
    name: "system:aggregate-to-edit",
    aggregatedTo: "edit",
    rules: [
      rule(read, core, "pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"),
      rule(["impersonate"], core, "serviceaccounts"),
      rule(write, core, "pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"),
      rule(["create"], core, "pods/eviction"),
      rule(
        write,
        core,
        "configmaps",
        "persistentvolumeclaims",
        "replicationcontrollers",
        "replicationcontrollers/scale",
        "secrets",
        "serviceaccounts",
        "services",
        "services/proxy",
      ),
      rule(["create"], core, "serviceaccounts/token"),
      rule(write, [core, "events.{domain}"], "events"),
      rule(
        write,
        "apps",
        "daemonsets",
        "deployments",
        "deployments/rollback",
        "deployments/scale",
        "replicasets",
        "replicasets/scale",
        "statefulsets",
        "statefulsets/scale",
      ),
      rule(write, "autoscaling", "horizontalpodautoscalers"),
      rule(write, "batch", "cronjobs", "jobs"),
      rule(
        write,
        "extensions",
        "daemonsets",
        "deployments",
        "deployments/rollback",
        "deployments/scale",
        "ingresses",
        "networkpolicies",
        "replicasets",
        "replicasets/scale",
        "replicationcontrollers/scale",
      ),
      rule(write, "policy", "poddisruptionbudgets"),
      rule(write, "networking.{domain}", "ingresses", "networkpolicies"),
      rule(readWrite, "coordination.{domain}", "leases"),
      rule(write, "resource.{domain}", "resourceclaims", "resourceclaimtemplates"),
    ],
  },
  {
    name: "system:aggregate-to-view",
    aggregatedTo: "view",
    rules: [
      rule(
        read,
        core,
        "configmaps",
        "endpoints",
        "persistentvolumeclaims",
        "persistentvolumeclaims/status",
        "pods",
        "replicationcontrollers",
        "replicationcontrollers/scale",
        "serviceaccounts",
        "services",
        "services/status",
      ),
      rule(
        read,
        core,
        "bindings",
        "limitranges",
        "namespaces/status",
        "pods/log",
        "pods/status",
        "replicationcontrollers/status",
        "resourcequotas",
        "resourcequotas/status",
      ),
      rule(read, core, "namespaces"),
      rule(read, [core, "events.{domain}"], "events"),
      rule(read, "discovery.{domain}", "endpointslices"),
      rule(
        read,
        "apps",
        "controllerrevisions",
        "daemonsets",
        "daemonsets/status",
        "deployments",
        "deployments/scale",
        "deployments/status",
        "replicasets",
        "replicasets/scale",
        "replicasets/status",
        "statefulsets",
        "statefulsets/scale",
        "statefulsets/status",
      ),
      rule(read, "autoscaling", "horizontalpodautoscalers", "horizontalpodautoscalers/status"),
      rule(read, "batch", "cronjobs", "cronjobs/status", "jobs", "jobs/status"),
      rule(
        read,
        "extensions",
        "daemonsets",
        "daemonsets/status",
        "deployments",
        "deployments/scale",
        "deployments/status",
        "ingresses",
        "ingresses/status",
        "networkpolicies",
        "replicasets",
        "replicasets/scale",
        "replicasets/status",
        "replicationcontrollers/scale",
      ),
      rule(read, "policy", "poddisruptionbudgets", "poddisruptionbudgets/status"),
      rule(read, "networking.{domain}", "ingresses", "ingresses/status", "networkpolicies"),
      rule(read, "resource.{domain}", "resourceclaims", "resourceclaims/status", "resourceclaimtemplates"),
    ],
  },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      rule([...read, "create", "delete"], core, "persistentvolumes"),
      rule([...read, "update"], core, "persistentvolumeclaims"),
      rule(read, "storage.{domain}", "storageclasses"),
      rule(["watch"], core, "events"),
      events,
    ],
  },
  // Controllers write with their own roles. kube-apiserver's role has no `get` for most kinds: its controllers cache lists.
  {
    name: "system:kube-controller-manager",
    rules: [
      events,
      rule(["create"], "coordination.{domain}", "leases"),
      namedRule(["get", "update"], "coordination.{domain}", "leases", "kube-controller-manager"),
      rule(["create"], core, "secrets", "serviceaccounts"),
      rule(["delete"], core, "secrets"),
      rule(["get"], core, "configmaps", "namespaces", "secrets", "serviceaccounts"),
      rule(["update"], core, "secrets", "serviceaccounts"),
      rule(["create"], "authentication.{domain}", "tokenreviews"),
      rule(["create"], "authorization.{domain}", "subjectaccessreviews"),
      rule(read, all, "*"),
      rule(["create"], core, "serviceaccounts/token"),
    ],
  },
  ...componentRoles,
  ...Object.entries(controllerRules).map(([account, rules]) => ({ name: controllerRole(account), rules })),
];

const bindings: readonly DefaultBinding[] = [
  { name: "cluster-admin", role: "cluster-admin", groups: [systemGroups.masters] },
  { name: "system:monitoring", role: "system:monitoring", groups: [systemGroups.monitoring] },
  { name: "system:discovery", role: "system:discovery", groups: [systemGroups.authenticated] },
  { name: "system:basic-user", role: "system:basic-user", groups: [systemGroups.authenticated] },
  {
    name: "system:public-info-viewer",
    role: "system:public-info-viewer",
    groups: [systemGroups.authenticated, systemGroups.unauthenticated],
  },
  {
    name: "system:service-account-issuer-discovery",
    role: "system:service-account-issuer-discovery",
    groups: [systemGroups.serviceAccounts],
  },
  { name: "system:kube-controller-manager", role: "system:kube-controller-manager", users: ["system:kube-controller-manager"] },
  ...componentBindings,
  ...Object.keys(controllerRules).map((account) => ({
    name: controllerRole(account),
    role: controllerRole(account),
    accounts: [account],
  })),
];

/** Paths that `system:monitoring` may read, by the gate without which the server does not have them. */
const gatedPaths = Object.freeze({ ComponentFlagz: "/flagz", ComponentStatusz: "/statusz" });

/** Returns the default roles of the cluster as objects, with the names of this server, and the rights to what is behind gates that are on. */
export function defaultRoles(names: Names, gates: (gate: string) => boolean = () => false): readonly ClusterRole[] {
  const pages = Object.entries(gatedPaths).flatMap(([gate, path]) => gates(gate) ? [path] : []);
  const prefix = spell(names, "rbac.authorization.{domain}");
  const label = (suffix: string) => ({ [`${prefix}/aggregate-to-${suffix}`]: "true" });
  return [...roles, ...rolesOfGates(gates, controllerRole).roles].map(({ name, rules = [], aggregates, aggregatedTo }) => ({
    kind: "ClusterRole",
    apiVersion: spell(names, groupVersion),
    metadata: withMarks(names, spell(names, name), aggregatedTo === undefined ? {} : label(aggregatedTo)),
    rules: withGatedRules(name, rules, gates).map((each) => spelled(names, name === "system:monitoring" ? withPages(each, pages) : each)),
    ...(aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: label(aggregates) }] } }),
  }));
}
/** Returns the names of these roles and bindings without gates. */
export function defaultNames(names: Names): { readonly roles: readonly string[]; readonly bindings: readonly string[] } {
  return { roles: roles.map(({ name }) => spell(names, name)), bindings: bindings.map(({ name }) => name) };
}
function withPages(rule: PolicyRule, pages: readonly string[]): PolicyRule {
  const { nonResourceURLs } = rule;
  return nonResourceURLs === undefined || pages.length === 0 ? rule : { ...rule, nonResourceURLs: [...nonResourceURLs, ...pages].sort() };
}
function spelled(names: Names, { apiGroups, resourceNames, ...rest }: PolicyRule): PolicyRule {
  const each = (words: readonly string[]) => words.map((word) => spell(names, word));
  return {
    ...rest,
    ...(apiGroups === undefined ? {} : { apiGroups: each(apiGroups) }),
    ...(resourceNames === undefined ? {} : { resourceNames: each(resourceNames) }),
  };
}

/** Returns the default bindings of the cluster as objects, with those of gates that are on. */
export function defaultBindings(names: Names, gates: (gate: string) => boolean = () => false): readonly Binding[] {
  return [...bindings, ...rolesOfGates(gates, controllerRole).bindings].map(({ name, role, ...whom }) => ({
    kind: "ClusterRoleBinding",
    apiVersion: spell(names, groupVersion),
    metadata: withMarks(names, name, {}),
    roleRef: { apiGroup: spell(names, "rbac.authorization.{domain}"), kind: "ClusterRole", name: role },
    subjects: subjectsOf(names, whom),
  }));
}
type Whom = Pick<DefaultBinding, "groups" | "users" | "accounts">;
function subjectsOf(names: Names, { groups = [], users = [], accounts = [] }: Whom): NonNullable<Binding["subjects"]> {
  const apiGroup = spell(names, "rbac.authorization.{domain}");
  return [
    ...users.map((user) => ({ kind: "User", apiGroup, name: user })),
    ...groups.map((group) => ({ kind: "Group", apiGroup, name: group })),
    ...accounts.map((account) => ({ kind: "ServiceAccount", name: account, namespace: "kube-system" })),
  ];
}

/** Returns the default roles in namespaces as objects. */
export function defaultRolesInNamespaces(names: Names): readonly Role[] {
  return namespacedRoles.map(({ namespace, name, rules }) => ({
    kind: "Role",
    apiVersion: spell(names, groupVersion),
    metadata: { ...withMarks(names, name, {}), namespace },
    rules: rules.map((each) => spelled(names, each)),
  }));
}
/** Returns their bindings as objects. */
export function defaultBindingsInNamespaces(names: Names): readonly Binding[] {
  return namespacedRoles.map(({ namespace, name, binding = name, ...whom }) => ({
    kind: "RoleBinding",
    apiVersion: spell(names, groupVersion),
    metadata: { ...withMarks(names, binding, {}), namespace },
    roleRef: { apiGroup: spell(names, "rbac.authorization.{domain}"), kind: "Role", name },
    subjects: subjectsOf(names, whom),
  }));
}

function withMarks(names: Names, name: string, labels: Readonly<Record<string, string>>): ApiObject["metadata"] {
  return {
    name,
    labels: { [spell(names, "{platform}.io/bootstrapping")]: "rbac-defaults", ...labels },
    annotations: { [autoUpdate(names)]: "true" },
  };
}

/** Returns the name of the annotation that excludes an object from updates if its value is "false". */
export function autoUpdate(names: Names): string {
  return spell(names, "rbac.authorization.{platform}.io/autoupdate");
}
