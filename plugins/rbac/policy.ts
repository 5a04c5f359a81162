/**
 * The default roles and bindings, with the names and rights of kube-apiserver's. Roles of kubelets, proxies, schedulers and certificate
 * signers are omitted: this server has no such components.
 */
import type { ApiObject } from "../../plugin.ts";
import { type Names, spell, systemGroups } from "../../toolbox.ts";
import { type Binding, type ClusterRole, groupVersion, type PolicyRule } from "./schema.ts";

/** A role as the policy describes it. */
export interface DefaultRole {
  readonly name: string;
  readonly rules?: readonly PolicyRule[];
  /** The suffix of the label `aggregate-to-...` by which other roles select this one. */
  readonly aggregatedTo?: string;
  /** The suffix of the labels of the roles from which this role is built. */
  readonly aggregates?: string;
}
/** A binding. It binds the ClusterRole `role`, or by default the one with the same name. */
export interface DefaultBinding {
  readonly name: string;
  readonly role: string;
  readonly groups?: readonly string[];
  readonly users?: readonly string[];
  /** Names of service accounts in the namespace kube-system. */
  readonly accounts?: readonly string[];
}

const read = ["get", "list", "watch"], write = ["create", "delete", "deletecollection", "patch", "update"];
const readWrite = [...read, ...write];
const all = ["*"], core = "";

/** Makes a rule with sorted lists, as kube-apiserver has them. */
const rule = (verbs: readonly string[], apiGroups: string | readonly string[], ...resources: readonly string[]): PolicyRule => ({
  verbs: verbs.toSorted(),
  apiGroups: typeof apiGroups === "string" ? [apiGroups] : apiGroups.toSorted(),
  resources: resources.toSorted(),
});
const namedRule = (verbs: readonly string[], group: string, resource: string, name: string): PolicyRule => ({
  ...rule(verbs, group, resource),
  resourceNames: [name],
});
const paths = (verbs: readonly string[], ...nonResourceURLs: readonly string[]): PolicyRule => ({
  verbs,
  nonResourceURLs: nonResourceURLs.toSorted(),
});
/** The rule for recording events. */
const events = rule(["create", "patch", "update"], [core, "events.{domain}"], "events");

const health = ["/healthz", "/livez", "/readyz"];

/** The rules of the controllers' roles, by the names of their accounts in kube-system. */
const controllerRules: Readonly<Record<string, readonly PolicyRule[]>> = {
  "clusterrole-aggregation-controller": [rule([...read, "escalate", "patch", "update"], "rbac.authorization.{domain}", "clusterroles")],
  "generic-garbage-collector": [rule([...read, "delete", "patch", "update"], all, "*"), events],
  "legacy-service-account-token-cleaner": [
    namedRule(["get"], core, "configmaps", "kube-apiserver-legacy-service-account-token-tracking"),
    rule(["delete", "patch"], core, "secrets"),
  ],
  "namespace-controller": [
    rule([...read, "delete"], core, "namespaces"),
    rule(["update"], core, "namespaces/finalize", "namespaces/status"),
    rule([...read, "delete", "deletecollection"], all, "*"),
  ],
  "pv-protection-controller": [rule([...read, "update"], core, "persistentvolumes"), events],
  "pvc-protection-controller": [
    rule([...read, "update"], core, "persistentvolumeclaims"),
    rule(["update"], core, "persistentvolumeclaims/status"),
    rule(read, core, "pods"),
    events,
  ],
  "resourcequota-controller": [rule(["list", "watch"], all, "*"), rule(["update"], core, "resourcequotas/status"), events],
  "root-ca-cert-publisher": [rule(["create", "update"], core, "configmaps"), events],
  "service-account-controller": [rule(["create"], core, "serviceaccounts"), events],
  "storage-version-migrator-controller": [
    // kube-apiserver's migrator patches objects, and this server's updates them, so the role has both rights.
    rule(["create", "list", "patch", "update"], all, "*"),
    rule(["get"], "apiextensions.{domain}", "customresourcedefinitions"),
    rule(["patch"], "apiextensions.{domain}", "customresourcedefinitions/status"),
    rule(["update"], "storagemigration.{domain}", "storageversionmigrations/status"),
  ],
  // In kube-apiserver the token controller uses the rights of system:kube-controller-manager.
  "tokens-controller": [rule(["delete", "update"], core, "secrets"), rule(["update"], core, "serviceaccounts")],
  "validatingadmissionpolicy-status-controller": [
    rule(read, "admissionregistration.{domain}", "validatingadmissionpolicies"),
    rule(["get", "patch", "update"], "admissionregistration.{domain}", "validatingadmissionpolicies/status"),
    events,
  ],
  "volumeattributesclass-protection-controller": [
    rule(read, core, "persistentvolumeclaims"),
    rule(read, core, "persistentvolumes"),
    rule([...read, "update"], "storage.{domain}", "volumeattributesclasses"),
    events,
  ],
};
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
    rules: [paths(["get"], "/metrics", "/metrics/slis", ...health, ...health.map((path) => `${path}/*`))],
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
      rule(read, core, "secrets"),
      rule(["impersonate"], core, "serviceaccounts"),
      rule(write, core, "configmaps", "persistentvolumeclaims", "podtemplates", "secrets", "serviceaccounts"),
      rule(["create"], core, "serviceaccounts/token"),
      rule(write, [core, "events.{domain}"], "events"),
      rule(readWrite, "coordination.{domain}", "leases"),
    ],
  },
  {
    name: "system:aggregate-to-view",
    aggregatedTo: "view",
    rules: [
      rule(read, core, "configmaps", "persistentvolumeclaims", "persistentvolumeclaims/status", "podtemplates", "serviceaccounts"),
      rule(read, core, "limitranges", "namespaces/status", "resourcequotas", "resourcequotas/status"),
      rule(read, core, "namespaces"),
      rule(read, [core, "events.{domain}"], "events"),
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
  { name: "system:kube-controller-manager", rules: [rule(read, all, "*")] },
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
  ...Object.keys(controllerRules).map((account) => ({
    name: controllerRole(account),
    role: controllerRole(account),
    accounts: [account],
  })),
];

/** Returns the default roles as objects, with the names of this server. */
export function defaultRoles(names: Names): readonly ClusterRole[] {
  const prefix = spell(names, "rbac.authorization.{domain}");
  const label = (suffix: string) => ({ [`${prefix}/aggregate-to-${suffix}`]: "true" });
  const spellGroups = ({ apiGroups, ...rest }: PolicyRule): PolicyRule => ({
    ...rest,
    ...(apiGroups === undefined ? {} : { apiGroups: apiGroups.map((group) => spell(names, group)) }),
  });
  return roles.map(({ name, rules = [], aggregates, aggregatedTo }) => ({
    kind: "ClusterRole",
    apiVersion: spell(names, groupVersion),
    metadata: withMarks(names, name, aggregatedTo === undefined ? {} : label(aggregatedTo)),
    rules: rules.map(spellGroups),
    ...(aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: label(aggregates) }] } }),
  }));
}

/** Returns the default bindings as objects. */
export function defaultBindings(names: Names): readonly Binding[] {
  const apiGroup = spell(names, "rbac.authorization.{domain}");
  return bindings.map(({ name, role, groups = [], users = [], accounts = [] }) => ({
    kind: "ClusterRoleBinding",
    apiVersion: spell(names, groupVersion),
    metadata: withMarks(names, name, {}),
    roleRef: { apiGroup, kind: "ClusterRole", name: role },
    subjects: [
      ...users.map((user) => ({ kind: "User", apiGroup, name: user })),
      ...groups.map((group) => ({ kind: "Group", apiGroup, name: group })),
      ...accounts.map((account) => ({ kind: "ServiceAccount", name: account, namespace: "kube-system" })),
    ],
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
