/** The rules of flow schemas, with upstream's texts and order. */
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../../plugin.ts";
import { append, dns1123Label, sameValue, subdomainName } from "../../toolbox.ts";
import { exemptName, mandatorySchemas } from "./bootstrap-objects.ts";
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "./flow-schema-schema.ts";

/** The highest matchingPrecedence. */
const precedenceMax = 10_000;
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

export function validateFlowSchema({ metadata: { name = "" }, spec, status }: FlowSchema): readonly FieldError[] {
  const mandatory = mandatorySchemas.find((each) => each.name === name);
  return [
    ...validateSpec(name, spec),
    ...(mandatory === undefined || sameValue(mandatory.spec, spec)
      ? []
      : [invalid("spec", spec, `spec of '${name}' must equal the fixed value`)]),
    ...validateConditions(status.conditions),
  ];
}

/** Each type of condition is there once, and has a name. */
export function validateConditions(conditions: readonly { readonly type?: string }[] = []): readonly FieldError[] {
  const errors: FieldError[] = [], types = new Set<string>();
  conditions.forEach(({ type = "" }, index) => {
    const path = `status.conditions[${index}].type`;
    if (types.has(type)) errors.push(duplicate(path, type));
    types.add(type);
    if (type === "") errors.push(required(path, ""));
  });
  return errors;
}

function validateSpec(name: string, spec: FlowSchemaSpec): readonly FieldError[] {
  const { matchingPrecedence: precedence, distinguisherMethod, priorityLevelConfiguration: { name: level }, rules = [] } = spec;
  const errors: FieldError[] = [];
  const wrong = (detail: string) => void errors.push(invalid("spec.matchingPrecedence", precedence, detail));
  if (precedence <= 0) wrong("must be a positive value");
  if (precedence > precedenceMax) wrong(`must not be greater than ${precedenceMax}`);
  if (precedence === 1 && name !== exemptName) wrong(`only the schema named '${exemptName}' may have matchingPrecedence 1`);
  if (distinguisherMethod !== undefined && distinguisherMethod.type !== "ByUser" && distinguisherMethod.type !== "ByNamespace") {
    errors.push(notSupported("spec.distinguisherMethod.type", { Type: distinguisherMethod.type }, ["ByNamespace", "ByUser"]));
  }
  if (level === "") errors.push(required("spec.priorityLevelConfiguration.name", "must reference a priority level"));
  else for (const text of subdomainName(level, false)) errors.push(invalid("spec.priorityLevelConfiguration.name", level, text));
  rules.forEach((rule, index) => append(errors, validateRules(rule, `spec.rules[${index}]`)));
  return errors;
}

function validateRules(
  { subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [], given = subjects ?? [];
  if (given.length === 0) errors.push(required(`${path}.subjects`, "subjects must contain at least one value"));
  given.forEach((subject, index) => append(errors, validateSubject(subject, `${path}.subjects[${index}]`)));
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  resourceRules.forEach((rule, index) => append(errors, validateResourceRule(rule, `${path}.resourceRules[${index}]`)));
  nonResourceRules.forEach((rule, index) => append(errors, validateNonResourceRule(rule, `${path}.nonResourceRules[${index}]`)));
  return errors;
}

/** The members of a subject by the kind that needs them, in the order of upstream's errors about those of other kinds. */
const members = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
/** The kinds whose members a subject of a kind must not have. */
const others: Readonly<Record<string, readonly (keyof typeof members)[]>> = {
  ServiceAccount: ["User", "Group"],
  User: ["ServiceAccount", "Group"],
  Group: ["ServiceAccount", "User"],
};

function validateSubject(subject: Subject, path: string): readonly FieldError[] {
  const { kind } = subject, foreign = Object.hasOwn(others, kind) ? others[kind] : undefined;
  if (foreign === undefined) return [notSupported(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"])];
  const own = members[kind as keyof typeof members]; // `others` has the same keys
  const errors: FieldError[] = [], value = subject[own];
  if (value === undefined) errors.push(required(`${path}.${own}`, `${own} is required when subject kind is '${kind}'`));
  else {
    if (value.name === "") errors.push(required(`${path}.${own}.name`, ""));
    if (own === "serviceAccount") append(errors, validateAccount(subject.serviceAccount!, `${path}.${own}`)); // it is `value`
  }
  for (const other of foreign) {
    const member = members[other];
    if (subject[member] !== undefined) {
      errors.push(forbidden(`${path}.${member}`, `${member} is forbidden when subject kind is not '${other}'`));
    }
  }
  return errors;
}

function validateAccount({ name, namespace }: NonNullable<Subject["serviceAccount"]>, path: string): readonly FieldError[] {
  return [
    ...(name === "" || name === "*" ? [] : subdomainName(name, false).map((text) => invalid(`${path}.name`, name, text))),
    ...(namespace === ""
      ? [required(`${path}.namespace`, "must specify namespace for service account")]
      : dns1123Label(namespace).map((text) => invalid(`${path}.namespace`, namespace, text))),
  ];
}

function validateVerbs(given: readonly string[], path: string): readonly FieldError[] {
  if (given.length === 0) return [required(`${path}.verbs`, "verbs must contain at least one value")];
  if (given.includes("*")) return validateStar(given, `${path}.verbs`, "verbs");
  return given.every((verb) => verbs.includes(verb)) ? [] : [notSupported(`${path}.verbs`, given, verbs)];
}
/** A star stands for all, so that it is the only item. */
function validateStar(given: readonly string[], path: string, things: string): readonly FieldError[] {
  return given.length > 1 && given.includes("*") ? [invalid(path, given, `if '*' is present, must not specify other ${things}`)] : [];
}

function validateResourceRule(rule: ResourcePolicyRule, path: string): readonly FieldError[] {
  const apiGroups = rule.apiGroups ?? [], resources = rule.resources ?? [], namespaces = rule.namespaces ?? [];
  const errors = [...validateVerbs(rule.verbs ?? [], path)];
  if (apiGroups.length === 0) errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  append(errors, validateStar(apiGroups, `${path}.apiGroups`, "api groups"));
  if (resources.length === 0) errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  append(errors, validateStar(resources, `${path}.resources`, "resources"));
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    errors.push(required(`${path}.namespaces`, "resource rules that are not cluster scoped must supply at least one namespace"));
  } else if (namespaces.includes("*")) append(errors, validateStar(namespaces, `${path}.namespaces`, "namespaces"));
  else {
    namespaces.forEach((namespace, index) => {
      for (const text of dns1123Label(namespace)) {
        const detail = `each member of this list must be '*' or a DNS-1123 label; ${text}`;
        errors.push(invalid(`${path}.namespaces[${index}]`, namespace, detail));
      }
    });
  }
  return errors;
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: string): readonly FieldError[] {
  const urls = rule.nonResourceURLs ?? [], at = `${path}.nonResourceURLs`;
  const errors = [...validateVerbs(rule.verbs ?? [], path)];
  if (urls.length === 0) errors.push(required(at, "nonResourceURLs must contain at least one value"));
  else if (urls.includes("*")) append(errors, validateStar(urls, at, "non-resource URLs"));
  else {
    urls.forEach((url, index) => {
      const detail = wrongPath(url);
      if (detail !== undefined) errors.push(invalid(`${at}[${index}]`, url, detail));
    });
  }
  return errors;
}

/** What is wrong with a path of a rule; undefined if nothing is. */
function wrongPath(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path === "/") return undefined;
  if (!path.startsWith("/")) return "must start with slash";
  if (path.includes(" ")) return "must not contain white-space";
  if (path.includes("//")) return "must not contain double slash";
  const star = path.indexOf("*");
  return star < 0 || (star === path.length - 1 && path.endsWith("/*")) ? undefined : "wildcard can only do suffix matching";
}
