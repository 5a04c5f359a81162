/** The parts that the access reviews share (authorization/v1). */
import { boolean, field, type Infer, list, record, string, structsOf } from "../../plugin.ts";
import { LabelSelectorRequirement, named, plainList } from "../../toolbox.ts";

export const home = "authorization/v1";
const struct = structsOf(home), meta = structsOf("meta/v1");

const FieldSelectorRequirement = meta("FieldSelectorRequirement", {
  key: field(1, string, "Path of the field.", { required: true }),
  operator: field(
    2,
    named("v1.FieldSelectorOperator", string),
    "Relation of the field to the values: In, NotIn, Exists or DoesNotExist.",
    { required: true },
  ),
  values: field(3, list(string), "Values for In and NotIn, at least one; none for the other operators."),
}, { doc: "A requirement for one field." });
export type FieldSelectorRequirement = Infer<typeof FieldSelectorRequirement>;

const FieldSelectorAttributes = struct("FieldSelectorAttributes", {
  rawSelector: field(1, string, "The selector as a query parameter has it. Not together with requirements."),
  requirements: field(2, list(FieldSelectorRequirement), "The requirements of the selector. All must hold."),
}, { doc: "The field selector of a request." });
export type FieldSelectorAttributes = Infer<typeof FieldSelectorAttributes>;

const LabelSelectorAttributes = struct("LabelSelectorAttributes", {
  rawSelector: field(1, string, "The selector as a query parameter has it. Not together with requirements."),
  requirements: field(2, list(LabelSelectorRequirement), "The requirements of the selector. All must hold."),
}, { doc: "The label selector of a request." });
export type LabelSelectorAttributes = Infer<typeof LabelSelectorAttributes>;

export const ResourceAttributes = struct("ResourceAttributes", {
  namespace: field(1, string, "Namespace of the request. Empty for kinds of the cluster, and for requests about all namespaces."),
  verb: field(2, string, "Verb of the request: get, list, watch, create, update, patch, delete, deletecollection. `*` means all."),
  group: field(3, string, "API group of the resource. `*` means all."),
  version: field(4, string, "API version of the resource. Empty and `*` mean all."),
  resource: field(5, string, "Plural name of the resource. `*` means all."),
  subresource: field(6, string, "Subresource of the request. Empty: the object itself."),
  name: field(7, string, "Name of the object. Empty means all."),
  fieldSelector: field(8, FieldSelectorAttributes, "Limits the request to objects with these fields. Only narrows.", { pointer: true }),
  labelSelector: field(9, LabelSelectorAttributes, "Limits the request to objects with these labels. Only narrows.", { pointer: true }),
}, { doc: "A request about a resource." });
export type ResourceAttributes = Infer<typeof ResourceAttributes>;

export const NonResourceAttributes = struct("NonResourceAttributes", {
  path: field(1, string, "Path of the request."),
  verb: field(2, string, "HTTP method of the request, in lower case."),
}, { doc: "A request about a path outside of resources." });
export type NonResourceAttributes = Infer<typeof NonResourceAttributes>;

export const SubjectAccessReviewSpec = struct("SubjectAccessReviewSpec", {
  resourceAttributes: field(1, ResourceAttributes, "A request about a resource.", { pointer: true }),
  nonResourceAttributes: field(2, NonResourceAttributes, "A request about a path outside of resources.", { pointer: true }),
  user: field(3, string, "Name of the user. A user without groups is in none."),
  groups: field(4, list(string), "Groups of the user."),
  extra: field(5, record(plainList(string)), "Further facts about the user, by key."),
  uid: field(6, string, "UID of the user."),
}, { doc: "The question of an access review. It has either resourceAttributes or nonResourceAttributes." });
export type SubjectAccessReviewSpec = Infer<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReviewStatus = struct("SubjectAccessReviewStatus", {
  allowed: field(1, boolean, "True if the request is allowed.", { required: true }),
  denied: field(4, boolean, "True if an authorizer denies the request. False together with allowed: no authorizer has an opinion."),
  reason: field(2, string, "Why the request is allowed or not."),
  evaluationError: field(3, string, "An error during the decision. A decision can be made in spite of it."),
}, { doc: "The answer of an access review." });
export type SubjectAccessReviewStatus = Infer<typeof SubjectAccessReviewStatus>;
