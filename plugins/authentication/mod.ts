import { definePlugin } from "../../core/define/define.ts";
import { selfSubjectReviews } from "./self-subject-review.ts";

export const authenticationPlugin = definePlugin({
  name: "authentication",
  summary: "Questions about who somebody is.",
  groupPriorities: { "authentication.{domain}": 17_700 },
  resources: [selfSubjectReviews],
});
