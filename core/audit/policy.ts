/** Reads the audit policy file: its schema, its rules and its mistakes, with kube-apiserver's messages. */
import { type FieldError, fieldErrorText, invalid, notSupported, required } from "../field-error.ts";
import { dns1123Subdomain } from "../meta/names.ts";
import { isObject, type Json, type JsonObject } from "../schema.ts";
import { jsonFromTree } from "../tree/json.ts";
import { goQuote } from "../tree/go-quote.ts";
import { readYaml } from "../tree/yaml.ts";
import { valueText } from "../value-text.ts";
import { type Fault, faultOf, faultsOfFields, FaultyText } from "../config/mistake.ts";
import { bound } from "../bound.ts";

/** Maximum length of the audit policy file, in UTF-16 units. */
export const auditPolicyLengthMax = bound(1024 * 1024);

export const levels: readonly PolicyLevel[] = Object.freeze(["None", "Metadata", "Request", "RequestResponse"] as const);
/** The level of a rule: how much of a request is recorded. */
export type PolicyLevel = "None" | "Metadata" | "Request" | "RequestResponse";
/** The level of a request that is recorded. */
export type AuditLevel = Exclude<PolicyLevel, "None">;

export const stages: readonly AuditStage[] = Object.freeze(["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const);
/** The stages of a request. Each stage that is recorded is an event. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** Resources of one group. "" is the core group, `*` is every group. Empty lists match everything. */
export interface GroupResources {
  readonly group: string;
  /** Names of resources: `pods`, `pods/log`, `pods/*`, `*\/scale` or `*`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** A rule applies to requests that match each of its lists. Empty lists match everything. */
export interface PolicyRule {
  readonly level: PolicyLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  /** The namespaces; "" matches cluster-scoped resources. */
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** Whether managed fields are left out; undefined means that the policy's setting applies. */
  readonly omitManagedFields: boolean | undefined;
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** A policy, and the unknown and duplicate fields of its file, which are ignored. */
export interface ReadPolicy {
  readonly policy: Policy;
  readonly warnings: readonly Fault[];
}

/**
 * Whether some events have no stage RequestReceived. A failure of that event prevents its request; that of a later one
 * cannot.
 */
export function omitsFirstStage({ rules, omitStages }: Policy): boolean {
  const recorded = rules.filter(({ level }) => level !== "None");
  return recorded.some((rule) => [...omitStages, ...rule.omitStages].includes("RequestReceived"));
}

/**
 * Parses a policy in YAML or JSON. Unknown and duplicate fields are warnings, as in kube-apiserver.
 *
 * @param domain the domain of API groups, `k8s.io`
 * @throws FaultyText with every mistake
 */
export function readPolicy(text: string, domain: string): ReadPolicy {
  if (text.length > auditPolicyLengthMax) throw new Error(`it has more than ${auditPolicyLengthMax} characters`);
  const read = readYaml(new TextEncoder().encode(text));
  if (!read.ok) throw new FaultyText(`failed decoding: couldn't get version/kind; json parse error: ${read.error}`, [faultOf(read.error)]);
  const value = jsonFromTree(read.tree);
  checkType(value, domain);
  const reader = new Reader(read.duplicates.map(faultOf));
  const written = reader.policy(value);
  const errors = policyErrors(written).filter(({ path }) => !reader.mistakes.some((wrong) => path.startsWith(wrong.path)));
  const faults = [...reader.mistakes, ...faultsOfFields(errors)];
  if (reader.mistakes.length > 0) throw new FaultyText(`failed decoding: ${joined(reader.mistakes.map((wrong) => wrong.text))}`, faults);
  if (errors.length > 0) throw new FaultyText(joined(errors.map(fieldErrorText)), faults);
  if (written.rules.length === 0) {
    const text = "loaded illegal policy with 0 rules";
    throw new FaultyText(text, [{ text, path: "rules" }]);
  }
  return { policy: written as Policy, warnings: reader.warnings }; // this was checked above
}

/** Joins several messages in the format of Go's aggregate. */
function joined(messages: readonly string[]): string {
  const all = [...new Set(messages)];
  return all.length === 1 ? all[0]! : `[${all.join(", ")}]`;
}

function checkType(value: Json, domain: string): asserts value is JsonObject {
  const { kind = "", apiVersion = "" } = isObject(value) ? value : {};
  const group = `audit.${domain}`;
  const fail = (text: string, path: string) => {
    throw new FaultyText(text, [{ text, path }]);
  };
  if (kind === "") throw new Error(`failed decoding: Object 'Kind' is missing in ${goQuote(valueText(value)?.slice(0, 100) ?? "")}`);
  if (apiVersion !== `${group}/v1`) {
    fail(`unknown group version field ${String(apiVersion)}, Kind=${String(kind)} in policy: it must be ${group}/v1`, "apiVersion");
  }
  if (kind !== "Policy") {
    fail(`failed decoding: no kind ${goQuote(String(kind))} is registered for version ${goQuote(`${group}/v1`)}`, "kind");
  }
}

type Written<T> = {
  readonly [Key in keyof T]: T[Key] extends PolicyLevel ? string : T[Key] extends readonly AuditStage[] ? readonly string[] : T[Key];
};
type WrittenRule = Written<PolicyRule>;
interface WrittenPolicy {
  readonly rules: readonly WrittenRule[];
  readonly omitStages: readonly string[];
  readonly omitManagedFields: boolean;
}

/**
 * Reads values of the expected types. Values of other types are mistakes and are read as empty, so that later items keep their positions.
 * Unknown fields are warnings.
 */
class Reader {
  readonly mistakes: { readonly text: string; readonly path: string }[] = [];
  readonly warnings: Fault[];
  constructor(warnings: Fault[]) {
    this.warnings = warnings;
  }

  policy(value: JsonObject): WrittenPolicy {
    this.#known(value, "", ["kind", "apiVersion", "metadata", "rules", "omitStages", "omitManagedFields"]);
    return {
      rules: this.#objects(value, "rules", "").map((rule, index) => this.#rule(rule, `rules[${index}]`)),
      omitStages: this.#texts(value, "omitStages", ""),
      omitManagedFields: this.#boolean(value, "omitManagedFields", "") ?? false,
    };
  }

  #rule(value: JsonObject, path: string): WrittenRule {
    this.#known(value, path, [
      "level",
      "users",
      "userGroups",
      "verbs",
      "resources",
      "namespaces",
      "nonResourceURLs",
      "omitStages",
      "omitManagedFields",
    ]);
    const texts = (name: string) => this.#texts(value, name, path);
    return {
      level: this.#text(value, "level", path),
      users: texts("users"),
      userGroups: texts("userGroups"),
      verbs: texts("verbs"),
      resources: this.#objects(value, "resources", path).map((each, index) => this.#resources(each, `${path}.resources[${index}]`)),
      namespaces: texts("namespaces"),
      nonResourceURLs: texts("nonResourceURLs"),
      omitStages: texts("omitStages"),
      omitManagedFields: this.#boolean(value, "omitManagedFields", path),
    };
  }

  #resources(value: JsonObject, path: string): GroupResources {
    this.#known(value, path, ["group", "resources", "resourceNames"]);
    return {
      group: this.#text(value, "group", path),
      resources: this.#texts(value, "resources", path),
      resourceNames: this.#texts(value, "resourceNames", path),
    };
  }

  #known(value: JsonObject, path: string, names: readonly string[]): void {
    for (const key of Object.keys(value).filter((each) => !names.includes(each))) {
      this.warnings.push({ text: `unknown field ${goQuote(at(path, key))}`, path: at(path, key) });
    }
  }

  #mistake(path: string, expected: string): void {
    this.mistakes.push({ text: `${path}: must be ${expected}`, path });
  }

  #text(value: JsonObject, name: string, path: string): string {
    const { [name]: text = null } = value;
    if (typeof text === "string") return text;
    if (text !== null) this.#mistake(at(path, name), "a string");
    return "";
  }

  #boolean(value: JsonObject, name: string, path: string): boolean | undefined {
    const { [name]: is = null } = value;
    if (typeof is === "boolean") return is;
    if (is !== null) this.#mistake(at(path, name), "true or false");
    return undefined;
  }

  #list(value: JsonObject, name: string, path: string): readonly Json[] {
    const { [name]: list = null } = value;
    if (Array.isArray(list)) return list;
    if (list !== null) this.#mistake(at(path, name), "a list");
    return [];
  }

  #texts(value: JsonObject, name: string, path: string): readonly string[] {
    return this.#list(value, name, path).map((each, index) => {
      if (typeof each === "string") return each;
      this.#mistake(`${at(path, name)}[${index}]`, "a string");
      return "";
    });
  }

  #objects(value: JsonObject, name: string, path: string): readonly JsonObject[] {
    return this.#list(value, name, path).map((each, index) => {
      if (isObject(each)) return each;
      this.#mistake(`${at(path, name)}[${index}]`, "a map");
      return {};
    });
  }
}

function at(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Returns the errors of a policy. Their order and paths are upstream's; as in upstream, errors of resources have no index. */
function policyErrors({ omitStages, rules }: WrittenPolicy): readonly FieldError[] {
  return [...stageErrors(omitStages, "omitStages"), ...rules.flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`))];
}

function ruleErrors({ level, nonResourceURLs, resources, namespaces, omitStages }: WrittenRule, path: string): readonly FieldError[] {
  const urls = `${path}.nonResourceURLs`;
  const isMixed = nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0);
  return [
    ...levelErrors(level, `${path}.level`),
    ...nonResourceURLs.flatMap((url, index) => urlErrors(url, `${urls}[${index}]`)),
    ...resources.flatMap((each) => resourceErrors(each, `${path}.resources`)),
    ...stageErrors(omitStages, `${path}.omitStages`),
    ...(isMixed ? [invalid(urls, nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs")] : []),
  ];
}

function levelErrors(level: string, path: string): readonly FieldError[] {
  if (level === "") return [required(path, "")];
  return (levels as readonly string[]).includes(level) ? [] : [notSupported(path, level, levels)];
}

function urlErrors(url: string, path: string): readonly FieldError[] {
  if (url === "*") return [];
  return [
    ...(url.startsWith("/") ? [] : [invalid(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes("*")
      ? [invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ];
}

function resourceErrors({ group, resources, resourceNames }: GroupResources, path: string): readonly FieldError[] {
  const mistakes = group === "" || group === "*" ? [] : dns1123Subdomain(group);
  return [
    ...(mistakes.length > 0 ? [invalid(`${path}.group`, group, mistakes.join(","))] : []),
    ...(resourceNames.length > 0 && resources.length === 0
      ? [invalid(`${path}.resourceNames`, resourceNames, "using resourceNames requires at least one resource")]
      : []),
  ];
}

function stageErrors(omitted: readonly string[], path: string): readonly FieldError[] {
  return omitted.flatMap((stage, index) =>
    (stages as readonly string[]).includes(stage) ? [] : [invalid(`${path}[${index}]`, stage, `allowed stages are ${stages.join(",")}`)]
  );
}
