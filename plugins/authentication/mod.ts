import { definePlugin } from "../../plugin.ts";
import { selfSubjectReviews } from "./self-subject-review.ts";

export const authenticationPlugin = definePlugin({
  name: "authentication",
  summary: "Reviews of the user that a request is authenticated as: SelfSubjectReview.",
  groupPriorities: { "authentication.{domain}": 17_700 },
  resources: [selfSubjectReviews],
});
