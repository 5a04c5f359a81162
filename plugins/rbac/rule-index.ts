/** Roles and bindings by subject, so that a decision looks at those of its user only. */
import { type AuthorizationAttributes, type Caller, goQuote } from "../../plugin.ts";
import { ruleAllows } from "./rules.ts";
import type { Binding, PolicyRule, Role, RoleRef, Subject } from "./schema.ts";

/** The decision about a request: the binding that allows it, or errors met on the way. */
export interface Found {
  /** `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`; undefined if nothing allows it. */
  readonly allowedBy: string | undefined;
  readonly errors: readonly string[];
}

/** Bindings of the cluster ("") or of one namespace, by the subjects that they name. */
type BySubject = Map<string, Set<Binding>>;

const userKey = (name: string): string => `u:${name}`;
const groupKey = (name: string): string => `g:${name}`;

export class RuleIndex {
  /** Rules by `namespace/name`; the namespace of a ClusterRole is "". */
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, Binding>();
  readonly #subjects = new Map<string, BySubject>();
  /** The group of roles, which errors name. */
  readonly #group: string;

  constructor(group: string) {
    this.#group = group;
  }

  setRole({ metadata, rules }: Role): void {
    this.#rules.set(keyOf(metadata), rules ?? []);
  }
  deleteRole({ metadata }: Pick<Role, "metadata">): void {
    this.#rules.delete(keyOf(metadata));
  }
  setBinding(binding: Binding): void {
    this.deleteBinding(binding);
    const { namespace = "" } = binding.metadata;
    this.#bindings.set(keyOf(binding.metadata), binding);
    let subjects = this.#subjects.get(namespace);
    if (subjects === undefined) this.#subjects.set(namespace, subjects = new Map());
    for (const key of subjectKeys(binding)) {
      const known = subjects.get(key);
      if (known === undefined) subjects.set(key, new Set([binding]));
      else known.add(binding);
    }
  }
  deleteBinding({ metadata }: Pick<Binding, "metadata">): void {
    const key = keyOf(metadata), binding = this.#bindings.get(key), { namespace = "" } = metadata;
    const subjects = this.#subjects.get(namespace);
    if (binding === undefined || subjects === undefined) return;
    this.#bindings.delete(key);
    for (const subject of subjectKeys(binding)) {
      const known = subjects.get(subject);
      known?.delete(binding);
      if (known?.size === 0) subjects.delete(subject);
    }
    if (subjects.size === 0) this.#subjects.delete(namespace);
  }

  /** Looks for a rule that allows a request: bindings of the cluster first, then those of the namespace. */
  find(user: Caller, attributes: AuthorizationAttributes): Found {
    const errors: string[] = [];
    for (const [binding, rules] of this.#rulesOf(user, attributes.namespace, errors)) {
      for (const rule of rules) {
        if (ruleAllows(rule, attributes)) return { allowedBy: describeBinding(binding, user), errors };
      }
    }
    return { allowedBy: undefined, errors };
  }

  /** Every rule of a user: those of the cluster first, then those of the namespace. */
  rules(user: Caller, namespace: string): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] } {
    const errors: string[] = [];
    const rules = [...this.#rulesOf(user, namespace, errors)].flatMap(([, each]) => each);
    return { rules, errors };
  }

  *#rulesOf(user: Caller, namespace: string, errors: string[]): Generator<readonly [Binding, readonly PolicyRule[]]> {
    for (const place of namespace === "" ? [""] : ["", namespace]) {
      const subjects = this.#subjects.get(place);
      if (subjects === undefined) continue;
      for (const binding of bindingsOf(subjects, user)) {
        const rules = this.#rules.get(roleKey(binding.roleRef, place));
        if (rules !== undefined) yield [binding, rules];
        else errors.push(this.#roleError(binding.roleRef));
      }
    }
  }

  #roleError({ kind, name }: RoleRef): string {
    if (kind !== "Role" && kind !== "ClusterRole") return `unsupported role reference kind: ${goQuote(kind)}`;
    return `${kind.toLowerCase()}.${this.#group} ${goQuote(name)} not found`;
  }
}

/** The bindings that name a user or one of its groups, each once. */
function* bindingsOf(subjects: BySubject, { name, groups }: Caller): Generator<Binding> {
  const own = subjects.get(userKey(name));
  if (own !== undefined) yield* own;
  // A binding is met again only if it names several of the user's names.
  let seen: Set<Binding> | undefined = own;
  for (const group of groups) {
    const more = subjects.get(groupKey(group));
    if (more === undefined) continue;
    for (const binding of more) if (seen === undefined || !seen.has(binding)) yield binding;
    seen = seen === undefined ? more : new Set([...seen, ...more]);
  }
}

function subjectKeys({ metadata, subjects = [] }: Binding): ReadonlySet<string> {
  return new Set(subjects.flatMap((subject) => subjectKey(subject, metadata.namespace ?? "") ?? []));
}
/** The key of a subject; a ServiceAccount is the user that it is authenticated as. */
function subjectKey({ kind, name, namespace: own = "" }: Subject, bindingNamespace: string): string | undefined {
  if (kind === "User") return userKey(name);
  if (kind === "Group") return groupKey(name);
  const namespace = own === "" ? bindingNamespace : own;
  return kind !== "ServiceAccount" || namespace === "" ? undefined : userKey(`system:serviceaccount:${namespace}:${name}`);
}

function roleKey({ kind, name }: RoleRef, bindingNamespace: string): string {
  // A kind that is neither finds nothing: no name has a slash.
  return kind === "Role" ? `${bindingNamespace}/${name}` : kind === "ClusterRole" ? `/${name}` : "//";
}
function keyOf({ namespace = "", name = "" }: Binding["metadata"]): string {
  return `${namespace}/${name}`;
}

/** The words of kube-apiserver, which puts the name of a binding before its namespace. */
function describeBinding({ kind, metadata: { name = "", namespace = "" }, roleRef, subjects = [] }: Binding, user: Caller): string {
  const keys = new Set([userKey(user.name), ...user.groups.map(groupKey)]);
  const subject = subjects.find((each) => keys.has(subjectKey(each, namespace) ?? ""));
  const binding = goQuote(namespace === "" ? name : `${name}/${namespace}`);
  const account = (own = "") => goQuote(`${subject?.name}/${own === "" ? namespace : own}`);
  const who = subject?.kind === "ServiceAccount" ? account(subject.namespace) : goQuote(subject?.name ?? "");
  return `${kind} ${binding} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject?.kind ?? ""} ${who}`;
}
