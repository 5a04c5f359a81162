/** Keeps roles and bindings by subject, so that a decision reads only those of its user. */
import type { Caller } from "../../plugin.ts";
import { type AuthorizationAttributes, goQuote } from "../../toolbox.ts";
import { ruleAllows, sizeOf } from "./rules.ts";
import type { Binding, PolicyRule, Role, RoleRef, Subject } from "./schema.ts";
import { IndexGeneration, type RoleSlot, SubjectRoles } from "./subject-roles.ts";

/** The decision about a request: the binding that allows it, and errors of the search. */
export interface Found {
  /** A text such as `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`; undefined if nothing allows the request. */
  readonly allowedBy: string | undefined;
  readonly errors: readonly string[];
}

/** The rules that the roles of a user contain. */
export interface UserRoleRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
  readonly isWhole: boolean;
}

/**
 * The bindings of the cluster or of one namespace, by the names of their subjects. A ServiceAccount is stored as the user as which it is
 * authenticated.
 */
interface Place {
  readonly users: Map<string, SubjectRoles>;
  readonly groups: Map<string, SubjectRoles>;
}

/** Number of values in rules that a decision compares before other requests get a turn. */
const comparisonsPerTurn = 100_000;
/** Number of groups of a user that are looked up before other requests get a turn. */
const groupsPerTurn = 20_000;
/** Maximum number of groups that are searched one by one; more are put into a set. */
const scannedGroupsMax = 16;
/** Maximum number of missing roles that one decision names. */
const errorsMax = 100;
/**
 * Bounds of the list of a user's rules, in values of rules. Up to the first, a role is listed once for each of its bindings. The second
 * bounds the whole list.
 */
const repeatedValuesMax = 20_000, listedValuesMax = 200_000;
const tooManyRules = `the list is cut off after ${listedValuesMax} values of rules`;

export class RuleIndex {
  /** Roles by `namespace/name`; a ClusterRole has the namespace "". */
  readonly #roles = new Map<string, RoleSlot>();
  /** Bindings by `namespace/name`; a ClusterRoleBinding has the namespace "". */
  readonly #bindings = new Map<string, Binding>();
  /** Bindings by namespace and subject; "" stands for the cluster. */
  readonly #places = new Map<string, Place>();
  readonly #generation = new IndexGeneration();
  /** The API group of roles, which errors name. */
  readonly #group: string;

  constructor(group: string) {
    this.#group = group;
  }

  setRole({ metadata, rules }: Role): void {
    const { namespace = "", name = "" } = metadata;
    this.#slot({ apiGroup: this.#group, kind: namespace === "" ? "ClusterRole" : "Role", name }, namespace).rules = rules ?? [];
    this.#generation.end();
  }
  deleteRole({ metadata }: Pick<Role, "metadata">): void {
    const key = keyOf(metadata), slot = this.#roles.get(key);
    if (slot === undefined) return;
    slot.rules = undefined;
    this.#generation.end();
    if (slot.uses === 0) this.#roles.delete(key);
  }
  setBinding(binding: Binding): void {
    this.deleteBinding(binding);
    const { namespace = "" } = binding.metadata;
    this.#bindings.set(keyOf(binding.metadata), binding);
    let place = this.#places.get(namespace);
    if (place === undefined) this.#places.set(namespace, place = { users: new Map(), groups: new Map() });
    const slot = this.#slot(binding.roleRef, namespace);
    slot.uses++;
    this.#generation.end();
    for (const subject of binding.subjects ?? []) {
      const [names, name] = subjectIn(place, subject, namespace);
      if (names === undefined) continue;
      let roles = names.get(name);
      if (roles === undefined) names.set(name, roles = new SubjectRoles(this.#generation));
      const bindings = roles.slots.get(slot);
      if (bindings === undefined) roles.slots.set(slot, new Set([binding]));
      else bindings.add(binding);
    }
  }
  deleteBinding({ metadata }: Pick<Binding, "metadata">): void {
    const key = keyOf(metadata), binding = this.#bindings.get(key), { namespace = "" } = metadata;
    const place = this.#places.get(namespace);
    if (binding === undefined || place === undefined) return;
    this.#bindings.delete(key);
    const slot = this.#slot(binding.roleRef, namespace);
    for (const subject of binding.subjects ?? []) {
      const [names, name] = subjectIn(place, subject, namespace);
      const roles = names?.get(name), bindings = roles?.slots.get(slot);
      bindings?.delete(binding);
      if (bindings?.size === 0) roles?.slots.delete(slot);
      if (roles?.slots.size === 0) names?.delete(name);
    }
    slot.uses--;
    this.#generation.end();
    if (slot.uses === 0 && slot.rules === undefined) this.#roles.delete(roleKey(binding.roleRef, namespace));
    if (place.users.size === 0 && place.groups.size === 0) this.#places.delete(namespace);
  }

  /**
   * Finds a rule that allows a request. It searches cluster-wide bindings first, then those of the namespace. A long search yields to other
   * requests.
   */
  find(user: Caller, attributes: AuthorizationAttributes): Found | Promise<Found> {
    const search = this.#search(user, attributes), { done, value } = search.next();
    return done === true ? value : finish(search);
  }

  /** Searches as `find` does. It yields where other requests may run. */
  *#search(user: Caller, attributes: AuthorizationAttributes): Generator<undefined, Found> {
    const missing = new Set<RoleSlot>();
    let compared = 0;
    for (const roles of this.#rolesOf(user, attributes.namespace)) {
      if (roles === undefined) {
        yield;
        continue;
      }
      for (const { rule, bindings } of roles.candidates(attributes, missing)) {
        if (ruleAllows(rule, attributes)) {
          const [binding] = bindings;
          // The binding may have been deleted while the search was suspended.
          if (binding !== undefined) return { allowedBy: describeBinding(binding, user), errors: none };
        }
        compared += sizeOf(rule);
        if (compared > comparisonsPerTurn) {
          compared = 0;
          yield;
        }
      }
    }
    return {
      allowedBy: undefined,
      errors: missing.size === 0 ? none : Array.from(missing).slice(0, errorsMax).map(({ ref }) => this.#roleError(ref)),
    };
  }

  /**
   * Returns the rules of a user: those of the cluster first, then those of the namespace. As upstream, a role is listed once for each of
   * its bindings. When the list has more than `repeatedValuesMax` values, a role is listed only once. Rules beyond `listedValuesMax` values
   * are left out, and the list then has an error.
   */
  rules(user: Caller, namespace: string): UserRoleRules {
    const rules: PolicyRule[] = [], errors = new Set<string>(), met = new Set<Binding>(), listed = new Set<RoleSlot>();
    let values = 0;
    for (const roles of this.#rolesOf(user, namespace)) {
      if (roles === undefined) continue;
      for (const [slot, bindings] of roles.slots) {
        for (const binding of bindings) {
          if (met.has(binding)) continue;
          met.add(binding);
          if (slot.rules === undefined && errors.size < errorsMax) errors.add(this.#roleError(slot.ref));
          if (listed.has(slot) && values > repeatedValuesMax) break;
          listed.add(slot);
          for (const rule of slot.rules ?? []) {
            values += sizeOf(rule);
            if (values > listedValuesMax) return { rules, errors: [...errors, tooManyRules], isWhole: false };
            rules.push(rule);
          }
        }
      }
    }
    return { rules, errors: [...errors], isWhole: true };
  }

  /** Yields the roles of a user, and undefined after each `groupsPerTurn` groups; other requests may get a turn then. */
  *#rolesOf({ name, groups }: Caller, namespace: string): Generator<SubjectRoles | undefined> {
    for (const at of namespace === "" ? clusterOnly : ["", namespace]) {
      const place = this.#places.get(at);
      if (place === undefined) continue;
      const own = place.users.get(name);
      if (own !== undefined) yield own;
      for (let index = 0; index < groups.length; index++) {
        if (index > 0 && index % groupsPerTurn === 0) yield undefined;
        const roles = place.groups.get(groups[index]!);
        if (roles !== undefined) yield roles;
      }
    }
  }

  #slot(ref: RoleRef, namespace: string): RoleSlot {
    const key = roleKey(ref, namespace);
    let slot = this.#roles.get(key);
    if (slot === undefined) this.#roles.set(key, slot = { ref, rules: undefined, uses: 0 });
    return slot;
  }

  #roleError({ kind, name }: RoleRef): string {
    if (kind !== "Role" && kind !== "ClusterRole") return `unsupported role reference kind: ${goQuote(kind)}`;
    return `${kind.toLowerCase()}.${this.#group} ${goQuote(name)} not found`;
  }
}

const none: readonly string[] = Object.freeze([]), clusterOnly: readonly string[] = Object.freeze([""]);

async function finish(search: Generator<undefined, Found>): Promise<Found> {
  for (;;) {
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    const { done, value } = search.next();
    if (done === true) return value;
  }
}

function subjectIn(
  { users, groups }: Place,
  { kind, name, namespace: own = "" }: Subject,
  bindingNamespace: string,
): readonly [names: Map<string, SubjectRoles> | undefined, name: string] {
  if (kind === "User") return [users, name];
  if (kind === "Group") return [groups, name];
  const namespace = own === "" ? bindingNamespace : own;
  if (kind !== "ServiceAccount" || namespace === "") return [undefined, ""];
  return [users, accountName(namespace, name)];
}
const accountName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

function roleKey({ kind, name }: RoleRef, bindingNamespace: string): string {
  // A role of another kind gets a key with two slashes, which no role has.
  return kind === "Role" ? `${bindingNamespace}/${name}` : kind === "ClusterRole" ? `/${name}` : `//${kind}/${name}`;
}
function keyOf({ namespace = "", name = "" }: Binding["metadata"]): string {
  return `${namespace}/${name}`;
}

/** Describes a binding in kube-apiserver's words, which put the name before the namespace. */
function describeBinding({ kind, metadata: { name = "", namespace = "" }, roleRef, subjects = [] }: Binding, user: Caller): string {
  // An access review may be about a user in very many groups, and a binding may have very many subjects.
  const groups = user.groups.length > scannedGroupsMax ? new Set(user.groups) : undefined;
  const names = ({ kind, name, namespace: own = "" }: Subject): boolean =>
    kind === "User"
      ? name === user.name
      : kind === "Group"
      ? groups?.has(name) ?? user.groups.includes(name)
      : kind === "ServiceAccount" && accountName(own === "" ? namespace : own, name) === user.name;
  const subject = subjects.find(names);
  const binding = goQuote(namespace === "" ? name : `${name}/${namespace}`);
  const account = (own = "") => goQuote(`${subject?.name}/${own === "" ? namespace : own}`);
  const who = subject?.kind === "ServiceAccount" ? account(subject.namespace) : goQuote(subject?.name ?? "");
  return `${kind} ${binding} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject?.kind ?? ""} ${who}`;
}
