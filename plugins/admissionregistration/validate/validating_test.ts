import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError } from "../../../plugin.ts";
import { fieldErrorText } from "../../../toolbox.ts";
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../schema.ts";
import { validatePolicy, validatePolicyBinding, validatePolicyStatus } from "./validating.ts";

type Spec = ValidatingAdmissionPolicy["spec"];
type BindingSpec = ValidatingAdmissionPolicyBinding["spec"];

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], scope: "*" } as const;
const match = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {}, resourceRules: [rule] } as const;
const valid: Spec = { failurePolicy: "Fail", matchConstraints: match, validations: [{ expression: "true" }] };

const policyOf = (spec: object, name = "p.example.com"): ValidatingAdmissionPolicy =>
  ({ kind: "", apiVersion: "", metadata: { name }, spec: { ...valid, ...spec }, status: {} }) as unknown as ValidatingAdmissionPolicy;
const texts = (errors: readonly FieldError[]): readonly string[] => errors.map(fieldErrorText);

/** Wrong parts of a spec, and the errors that creation and update give. */
const wrong: readonly (readonly [changes: object, ...errors: readonly string[]])[] = [
  [{ failurePolicy: undefined }, "spec.failurePolicy: Required value"],
  [{ failurePolicy: "Maybe" }, 'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
  [{ paramKind: {} }, "spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value"],
  [
    { paramKind: { apiVersion: "a/b/c", kind: "X" } },
    'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ],
  [{ paramKind: { apiVersion: "g/", kind: "X" } }, 'spec.paramKind.apiVersion: Invalid value: "g/": version must be specified'],
  [{ matchConstraints: undefined }, "spec.matchConstraints: Required value"],
  [{ matchConstraints: { ...match, resourceRules: [] } }, "spec.matchConstraints.resourceRules: Required value"],
  [
    { matchConstraints: { resourceRules: [rule] } },
    "spec.matchConstraints.matchPolicy: Required value",
    "spec.matchConstraints.namespaceSelector: Required value",
    "spec.matchConstraints.objectSelector: Required value",
  ],
  [
    { matchConstraints: { ...match, resourceRules: [{}] } },
    ...["operations", "apiGroups", "apiVersions", "resources"].map((name) =>
      `spec.matchConstraints.resourceRules[0].${name}: Required value`
    ),
  ],
  [
    {
      matchConstraints: {
        ...match,
        resourceRules: [{ ...rule, operations: ["*", "READ"], apiGroups: ["*", "a"], apiVersions: ["*", ""] }],
      },
    },
    'spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","READ"]: if \'*\' is present, must not specify other operations',
    'spec.matchConstraints.resourceRules[0].operations[1]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    'spec.matchConstraints.resourceRules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other API groups',
    'spec.matchConstraints.resourceRules[0].apiVersions: Invalid value: ["*",""]: if \'*\' is present, must not specify other API versions',
    "spec.matchConstraints.resourceRules[0].apiVersions[1]: Required value",
  ],
  [
    { matchConstraints: { ...match, resourceRules: [{ ...rule, resources: ["a/*", "a/b", "*/c", "d/c", "", "*/*"], scope: "Some" }] } },
    "spec.matchConstraints.resourceRules[0].resources[1]: Invalid value: \"a/b\": if 'a/*' is present, must not specify a/b",
    "spec.matchConstraints.resourceRules[0].resources[3]: Invalid value: \"d/c\": if '*/c' is present, must not specify d/c",
    "spec.matchConstraints.resourceRules[0].resources[4]: Required value",
    'spec.matchConstraints.resourceRules[0].resources: Invalid value: ["a/*","a/b","*/c","d/c","","*/*"]: if \'*/*\' is present, must not specify other resources',
    'spec.matchConstraints.resourceRules[0].scope: Unsupported value: "Some": supported values: "*", "Cluster", "Namespaced"',
  ],
  [
    { matchConstraints: { ...match, resourceRules: [{ ...rule, resources: ["*", "a"] }] } },
    'spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","a"]: if \'*\' is present, must not specify other resources without subresources',
  ],
  [
    { matchConstraints: { ...match, resourceRules: [{ ...rule, resourceNames: ["a/b", "c", "c"] }] } },
    "spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: \"a/b\": may not contain '/'",
    'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "c"',
  ],
  [
    { matchConditions: [{ name: "", expression: "" }, { name: "a b", expression: "1" }] },
    "spec.matchConditions[0].expression: Required value",
    "spec.matchConditions[0].name: Required value",
    'spec.matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int',
  ],
  [
    { matchConditions: [{ name: "same", expression: "true" }, { name: "same", expression: "true" }] },
    'spec.matchConditions[1].name: Duplicate value: "same"',
  ],
  [
    { variables: [{ name: "", expression: "1" }, { name: "in", expression: " " }] },
    "spec.variables[0].name: Required value: name is not specified",
    'spec.variables[1].name: Invalid value: "in": must be a valid CEL identifier',
    "spec.variables[1].expression: Required value: expression is not specified",
  ],
  [
    { validations: [], auditAnnotations: [] },
    "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
    "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
  ],
  [
    {
      validations: [{ expression: " ", message: " ", messageExpression: " ", reason: "Unauthorized" }, {
        expression: "true",
        message: "a\nb",
      }],
    },
    "spec.validations[0].expression: Required value: expression is not specified",
    'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
    'spec.validations[0].message: Invalid value: " ": must be non-empty if specified',
    'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    'spec.validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
  ],
  [
    { validations: [{ expression: "'text'", messageExpression: "1" }] },
    "spec.validations[0].expression: Invalid value: \"'text'\": must evaluate to bool but got string",
    'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
  ],
  [
    { auditAnnotations: [{ key: "a", valueExpression: "" }, { key: "a", valueExpression: `'${"x".repeat(5_200)}'` }] },
    "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified",
    "spec.auditAnnotations[1].valueExpression: Required value: must not exceed 5120 bytes in length",
    'spec.auditAnnotations[1].key: Duplicate value: "a"',
  ],
];

const context = { minCompatibility: "1.34" };

test("the rules of a policy, at creation and in an update", () => {
  assert.deepEqual(texts(validatePolicy(policyOf({}), context)), []);
  for (const [changes, ...errors] of wrong) {
    const found = texts(validatePolicy(policyOf(changes), context));
    const shown = found.filter((text) => !text.includes("name part must consist of")); // the text of a qualified name is long
    assert.deepEqual(shown, errors, JSON.stringify(changes));
    const updated = texts(validatePolicy(policyOf(changes), context, policyOf({})));
    assert.deepEqual(updated, found, JSON.stringify(changes));
  }
});

test("there may be 64 match conditions and 20 audit annotations, and their keys need the name of the policy", () => {
  const conditions = Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: "true" }));
  assert.deepEqual(texts(validatePolicy(policyOf({ matchConditions: conditions }), context)), [
    "spec.matchConditions: Too many: 65: must have at most 64 items",
  ]);
  const annotations = Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'v'" }));
  assert.match(
    texts(validatePolicy(policyOf({ auditAnnotations: annotations }), context))[0]!,
    /must not have more than 20 auditAnnotations$/,
  );
  const unnamed = validatePolicy(policyOf({ auditAnnotations: annotations.slice(0, 1) }, ""), context);
  assert.deepEqual(texts(unnamed), ['spec.auditAnnotations[0].key: Invalid value: "k0": requires metadata.name be non-empty']);
});

test("parameters and variables exist where they are declared", () => {
  const undeclared = (name: string) => `undeclared reference to '${name}' (in container '')\n | ${name}.x == 1\n | ^`;
  for (const name of ["params", "variables"]) {
    const [error] = texts(validatePolicy(policyOf({ validations: [{ expression: `${name}.x == 1` }] }), context));
    assert.ok(error?.endsWith(undeclared(name)) === true, error ?? "");
  }
  const spec = { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, variables: [{ name: "x", expression: "1" }] };
  assert.deepEqual(validatePolicy(policyOf({ ...spec, validations: [{ expression: "params.x == 1 && variables.x == 1" }] }), context), []);
  const message = { validations: [{ expression: "true", messageExpression: "string(authorizer.path('/x').check('get').allowed())" }] };
  assert.match(texts(validatePolicy(policyOf(message), context))[0]!, /undeclared reference to 'authorizer'/);
});

test("match conditions that an update does not change are not checked again, nor is a stored expression with newer libraries", () => {
  const stored = policyOf({ matchConditions: [{ name: "old", expression: "nonsense(" }] });
  assert.deepEqual(validatePolicy(stored, context, stored), []);
  assert.equal(validatePolicy(policyOf({ matchConditions: [{ name: "new", expression: "nonsense(" }] }), context, stored).length, 1);
});

test("the rules of a status", () => {
  const status = { typeChecking: { expressionWarnings: [{ fieldRef: " ", warning: "" }, { fieldRef: "a[", warning: "x" }] } };
  const errors = texts(validatePolicyStatus({ ...policyOf({}), status } as ValidatingAdmissionPolicy));
  assert.deepEqual(errors.slice(0, 2), [
    "status.typeChecking.expressionWarnings[0].warning: Required value",
    "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
  ]);
  assert.match(errors[2]!, /^status\.typeChecking\.expressionWarnings\[1\]\.fieldRef: Invalid value: "a\[": invalid JSONPath: /);
  assert.equal(errors.length, 3);
});

/** Wrong parts of the spec of a binding, and the errors. */
const wrongBindings: readonly (readonly [changes: object, ...errors: readonly string[]])[] = [
  [{ policyName: "" }, "spec.policyName: Required value"],
  [
    { paramRef: {} },
    "spec.paramRef: Required value: one of name or selector must be specified",
    "spec.paramRef.parameterNotFoundAction: Required value",
  ],
  [
    { paramRef: { name: "a/b", selector: {}, parameterNotFoundAction: "Shrug" } },
    "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'",
    "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
    "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
    'spec.paramRef.parameterNotFoundAction: Unsupported value: "Shrug": supported values: "Deny", "Allow"',
  ],
  [{ validationActions: [] }, "spec.validationActions: Required value: at least one validation action is required"],
  [
    { validationActions: ["Deny", "Deny", "Log"] },
    'spec.validationActions[1]: Duplicate value: "Deny"',
    'spec.validationActions[2]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
  ],
  [
    { matchResources: {} },
    ...["matchPolicy", "namespaceSelector", "objectSelector"].map((name) => `spec.matchResources.${name}: Required value`),
  ],
];

test("the rules of a binding", () => {
  const bindingOf = (changes: object) =>
    ({ spec: { policyName: "p", validationActions: ["Deny"], ...changes } as BindingSpec }) as unknown as ValidatingAdmissionPolicyBinding;
  assert.deepEqual(validatePolicyBinding(bindingOf({})), []);
  for (const [changes, ...errors] of wrongBindings) assert.deepEqual(texts(validatePolicyBinding(bindingOf(changes))), errors);
  assert.match(
    texts(validatePolicyBinding(bindingOf({ policyName: "Not_Valid" })))[0]!,
    /^spec\.policyName: Invalid value: "Not_Valid": a lowercase/,
  );
  assert.match(texts(validatePolicyBinding(bindingOf({ validationActions: ["Deny", "Warn"] })))[0]!, /must not contain both Deny and Warn/);
});
