import { definePlugin } from "../../plugin.ts";
import { localSubjectAccessReviews, selfSubjectAccessReviews, subjectAccessReviews } from "./access-reviews.ts";
import { selfSubjectRulesReviews } from "./rules-review.ts";

export const authorizationPlugin = definePlugin({
  name: "authorization",
  summary: "Reviews of what users may do: SubjectAccessReview, LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview.",
  groupPriorities: { "authorization.{domain}": 17_600 },
  resources: [localSubjectAccessReviews, selfSubjectAccessReviews, selfSubjectRulesReviews, subjectAccessReviews],
});
