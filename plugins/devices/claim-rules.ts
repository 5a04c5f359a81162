/** The rules of claims' specs, with upstream's texts and order. */
import { type FieldError, type HookContext, invalid, notSupported, required } from "../../plugin.ts";
import type { Int64 } from "../../toolbox.ts";
import { alternativesMax, configurationsMax, constraintsMax, requestsMax } from "./bounds.ts";
import { type DeviceRequest, type ResourceClaimSpec, withDefaults } from "./claim-schema.ts";
import { gates } from "./gates.ts";
import { validateList, validateSet } from "./lists.ts";
import { validateFullyQualified, validateLabel, validateLabelName, validateLabelValue, validateRequiredSubdomain } from "./names.ts";
import { type DeviceToleration, taintEffects } from "./parts-schema.ts";
import { SelectorChecker, validateConfiguration } from "./selectors.ts";

type DeviceClaim = ResourceClaimSpec["devices"];
type DeviceConstraint = NonNullable<DeviceClaim["constraints"]>[number];
/** What an exact request and an alternative have. */
type Asked = Omit<NonNullable<DeviceRequest["firstAvailable"]>[number], "name">;

/** The names of requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNamesOf({ requests }: DeviceClaim): RequestNames {
  return new Map((requests ?? []).map(({ name, firstAvailable = [] }) => [name, new Set(firstAvailable.map((each) => each.name))]));
}

export function validateClaimSpec({ devices }: ResourceClaimSpec, path: string, context: HookContext): readonly FieldError[] {
  const names = requestNamesOf(devices), selectors = new SelectorChecker(context);
  const { requests, constraints, config } = devices, at = `${path}.devices`;
  return [
    ...validateSet(
      requests ?? [],
      requestsMax,
      (each, at) => validateRequest(each, at, selectors, context),
      ({ name }) => name,
      `${at}.requests`,
    ),
    ...validateList(constraints, constraintsMax, (each, at) => validateConstraint(each, at, names, context), `${at}.constraints`),
    ...validateList(config, configurationsMax, (each, at) => [
      ...validateReferences(each.requests, `${at}.requests`, names),
      ...validateConfiguration(each, at),
    ], `${at}.config`),
  ];
}

function validateRequest(
  { name, exactly, firstAvailable = [] }: DeviceRequest,
  path: string,
  selectors: SelectorChecker,
  { requestVersion }: HookContext,
): readonly FieldError[] {
  const errors = validateLabel(name, `${path}.name`), oneOf = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly === undefined && firstAvailable.length === 0) return [...errors, required(path, oneOf)];
  if (exactly === undefined) {
    return [
      ...errors,
      ...validateSet(
        firstAvailable,
        alternativesMax,
        (each, at) => [
          ...validateLabel(each.name, `${at}.name`),
          ...validateAsked(withDefaults(each), at, selectors),
        ],
        (each) => each.name,
        `${path}.firstAvailable`,
      ),
    ];
  }
  if (firstAvailable.length > 0) return [...errors, invalid(path, null, `${oneOf}, but multiple fields are set`)];
  // A request of v1beta1 has defaults with a class only.
  const asked = requestVersion.endsWith("/v1beta1") ? exactly : withDefaults(exactly);
  return [...errors, ...validateAsked(asked, `${path}.exactly`, selectors)];
}

function validateAsked(asked: Asked, path: string, selectors: SelectorChecker): readonly FieldError[] {
  const { deviceClassName, tolerations, allocationMode = "", count = 0 } = asked;
  return [
    ...validateRequiredSubdomain(deviceClassName, `${path}.deviceClassName`),
    ...selectors.check(asked.selectors, `${path}.selectors`),
    ...validateCount(allocationMode, count, path),
    // As upstream, only the size of the request bounds their number.
    ...validateList(tolerations, Infinity, validateToleration, `${path}.tolerations`),
  ];
}

function validateCount(mode: string, count: Int64, path: string): readonly FieldError[] {
  const at = `${path}.count`;
  switch (mode) {
    case "All":
      return Number(count) === 0 ? [] : [invalid(at, count, "must not be specified when allocationMode is 'All'")];
    case "ExactCount":
      return count > 0 ? [] : [invalid(at, count, "must be greater than zero")];
    default:
      return [notSupported(`${path}.allocationMode`, mode, ["All", "ExactCount"])];
  }
}

export function validateToleration(toleration: DeviceToleration, path: string): readonly FieldError[] {
  const { key = "", operator = "", value = "", effect = "" } = toleration, effects: readonly string[] = taintEffects;
  return [
    ...(key === "" ? [] : validateLabelName(key, `${path}.key`)),
    ...validateOperator(operator, value, path),
    ...(effect === "" || effects.includes(effect) ? [] : [notSupported(`${path}.effect`, effect, effects)]),
  ];
}

function validateOperator(operator: string, value: string, path: string): readonly FieldError[] {
  switch (operator) {
    case "Exists":
      return value === "" ? [] : [invalid(`${path}.value`, value, "must be empty for operator `Exists`")];
    case "Equal":
      return validateLabelValue(value, `${path}.value`);
    case "":
      return [required(`${path}.operator`, "")];
    default:
      return [notSupported(`${path}.operator`, operator, ["Equal", "Exists"])];
  }
}

function validateConstraint(
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  path: string,
  names: RequestNames,
  context: HookContext,
): readonly FieldError[] {
  const errors = validateReferences(requests, `${path}.requests`, names);
  if (matchAttribute !== undefined) return [...errors, ...validateFullyQualified(matchAttribute, `${path}.matchAttribute`)];
  if (distinctAttribute !== undefined) return [...errors, ...validateFullyQualified(distinctAttribute, `${path}.distinctAttribute`)];
  if (!context.gates(gates.consumableCapacity)) return [...errors, required(`${path}.matchAttribute`, "")];
  const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...errors, required(path, detail)];
}

/** Checks names of requests, each once. */
export function validateReferences(references: readonly string[] | undefined, path: string, names: RequestNames): readonly FieldError[] {
  return validateSet(references, requestsMax, (name, at) => validateReference(name, at, names), (name) => name, path);
}

/** Checks the name of a request of the claim, or of an alternative: `request/alternative`. */
export function validateReference(name: string, path: string, names: RequestNames): readonly FieldError[] {
  const unknown = invalid(
    path,
    name,
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
  );
  const segments = name.split("/"), [request, alternative] = segments;
  if (segments.length > 2) return [unknown];
  const alternatives = names.get(request!); // `!`: a split has one part at least
  const isKnown = alternatives !== undefined && (alternative === undefined || alternatives.has(alternative));
  return [...segments.flatMap((each) => validateLabel(each, path)), ...(isKnown ? [] : [unknown])];
}
