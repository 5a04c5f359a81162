/** The rules of an AuthorizationConfiguration, with upstream's messages. */
import { compileAccess, isAccessExpression } from "../../../cel/access/expressions.ts";
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from "../../../core/field-error.ts";
import { dns1123Subdomain } from "../../../core/meta/names.ts";
import { parseDuration } from "../../../core/scalars/duration.ts";
import type { AuthorizationConfiguration, AuthorizerConfiguration, Webhook } from "./schema.ts";
import { bound } from "../../../core/bound.ts";

/** Match conditions of an authorization webhook (kube-apiserver). */
const matchConditionsMax = bound(64);

/** The dependencies of the rules. */
export interface ConfigurationContext {
  /** Available types of authorizers, including Webhook. */
  readonly types: readonly string[];
  /** The mistake of a kubeconfig file, or undefined. */
  readonly fileMistake: (path: string) => string | undefined;
}

export function validateConfiguration(
  { authorizers = [] }: AuthorizationConfiguration,
  context: ConfigurationContext,
): readonly FieldError[] {
  if (authorizers.length === 0) return [required("authorizers", "at least one authorization mode must be defined")];
  const types = new Set<string>(), names = new Set<string>();
  return authorizers.flatMap((each, i) => {
    const at = `authorizers[${i}]`;
    const { type, name } = each;
    const wrongType = typeError(type, `${at}.type`, types, context.types);
    if (wrongType !== undefined) return [wrongType];
    types.add(type);
    const errors = [...nameErrors(name, `${at}.name`, names), ...webhookErrors(each, at, context)];
    names.add(name);
    return errors;
  });
}

function typeError(type: string, at: string, seen: ReadonlySet<string>, known: readonly string[]): FieldError | undefined {
  if (type === "") return required(at, "");
  if (!known.includes(type)) return notSupported(at, type, known.toSorted());
  return seen.has(type) && type !== "Webhook" ? duplicate(at, type) : undefined;
}

function nameErrors(name: string, at: string, seen: ReadonlySet<string>): readonly FieldError[] {
  if (name === "") return [required(at, "")];
  if (seen.has(name)) return [duplicate(at, name)];
  const wrong = dns1123Subdomain(name);
  return wrong.length === 0 ? [] : [invalid(at, name, `authorizer name is invalid: ${wrong.join(", ")}`)];
}

function webhookErrors({ type, webhook }: AuthorizerConfiguration, at: string, context: ConfigurationContext): readonly FieldError[] {
  if (type !== "Webhook") {
    return webhook === undefined ? [] : [invalid(`${at}.webhook`, "non-null", "may only be specified when type=Webhook")];
  }
  if (webhook === undefined) return [required(`${at}.webhook`, "required when type=Webhook")];
  return [
    ...durationErrors(webhook, at),
    ...versionErrors(webhook, at),
    ...policyErrors(webhook, at),
    ...connectionErrors(webhook.connectionInfo, `${at}.connectionInfo`, context),
    ...conditionErrors(webhook, `${at}.matchConditions`),
  ];
}

function durationErrors({ timeout = "", authorizedTTL = "", unauthorizedTTL = "" }: Webhook, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const ms = millisecondsOf(timeout);
  if (ms === 0) errors.push(required(`${at}.timeout`, ""));
  else if (ms > 30_000 || ms < 0) errors.push(invalid(`${at}.timeout`, timeout, "must be > 0s and <= 30s"));
  for (const [name, text] of [["authorizedTTL", authorizedTTL], ["unauthorizedTTL", unauthorizedTTL]] as const) {
    if (millisecondsOf(text) < 0) errors.push(invalid(`${at}.${name}`, text, "must be > 0s"));
  }
  return errors;
}

function versionErrors(webhook: Webhook, at: string): readonly FieldError[] {
  const { subjectAccessReviewVersion: version = "", matchConditionSubjectAccessReviewVersion: matched = "", matchConditions = [] } =
    webhook;
  const field = `${at}.subjectAccessReviewVersion`, matchedField = `${at}.matchConditionSubjectAccessReviewVersion`;
  return [
    ...(version === ""
      ? [required(field, "")]
      : ["v1", "v1beta1"].includes(version)
      ? []
      : [notSupported(field, version, ["v1", "v1beta1"])]),
    ...(matched === "" && matchConditions.length > 0 ? [required(matchedField, "required if match conditions are specified")] : []),
    ...(matched === "" || matched === "v1" ? [] : [notSupported(matchedField, matched, ["v1"])]),
  ];
}

function policyErrors({ failurePolicy = "" }: Webhook, at: string): readonly FieldError[] {
  if (failurePolicy === "") return [required(`${at}.failurePolicy`, "")];
  const known = ["NoOpinion", "Deny"];
  return known.includes(failurePolicy) ? [] : [notSupported(`${at}.failurePolicy`, failurePolicy, known)];
}

function connectionErrors(
  { type = "", kubeConfigFile }: Webhook["connectionInfo"],
  at: string,
  { fileMistake }: ConfigurationContext,
): readonly FieldError[] {
  const file = `${at}.kubeConfigFile`, types = ["InClusterConfig", "KubeConfigFile"];
  if (type === "") return [required(`${at}.type`, "")];
  if (type === "InClusterConfig") {
    return kubeConfigFile === undefined ? [] : [invalid(file, kubeConfigFile, "can only be set when type=KubeConfigFile")];
  }
  if (type !== "KubeConfigFile") return [notSupported(`${at}.type`, type, types)];
  if (kubeConfigFile === undefined || kubeConfigFile === "") return [required(file, "")];
  if (!kubeConfigFile.startsWith("/")) return [invalid(file, kubeConfigFile, "must be an absolute path")];
  const mistake = fileMistake(kubeConfigFile);
  return mistake === undefined ? [] : [invalid(file, kubeConfigFile, mistake)];
}

function conditionErrors({ matchConditions = [] }: Webhook, at: string): readonly FieldError[] {
  if (matchConditions.length === 0) return [];
  if (matchConditions.length > matchConditionsMax) return [tooMany(at, matchConditions.length, matchConditionsMax)];
  const seen = new Set<string>();
  return matchConditions.flatMap(({ expression = "" }, index) => {
    const path = `${at}[${index}].expression`;
    if (expression.trim() === "") return [required(path, "")];
    if (seen.has(expression)) return [duplicate(path, expression)];
    seen.add(expression);
    const compiled = compileAccess(expression, { path, variable: "request", result: "bool" });
    return isAccessExpression(compiled) ? [] : [compiled];
  });
}

/** The milliseconds of a duration in the schema's form: `1m30s`. */
export function millisecondsOf(text: string): number {
  const nanos = text === "" ? 0n : parseDuration(text);
  return typeof nanos === "bigint" ? Number(nanos) / 1e6 : 0;
}
