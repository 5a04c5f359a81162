import { definePlugin } from "../../plugin.ts";
import { authenticators } from "./authenticators.ts";
import { authenticationMetrics } from "./metrics.ts";
import { selfSubjectReviews } from "./self-subject-review.ts";
import { tokenReviews } from "./token-review.ts";

export const authenticationPlugin = definePlugin({
  name: "authentication",
  summary: "Reviews of users and of bearer tokens: SelfSubjectReview and TokenReview; the authenticators of a kube-apiserver.",
  groupPriorities: { "authentication.{domain}": 17_700 },
  resources: [selfSubjectReviews, tokenReviews],
  authenticators,
  metrics: authenticationMetrics,
});
