/** Kinds of which the reference names no rules: what it says of them is metadata, and that is tried on other kinds. */
import type { KindRules } from "../rule.ts";

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

/** The rule that a token is required is no field error. */
export const tokenReview: KindRules = {
  kind: "authentication.k8s.io/v1/TokenReview",
  path: "/apis/authentication.k8s.io/v1/tokenreviews",
  valid: { spec: { token: "unknown" } },
  rules: [],
};
