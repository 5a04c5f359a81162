/** Runs one recorded expression with the variables of admission policies. */
import type { AuthorizationDecision } from "../../core/access.ts";
import { fullTypeName } from "../../cel/policy/type-name.ts";
import { environment } from "../../cel/environment.ts";
import { AuthorizerValue, ResourceCheck } from "../../cel/functions/authorizer/authorizer.ts";
import type { AccessCheck, AccessPort } from "../../cel/functions/authorizer/decisions.ts";
import { PolicyCompiler, type PolicyExpression } from "../../cel/policy/policy.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  stringType,
  type Type,
} from "../../cel/types.ts";
import { CelError } from "../../cel/values.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { FieldRequirement } from "../../core/selectors/field.ts";
import type { LabelRequirement } from "../../core/selectors/label.ts";
import type { Expected, PolicyCase } from "./cases.ts";
import { tagged } from "./values.ts";

const base = environment({ version: 34 });

const returnTypes: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["bool", boolType],
  ["bytes", bytesType],
  ["double", doubleType],
  ["dyn", dynType],
  ["int", intType],
  ["null_type", nullType],
  ["string", stringType],
  ["Object", objectType("Object")],
  ["list(JSONPatch)", listType(objectType("JSONPatch"))],
  ["list(string)", listType(stringType)],
  ["map(string, string)", mapType(stringType, stringType)],
]);

/** The result of this implementation for a case, in the form of `expect`. */
export function runPolicyCase(given: PolicyCase): Expected {
  const compiler = new PolicyCompiler(base, {
    hasParams: given.params !== undefined || given.hasParams === true,
    hasAuthorizer: given.hasAuthorizer !== false,
    hasPatchTypes: given.patchTypes === true,
  });
  const variables = (given.variables ?? []).map(({ name, expression }) => variableOf(name, compiler.declare(name, expression)));
  const shown = variables.length === 0 ? {} : { variables };
  const compiled = compiler.compile(given.expression, given.returns?.map((name) => returnTypes.get(name)!));
  if (compiled.error !== undefined) return { compileError: compiled.error, ...shown };
  const calls: Json[] = [];
  const authorizer = authorizerOf(given, calls);
  const activation = compiler.activate({
    object: objectOf(given.object),
    oldObject: objectOf(given.oldObject),
    params: objectOf(given.params),
    request: requestOf(given.request),
    namespaceObject: objectOf(given.namespaceObject),
    ...(authorizer === undefined ? {} : { authorizer, requestResource: requestResource(authorizer, objectOf(given.request)) }),
  });
  const { value, cost, isExhausted } = activation.evaluate(compiled.program);
  const outcome: Expected = isExhausted
    ? { budgetError: "validation failed due to running out of cost budget, no further validation rules will be run" }
    : value instanceof CelError
    ? { cost, error: value.message }
    : { cost, value: tagged(value) };
  return { outputType: fullTypeName(compiled.type), ...outcome, ...shown, ...(calls.length === 0 ? {} : { authorizerCalls: calls }) };
}

function variableOf(name: string, compiled: PolicyExpression): Json {
  return compiled.error === undefined ? { name, outputType: fullTypeName(compiled.type) } : { name, compileError: compiled.error };
}

function objectOf(json: Json | undefined): JsonObject | null {
  return (json ?? null) as JsonObject | null;
}

const noKind = { group: "", version: "", kind: "" }, noResource = { group: "", version: "", resource: "" };
const optionalFields = ["subResource", "requestSubResource", "name", "namespace", "requestKind", "requestResource", "dryRun"];

/** The request as the API's type is written: empty optional fields are left out. */
function requestOf(json: Json | undefined): JsonObject {
  const given = Object.entries(objectOf(json) ?? {}).filter(([key, value]) =>
    !(optionalFields.includes(key) && (value === "" || value === null))
  );
  return {
    uid: "",
    kind: noKind,
    resource: noResource,
    operation: "",
    userInfo: {},
    object: null,
    oldObject: null,
    options: null,
    ...Object.fromEntries(given),
  };
}

interface Rule extends JsonObject {
  readonly match: JsonObject;
  readonly decision: string;
  readonly reason: string;
  readonly error: string;
}

function authorizerOf({ authorizer, hasAuthorizer, request }: PolicyCase, calls: Json[]): AuthorizerValue | undefined {
  if (hasAuthorizer === false) return undefined;
  const rules = (authorizer ?? []) as readonly Rule[];
  const port: AccessPort = {
    decide(check) {
      const asked = attributesOf(check);
      calls.push(asked);
      const rule = rules.find(({ match }) => Object.entries(match).every(([key, value]) => asked[key] === value));
      return rule === undefined ? { verdict: "noOpinion", reason: "" } : decisionOf(rule);
    },
  };
  const { username = "", groups = [] } = (objectOf(request)?.["userInfo"] ?? {}) as { username?: string; groups?: string[] };
  return new AuthorizerValue({ name: username, groups }, port);
}

function decisionOf({ decision, reason = "", error }: Rule): AuthorizationDecision {
  const verdict = decision === "allow" || decision === "deny" ? decision : "noOpinion";
  return { verdict, reason, ...(error === undefined ? {} : { error }) };
}

function attributesOf({ user, attributes, fieldSelectorError, labelSelectorError }: AccessCheck): JsonObject {
  const { isResourceRequest, path, verb, group, version, resource, subresource, namespace, name } = attributes;
  if (!isResourceRequest) return { user: user.name, verb, path };
  const fields = fieldSelectorError === undefined
    ? attributes.fieldSelector?.map(fieldRequirementText).join("")
    : `error: ${fieldSelectorError}`;
  const labels = labelSelectorError === undefined
    ? attributes.labelSelector?.map(labelRequirementText).join("")
    : `error: ${labelSelectorError}`;
  return {
    user: user.name,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    ...(fields === undefined ? {} : { fieldSelector: fields }),
    ...(labels === undefined ? {} : { labelSelector: labels }),
  };
}

function fieldRequirementText({ field, operator, value }: FieldRequirement): string {
  return `${field} ${operator} ${value};`;
}
function labelRequirementText({ key, operator, values }: LabelRequirement): string {
  return `${key}${operator === "==" ? "=" : operator}${values.join(",")};`;
}

/** The resource of the request. */
function requestResource(authorizer: AuthorizerValue, request: JsonObject | null): ResourceCheck {
  const { group = "", resource = "" } = (request?.["resource"] ?? {}) as { group?: string; resource?: string };
  const { subResource = "", namespace = "", name = "" } = (request ?? {}) as Record<string, string>;
  return new ResourceCheck(authorizer, { group, resource, subresource: subResource, namespace, name });
}
