/** Rules of the default roles: how the tables of the policy are written. */
import type { PolicyRule } from "./schema.ts";

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

export const read: readonly string[] = ["get", "list", "watch"];
export const write: readonly string[] = ["create", "delete", "deletecollection", "patch", "update"];
export const readWrite: readonly string[] = [...read, ...write];
export const all: readonly string[] = ["*"];
export const core = "";

/** Makes a rule with sorted lists, as kube-apiserver has them. */
export const rule = (verbs: readonly string[], apiGroups: string | readonly string[], ...resources: readonly string[]): PolicyRule => ({
  verbs: verbs.toSorted(),
  apiGroups: typeof apiGroups === "string" ? [apiGroups] : apiGroups.toSorted(),
  resources: resources.toSorted(),
});
/** Makes a rule for single objects. */
export const namedRule = (verbs: readonly string[], group: string, resource: string, ...names: readonly string[]): PolicyRule => ({
  ...rule(verbs, group, resource),
  resourceNames: names,
});
/** Makes a rule for paths that are no resources. */
export const paths = (verbs: readonly string[], ...nonResourceURLs: readonly string[]): PolicyRule => ({
  verbs,
  nonResourceURLs: nonResourceURLs.toSorted(),
});
/** The rule for recording events. */
export const events: PolicyRule = rule(["create", "patch", "update"], [core, "events.{domain}"], "events");
