/** SubjectAccessReview, LocalSubjectAccessReview and SelfSubjectAccessReview: whether a user may make a request. */
import {
  type Caller,
  defineResource,
  field,
  type FieldError,
  type Infer,
  object,
  type RequestHookContext,
  structsOf,
} from "../../plugin.ts";
import { invalidError, spell } from "../../toolbox.ts";
import { attributesOf } from "./attributes.ts";
import { home, NonResourceAttributes, ResourceAttributes, SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "./schema.ts";
import { type ReviewedRequest, validateLocalRequest, validateNoMetadata, validateRequest, validateUserRequest } from "./validation.ts";

const struct = structsOf(home);
const group = "authorization.{domain}", groupVersion = `${group}/v1`;

const status = field(3, SubjectAccessReviewStatus, "Set by the server; a value sent by the client is replaced.", { written: "always" });

const SubjectAccessReview = object("SubjectAccessReview", {
  spec: field(2, SubjectAccessReviewSpec, "The user and the request.", { required: true }),
  status,
}, { package: home, doc: "Checks whether a user may make a request." });
type SubjectAccessReview = Infer<typeof SubjectAccessReview>;

const LocalSubjectAccessReview = object("LocalSubjectAccessReview", {
  spec: field(2, SubjectAccessReviewSpec, "The user and the request, which is about the namespace of the review.", { required: true }),
  status,
}, { package: home, doc: "Checks whether a user may make a request in a namespace. A role in the namespace can allow to create it." });
type LocalSubjectAccessReview = Infer<typeof LocalSubjectAccessReview>;

const SelfSubjectAccessReviewSpec = struct("SelfSubjectAccessReviewSpec", {
  resourceAttributes: field(1, ResourceAttributes, "A request about a resource.", { pointer: true }),
  nonResourceAttributes: field(2, NonResourceAttributes, "A request about a path outside of resources.", { pointer: true }),
}, { doc: "The question of a review of the caller. It has either resourceAttributes or nonResourceAttributes." });

const SelfSubjectAccessReview = object("SelfSubjectAccessReview", {
  spec: field(2, SelfSubjectAccessReviewSpec, "The request.", { required: true }),
  status,
}, { package: home, doc: "Checks whether the caller may make a request. Every authenticated user may create it." });
type SelfSubjectAccessReview = Infer<typeof SelfSubjectAccessReview>;

export const subjectAccessReviews = defineResource<SubjectAccessReview>({
  kind: "SubjectAccessReview",
  scope: "Cluster",
  summary: "Checks whether a user may make a request.",
  storedAs: groupVersion,
  served: { [groupVersion]: { schema: SubjectAccessReview, introduced: "1.6" } },
  async handleCreate(next, context) {
    refuse([...validateUserRequest(next.spec), ...validateNoMetadata(next.metadata)], context);
    return { ...next, status: await decide(userOf(next.spec), next.spec, context) };
  },
});

export const localSubjectAccessReviews = defineResource<LocalSubjectAccessReview>({
  kind: "LocalSubjectAccessReview",
  scope: "Namespaced",
  summary: "Checks whether a user may make a request in the namespace of the review.",
  storedAs: groupVersion,
  served: { [groupVersion]: { schema: LocalSubjectAccessReview, introduced: "1.6" } },
  async handleCreate(next, context) {
    const { spec, metadata } = next;
    const { namespace = "" } = metadata;
    refuse([...validateUserRequest(spec), ...validateNoMetadata(metadata, true), ...validateLocalRequest(spec, namespace)], context);
    return { ...next, status: await decide(userOf(spec), spec, context) };
  },
});

export const selfSubjectAccessReviews = defineResource<SelfSubjectAccessReview>({
  kind: "SelfSubjectAccessReview",
  scope: "Cluster",
  summary: "Checks whether the caller may make a request (`kubectl auth can-i`).",
  storedAs: groupVersion,
  served: { [groupVersion]: { schema: SelfSubjectAccessReview, introduced: "1.6" } },
  async handleCreate(next, context) {
    refuse([...validateRequest(next.spec), ...validateNoMetadata(next.metadata)], context);
    return { ...next, status: await decide(context.caller, next.spec, context) };
  },
});

/** As upstream, a 422 without kind and name. */
function refuse(errors: readonly FieldError[], { names }: RequestHookContext): void {
  if (errors.length > 0) throw invalidError({ group: spell(names, group), name: "" }, "", errors);
}

function userOf({ user = "", uid, groups = [], extra }: SubjectAccessReview["spec"]): Caller {
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

/** The decision of the chain, with the errors of the request's attributes. */
async function decide(user: Caller, spec: ReviewedRequest, { access }: RequestHookContext): Promise<SubjectAccessReview["status"]> {
  const { attributes, errors } = attributesOf(spec.resourceAttributes, spec.nonResourceAttributes);
  const { verdict, reason, error } = await access.authorize(user, attributes);
  const evaluationError = [...(error === undefined ? [] : [error]), ...errors].join("; ");
  return {
    allowed: verdict === "allow",
    ...(verdict === "deny" ? { denied: true } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(evaluationError === "" ? {} : { evaluationError }),
  };
}
