/** Validates what both kinds of policies and of bindings have in common. */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../plugin.ts";
import {
  append,
  dns1035Label,
  dns1123Subdomain,
  pathSegmentName,
  sameValue,
  subdomainName,
  validateLabelSelector,
} from "../../../toolbox.ts";
import type { MutatingAdmissionPolicy } from "../mutating-schema.ts";
import type { ParamKind, ParamRef, ValidatingAdmissionPolicy, Variable } from "../schema.ts";
import { type ExpressionChecker, goTrim, type StoredExpressions } from "./expressions.ts";

type Spec = ValidatingAdmissionPolicy["spec"] | MutatingAdmissionPolicy["spec"];

/** Whether an update leaves the match conditions and the kind of parameters unchanged. The conditions are then not checked again. */
export function keepsConditions(next: Spec, prior: Spec): boolean {
  const read = ({ paramKind, matchConditions = [] }: Spec) => ({ paramKind: paramKind ?? null, matchConditions });
  return sameValue(read(next), read(prior));
}

export function validateParamKind(paramKind: ParamKind | undefined, path: string): readonly FieldError[] {
  if (paramKind === undefined) return [];
  const { apiVersion = "", kind = "" } = paramKind;
  const errors = [...validateGroupVersion(apiVersion, `${path}.apiVersion`)];
  if (kind === "") errors.push(required(`${path}.kind`, ""));
  else {
    const wrong = dns1035Label(kind.toLowerCase());
    if (wrong.length > 0) errors.push(invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${wrong.join(",")}`));
  }
  return errors;
}

function validateGroupVersion(apiVersion: string, path: string): readonly FieldError[] {
  if (apiVersion === "") return [required(path, "")];
  const segments = apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (segments.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = segments.at(-1)!, group = segments.length === 2 ? segments[0]! : "";
  const errors: FieldError[] = [];
  const wrongGroup = group === "" ? [] : dns1123Subdomain(group);
  if (wrongGroup.length > 0) errors.push(invalid(path, group, wrongGroup.join(",")));
  const wrongVersion = version === "" ? [] : dns1035Label(version);
  if (version === "") errors.push(invalid(path, apiVersion, "version must be specified"));
  else if (wrongVersion.length > 0) errors.push(invalid(path, version, wrongVersion.join(",")));
  return errors;
}

export function validatePolicyName(policyName: string, path: string): readonly FieldError[] {
  return policyName === "" ? [required(path, "")] : subdomainName(policyName, false).map((wrong) => invalid(path, policyName, wrong));
}

const exclusive = "name and selector are mutually exclusive";
const notFoundActions = ["Deny", "Allow"];

export function validateParamRef(ref: ParamRef | undefined, path: string): readonly FieldError[] {
  if (ref === undefined) return [];
  const { name = "", selector, parameterNotFoundAction: action = "" } = ref;
  const errors = name === "" ? [] : pathSegmentName(name, false).map((wrong) => invalid(`${path}.name`, name, wrong));
  if (name !== "" && selector !== undefined) errors.push(forbidden(`${path}.name`, exclusive));
  append(errors, validateLabelSelector(selector, `${path}.selector`));
  if (name !== "" && selector !== undefined) errors.push(forbidden(`${path}.selector`, exclusive));
  if (name === "" && selector === undefined) errors.push(required(path, "one of name or selector must be specified"));
  const at = `${path}.parameterNotFoundAction`;
  if (action === "") errors.push(required(at, ""));
  else if (!notFoundActions.includes(action)) errors.push(notSupported(at, action, notFoundActions));
  return errors;
}

// Matches an identifier of CEL; reserved words are excluded separately.
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved: ReadonlySet<string> = new Set(
  ("true false null in as break const continue else for function if import let loop package namespace return var void while").split(" "),
);

/** Returns the errors of a variable, and declares it for later expressions. */
export function validateVariable(
  variable: Variable,
  { checker, hasParams, hasPatchTypes, stored, path }: {
    readonly checker: ExpressionChecker;
    readonly hasParams: boolean;
    readonly hasPatchTypes: boolean;
    readonly stored: StoredExpressions;
    readonly path: string;
  },
): readonly FieldError[] {
  const { name, expression } = variable;
  const errors: FieldError[] = [];
  if (goTrim(name) === "") errors.push(required(`${path}.name`, "name is not specified"));
  else if (!identifier.test(name) || reserved.has(name)) errors.push(invalid(`${path}.name`, name, "must be a valid CEL identifier"));
  if (goTrim(expression) === "") return [...errors, required(`${path}.expression`, "expression is not specified")];
  const options = { hasParams, hasAuthorizer: true, hasPatchTypes };
  // As in upstream, a variable counts as stored if a stored validation had its expression.
  return [...errors, ...checker.declare(variable, options, stored.validations.has(expression), `${path}.expression`)];
}
