/** Kinds without rules of fields in the reference: only metadata has rules, which other kinds test. */
import { type KindRules, partly } from "../rule.ts";

export const serviceAccount: KindRules = {
  kind: "v1/ServiceAccount",
  path: "/api/v1/namespaces/default/serviceaccounts",
  valid: {},
  rules: [],
};

export const selfSubjectReview: KindRules = {
  kind: "authentication.k8s.io/v1/SelfSubjectReview",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  valid: {},
  rules: [],
};

const notAField = { all: "it is a 400 without a field; test/token-review_test.ts and recordings show it" };
export const tokenReview: KindRules = {
  kind: "authentication.k8s.io/v1/TokenReview",
  path: "/apis/authentication.k8s.io/v1/tokenreviews",
  valid: { spec: { token: "unknown" } },
  rules: [
    partly(["spec.token", "create", "BadRequest", "non-empty"], notAField),
    partly(["namespace", "create", "BadRequest", "not allowed"], { all: "no path names a namespace for it" }),
  ],
};
