import { type Case, type Change, type KindRules, partly, type Rule, rule } from "../rule.ts";

const path = "spec.resourceAttributes";
const resourceAttributes = { verb: "get", resource: "secrets" };

function selected(at: string, reason: Case["reason"], broken: Change, held: Change): Case {
  const spec = (change: Change): Change => ({ spec: { resourceAttributes: change } });
  return { at: `${path}.${at}`, reason, broken: spec(broken), held: spec(held) };
}
const selecting = (selector: string, value: Change): Change => ({ [selector]: value });
const requirement = (key: string, operator: string, ...values: readonly string[]) => ({ key, operator, values });

/** The rules of all access reviews. `metadata`: the text of the rule for metadata. */
function common(metadata: string): readonly Rule[] {
  return [
    rule(["spec.nonResourceAttributes", "create", "Invalid", "not together with resourceAttributes"], {
      at: "spec.nonResourceAttributes",
      reason: "Invalid",
      broken: { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } },
    }),
    rule(["spec.resourceAttributes", "create", "Invalid", "one of the two required"], {
      at: path,
      reason: "Invalid",
      broken: { spec: { resourceAttributes: null } },
    }),
    rule(["metadata", "create", "Invalid", metadata], {
      at: "metadata",
      reason: "Invalid",
      broken: { metadata: { labels: { a: "b" } } },
      held: { metadata: { labels: {}, managedFields: [] } },
    }),
    rule(
      [
        "spec.resourceAttributes.fieldSelector / labelSelector",
        "create",
        "Invalid / Required",
        "rawSelector xor requirements; empty selector",
      ],
      ...["fieldSelector", "labelSelector"].flatMap((selector) => [
        selected(
          `${selector}.rawSelector`,
          "Invalid",
          selecting(selector, { rawSelector: "a=b", requirements: [requirement("a", "In", "b")] }),
          selecting(selector, { rawSelector: "a=b" }),
        ),
        selected(
          `${selector}.requirements`,
          "Required",
          selecting(selector, {}),
          selecting(selector, { requirements: [requirement("a", "In", "b")] }),
        ),
      ]),
    ),
    rule(
      [
        "spec.resourceAttributes.*Selector.requirements[i]",
        "create",
        "Required / Forbidden / Invalid",
        "key non-empty; In,NotIn need values; Exists,DoesNotExist forbid values; unknown operators pass",
      ],
      ...requirementCases("fieldSelector", "Required"),
      ...requirementCases("labelSelector", "Invalid"),
    ),
  ];
}

function requirementCases(selector: string, withoutKey: Case["reason"]): readonly Case[] {
  const of = (...each: Parameters<typeof requirement>) => selecting(selector, { requirements: [requirement(...each)] });
  const at = (field: string) => `${selector}.requirements[0].${field}`;
  return [
    selected(at("key"), withoutKey, of("", "In", "b"), of("a", "In", "b")),
    selected(at("values"), "Required", of("a", "NotIn"), of("a", "NotIn", "b")),
    selected(at("values"), "Forbidden", of("a", "Exists", "b"), of("a", "Near", "b")),
  ];
}

const user = rule(["spec.user", "create", "Invalid", "user or groups non-empty"], {
  at: "spec.user",
  reason: "Invalid",
  broken: { spec: { user: "" } },
  held: { spec: { user: "", groups: ["a"] } },
});

export const subjectAccessReview: KindRules = {
  kind: "authorization.k8s.io/v1/SubjectAccessReview",
  path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  valid: { spec: { user: "dave", resourceAttributes } },
  unnamed: true,
  rules: [...common("empty (managedFields ignored)"), user],
};

export const selfSubjectAccessReview: KindRules = {
  kind: "authorization.k8s.io/v1/SelfSubjectAccessReview",
  path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  valid: { spec: { resourceAttributes } },
  unnamed: true,
  rules: common("empty (managedFields ignored)"),
};

export const localSubjectAccessReview: KindRules = {
  kind: "authorization.k8s.io/v1/LocalSubjectAccessReview",
  path: "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
  valid: { spec: { user: "dave", resourceAttributes: { ...resourceAttributes, namespace: "default" } } },
  unnamed: true,
  rules: [
    ...common("empty (managedFields ignored; namespace allowed)"),
    user,
    rule(["spec.resourceAttributes.namespace", "create", "Invalid", "equals metadata.namespace"], {
      at: `${path}.namespace`,
      reason: "Invalid",
      broken: { spec: { resourceAttributes: { namespace: "other" } } },
    }),
    rule(["spec.nonResourceAttributes", "create", "Invalid", "not allowed"], {
      at: "spec.nonResourceAttributes",
      reason: "Invalid",
      broken: { spec: { resourceAttributes: null, nonResourceAttributes: { path: "/x", verb: "get" } } },
    }),
  ],
};

const notAField = { all: "it is a 400 without a field; test/access-reviews_test.ts shows it" };
export const selfSubjectRulesReview: KindRules = {
  kind: "authorization.k8s.io/v1/SelfSubjectRulesReview",
  path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
  valid: { spec: { namespace: "default" } },
  unnamed: true,
  rules: [partly(["spec.namespace", "create", "BadRequest", "non-empty"], notAField)],
};
