import type { KindRules } from "../rule.ts";

/** What the reference says of it is metadata, and that is tried on another kind. */
export const serviceAccount: KindRules = {
  kind: "v1/ServiceAccount",
  path: "/api/v1/namespaces/default/serviceaccounts",
  valid: {},
  rules: [],
};
