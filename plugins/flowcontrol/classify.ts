/** Finds the flow schema of a request. Subjects are compared once for each user, rules for each request. */
import type { AuthorizationAttributes, UserInfo } from "../../toolbox.ts";
import { handsMax } from "./bounds.ts";
import type { FlowSchema, NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, Subject } from "./flow-schema-schema.ts";

type Attributes = AuthorizationAttributes;
type Matches = (attributes: Attributes) => boolean;

/** A schema with its rules as functions. */
interface Compiled<S> {
  readonly schema: S;
  readonly rules: readonly { readonly isFor: (user: UserInfo) => boolean; readonly matches: Matches }[];
}
/** A schema that has rules for a user, and these. */
interface ForUser<S> {
  readonly schema: S;
  readonly matches: readonly Matches[];
}

/** Schemas in the order in which they match: by precedence, then by name. */
export class Classifier<S extends { readonly object: FlowSchema }> {
  readonly #compiled: readonly Compiled<S>[];
  readonly #fallback: S | undefined;
  readonly #users = new WeakMap<UserInfo, readonly ForUser<S>[]>();

  /** `fallback` takes requests that no schema matches. */
  constructor(schemas: readonly S[], fallback: S | undefined) {
    const place = ({ object: { spec: { matchingPrecedence } } }: S) => matchingPrecedence;
    const name = ({ object: { metadata } }: S) => metadata.name ?? "";
    this.#compiled = schemas.toSorted((a, b) => place(a) - place(b) || (name(a) < name(b) ? -1 : 1)).map(compile);
    this.#fallback = fallback;
  }

  of(user: UserInfo, attributes: Attributes): S | undefined {
    let known = this.#users.get(user);
    if (known === undefined) this.#users.set(user, known = this.#forUser(user));
    for (const { schema, matches } of known) {
      for (const each of matches) if (each(attributes)) return schema;
    }
    return this.#fallback;
  }

  #forUser(user: UserInfo): readonly ForUser<S>[] {
    return this.#compiled.flatMap(({ schema, rules }) => {
      const matches = rules.filter(({ isFor }) => isFor(user)).map((rule) => rule.matches);
      return matches.length === 0 ? [] : [{ schema, matches }];
    });
  }
}

function compile<S extends { readonly object: FlowSchema }>(schema: S): Compiled<S> {
  return { schema, rules: (schema.object.spec.rules ?? []).map(compileRules) };
}

function compileRules(
  { subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects,
): Compiled<unknown>["rules"][number] {
  const resources = resourceRules.map(resourceMatch), paths = nonResourceRules.map(pathMatch);
  return {
    isFor: (user) => (subjects ?? []).some((subject) => isSubject(subject, user)),
    matches: (attributes) => {
      for (const each of attributes.isResourceRequest ? resources : paths) if (each(attributes)) return true;
      return false;
    },
  };
}

const accountPrefix = "system:serviceaccount:";

function isSubject({ kind, user, group, serviceAccount }: Subject, { name, groups = [] }: UserInfo): boolean {
  if (kind === "User") return user !== undefined && (user.name === "*" || user.name === name);
  if (kind === "Group") return group !== undefined && (group.name === "*" || groups.includes(group.name));
  if (kind !== "ServiceAccount" || serviceAccount === undefined) return false;
  const ofNamespace = `${accountPrefix}${serviceAccount.namespace}:`;
  return serviceAccount.name === "*" ? name.startsWith(ofNamespace) : name === ofNamespace + serviceAccount.name;
}

/** Whether a text is in a list; a star alone stands for every text. */
function member(list: readonly string[] | undefined): (text: string) => boolean {
  if (list?.length === 1 && list[0] === "*") return () => true;
  const set = new Set(list);
  return (text) => set.has(text);
}

function resourceMatch(rule: ResourcePolicyRule): Matches {
  const hasVerb = member(rule.verbs), hasGroup = member(rule.apiGroups), hasResource = member(rule.resources);
  const hasNamespace = member(rule.namespaces), isOfCluster = rule.clusterScope === true;
  return ({ verb, group, resource, subresource, namespace }) =>
    hasVerb(verb) && hasGroup(group) && hasResource(subresource === "" ? resource : `${resource}/${subresource}`) &&
    (namespace === "" ? isOfCluster : hasNamespace(namespace));
}

function pathMatch({ verbs, nonResourceURLs = [] }: NonResourcePolicyRule): Matches {
  const hasVerb = member(verbs), isAll = nonResourceURLs.includes("*"), exact = new Set(nonResourceURLs);
  // `/a` and `/a/*` both stand for what is below; only the first one for `/a` itself.
  const prefixes = nonResourceURLs.map((url) => url.endsWith("*") ? url.slice(0, -1) : url)
    .map((url) => url.endsWith("/") ? url : `${url}/`);
  return ({ verb, path }) => hasVerb(verb) && (isAll || exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** The names of flows of one schema. Each is made once, because a text that is made for each request is hashed for each request. */
export class Flows {
  readonly #name: string;
  readonly #type: string | undefined;
  readonly #names = new Map<string, string>();

  constructor({ metadata: { name = "" }, spec: { distinguisherMethod } }: FlowSchema) {
    this.#name = name;
    this.#type = distinguisherMethod?.type;
  }

  /** The name of the flow of a request: the schema, and the user or the namespace if the schema separates its requests by one of them. */
  of(user: UserInfo, { namespace }: Attributes): string {
    if (this.#type !== "ByUser" && this.#type !== "ByNamespace") return this.#name;
    const key = this.#type === "ByUser" ? user.name : namespace, known = this.#names.get(key);
    if (known !== undefined) return known;
    if (this.#names.size >= handsMax) this.#names.clear();
    const name = `${this.#name}/${key}`;
    this.#names.set(key, name);
    return name;
  }
}
