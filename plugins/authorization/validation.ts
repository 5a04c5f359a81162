/** The rules of access reviews, with upstream's messages. */
import { type FieldError, forbidden, invalid, required } from "../../plugin.ts";
import { labelValue, type ObjectMeta, qualifiedName } from "../../toolbox.ts";
import type { FieldSelectorAttributes, LabelSelectorAttributes, NonResourceAttributes, ResourceAttributes } from "./schema.ts";

/** The spec's fields that all access reviews have. */
export interface ReviewedRequest {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}
/** A spec that also has the user. */
export interface ReviewedUser extends ReviewedRequest {
  readonly user?: string;
  readonly groups?: readonly string[];
}

const path = "spec.resourceAttributes";

/** The rules of a review of the caller. */
export function validateRequest(spec: ReviewedRequest): readonly FieldError[] {
  return [...validateKinds(spec), ...validateSelectors(spec.resourceAttributes)];
}

/** The rules of a review of any user. */
export function validateUserRequest(spec: ReviewedUser): readonly FieldError[] {
  const { user = "", groups = [] } = spec;
  return [
    ...validateKinds(spec),
    ...(user === "" && groups.length === 0 ? [invalid("spec.user", user, "at least one of user or group must be specified")] : []),
    ...validateSelectors(spec.resourceAttributes),
  ];
}

/** The rules of a review within the namespace of its path. */
export function validateLocalRequest(spec: ReviewedUser, namespace: string): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const { namespace: asked = "" } = resourceAttributes ?? {};
  return [
    ...(resourceAttributes === undefined || asked === namespace
      ? []
      : [invalid(`${path}.namespace`, asked, "must match metadata.namespace")]),
    ...(nonResourceAttributes === undefined
      ? []
      : [invalid("spec.nonResourceAttributes", inGo(nonResourceAttributes), "disallowed on this kind of request")]),
  ];
}

/** Metadata may contain managed fields only. `namespaced`: the namespace of the path is allowed. */
export function validateNoMetadata(metadata: ObjectMeta, namespaced = false): readonly FieldError[] {
  const set = Object.entries(metadata).filter(([key, value]) =>
    key !== "managedFields" && !(namespaced && key === "namespace") && !isEmpty(value)
  );
  if (set.length === 0) return [];
  return [invalid("metadata", metadata, namespaced ? "must be empty except for namespace" : "must be empty")];
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** As upstream's messages show it: the fields of Go's struct, which have other names. */
function inGo({ path = "", verb = "" }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

function validateKinds({ resourceAttributes, nonResourceAttributes }: ReviewedRequest): readonly FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    return [
      invalid("spec.nonResourceAttributes", inGo(nonResourceAttributes), "cannot be specified in combination with resourceAttributes"),
    ];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    return [invalid(path, undefined, "exactly one of nonResourceAttributes or resourceAttributes must be specified")];
  }
  return [];
}

function validateSelectors({ fieldSelector, labelSelector }: ResourceAttributes = {}): readonly FieldError[] {
  return [
    ...(fieldSelector === undefined ? [] : validateSelector(fieldSelector, `${path}.fieldSelector`, validateFieldRequirement)),
    ...(labelSelector === undefined ? [] : validateSelector(labelSelector, `${path}.labelSelector`, validateLabelRequirement)),
  ];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function validateSelector(
  { rawSelector = "", requirements = [] }: FieldSelectorAttributes | LabelSelectorAttributes,
  at: string,
  validate: (requirement: Requirement, path: string) => readonly FieldError[],
): readonly FieldError[] {
  const both = rawSelector !== "" && requirements.length > 0, neither = rawSelector === "" && requirements.length === 0;
  return [
    ...(both ? [invalid(`${at}.rawSelector`, rawSelector, "may not specified at the same time as requirements")] : []),
    ...(neither ? [required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`)] : []),
    ...requirements.flatMap((each, i) => validate(each, `${at}.requirements[${i}]`)),
  ];
}

function validateFieldRequirement(requirement: Requirement, at: string): readonly FieldError[] {
  const { key } = requirement;
  return [...(key === "" ? [required(`${at}.key`, "must be specified")] : []), ...validateValues(requirement, at)];
}

function validateLabelRequirement(requirement: Requirement, at: string): readonly FieldError[] {
  const { key, values = [] } = requirement;
  return [
    ...validateValues(requirement, at),
    ...qualifiedName(key).map((wrong) => invalid(`${at}.key`, key, wrong)),
    ...values.flatMap((value, i) => labelValue(value).map((wrong) => invalid(`${at}.values[${i}]`, value, wrong))),
  ];
}

/** Unknown operators are accepted: clients may be newer than the server. */
function validateValues({ operator, values = [] }: Requirement, at: string): readonly FieldError[] {
  if (operator === "In" || operator === "NotIn") {
    return values.length > 0 ? [] : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (operator !== "Exists" && operator !== "DoesNotExist") return [];
  return values.length === 0 ? [] : [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
}
