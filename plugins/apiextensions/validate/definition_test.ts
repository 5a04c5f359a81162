import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError, HookContext } from "../../../plugin.ts";
import { defaultNames, fieldErrorText } from "../../../toolbox.ts";
import type { CustomResourceDefinition, Spec, Version } from "../schema.ts";
import type { SchemaProps } from "../schema-props.ts";
import { testDefinition, testEstablished, testNames, testVersion } from "../test-definition.ts";
import { validateDefinition, validateDefinitionUpdate, validateStatusUpdate } from "./definition.ts";

const context: HookContext = {
  names: defaultNames,
  gates: () => false,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "apiextensions.k8s.io/v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: () => {
    throw new Error("no metrics");
  },
};
const texts = (errors: readonly FieldError[]) => errors.map(fieldErrorText);
const created = (spec: Partial<Spec>, metadata = {}) => texts(validateDefinition(testDefinition(spec, {}, metadata), context));
const ofVersion = (changes: Partial<Version>) => created({ versions: [testVersion(undefined, changes)] });
const ofSchema = (schema: SchemaProps, changes: Partial<Version> = {}) => created({ versions: [testVersion(schema, changes)] });
const updated = (next: CustomResourceDefinition, prior: CustomResourceDefinition) => texts(validateDefinitionUpdate(next, prior, context));
const root = "spec.validation.openAPIV3Schema";

test("a valid definition has no errors", () => {
  assert.deepEqual(created({}), []);
  const definition = testDefinition({}, {}, { resourceVersion: "1" });
  assert.deepEqual(updated(definition, definition), []);
});

test("group, name and scope", () => {
  assert.deepEqual(created({ group: "nodots" }), ['spec.group: Invalid value: "nodots": should be a domain with at least one dot']);
  assert.deepEqual(created({}, { name: "x.example.com" }), [
    'metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group',
  ]);
  assert.deepEqual(created({ scope: "Global" }), ['spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"']);
});

test("versions have distinct names, and one of them is stored", () => {
  const versions = [testVersion(), testVersion({ type: "object", title: "other" }, { storage: false })];
  const errors = created({ versions });
  assert.deepEqual(errors.map((text) => text.replace(/Invalid value: \[.*\]: /, "")), ["spec.versions: must contain unique version names"]);
  assert.match(errors[0]!, /\[\{"Name":"v1","Served":true,"Storage":true,.*"Title":"other"/);
  assert.deepEqual(created({ versions: [] }), [
    "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
    'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in ' +
    "spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions",
  ]);
});

test("paths of shared and of own fields differ", () => {
  const wrong: SchemaProps = { type: "array", items: { type: "string" } };
  const shared = created({ versions: [testVersion(wrong), testVersion(wrong, { name: "v2", storage: false })] });
  assert.deepEqual(shared, [`${root}.type: Invalid value: "array": must be object at the root`]);
  const own = created({ versions: [testVersion(), testVersion(wrong, { name: "v2", storage: false })] });
  assert.deepEqual(own, ['spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "array": must be object at the root']);
});

test("columns, scale and deprecation", () => {
  assert.deepEqual(ofVersion({ additionalPrinterColumns: [{ name: "", type: "text", format: "x", jsonPath: "spec" }] }), [
    "spec.additionalPrinterColumns[0].name: Required value",
    'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    'spec.additionalPrinterColumns[0].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
    'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
  ]);
  assert.deepEqual(
    ofVersion({ subresources: { scale: { specReplicasPath: ".status.a", statusReplicasPath: "", labelSelectorPath: ".x" } } }),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.a": should be a json path under .spec',
      "spec.subresources.scale.statusReplicasPath: Required value",
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".x": should be a json path under either .spec or .status',
    ],
  );
  assert.deepEqual(ofVersion({ deprecationWarning: "old" }), [
    'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
  ]);
  assert.deepEqual(ofVersion({ deprecated: true, deprecationWarning: "é\u0007" }), [
    'spec.versions[0].deprecationWarning: Invalid value: "é\\u0007": must only contain printable UTF-8 characters; ' +
    "non-printable character found at index 2",
  ]);
});

test("with the subresource status, the root schema has few keys", () => {
  const subresources = { status: {} };
  const errors = ofSchema({ type: "object", maxProperties: 3 }, { subresources });
  assert.equal(errors.length, 1);
  assert.match(
    errors[0]!,
    /^spec\.validation\.openAPIV3Schema: Invalid value: \{"ID":"".*\}: only \[Description Type Format .* XValidations\] fields are allowed/,
  );
  assert.deepEqual(ofSchema({ type: "object", maxProperties: 3 }), []);
});

test("schemas that cannot be converted are reported once", () => {
  assert.deepEqual(ofSchema({ type: "object", $ref: "#/a" }), [`${root}.$ref: Forbidden: $ref is not supported`]);
  assert.deepEqual(ofSchema({ type: "object", $schema: "x" }), [`${root}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`]);
});

test("types are required outside of conditions only", () => {
  assert.deepEqual(
    ofSchema({ type: "object", properties: { a: {}, b: { type: "array" } }, anyOf: [{ type: "object", required: ["c"] }] }),
    [
      `${root}.anyOf[0].type: Forbidden: must be empty to be structural`,
      `${root}.properties[a].type: Required value: must not be empty for specified object fields`,
      `${root}.properties[b].items: Required value: must be specified`,
    ],
  );
  const either = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] };
  assert.deepEqual(ofSchema({ type: "object", properties: { a: either } }), []);
  assert.deepEqual(
    ofSchema({ type: "object", properties: { a: { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: either.anyOf }] } } }),
    [],
  );
});

test("what a condition of the root restricts is specified outside of it", () => {
  assert.deepEqual(
    ofSchema({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
      allOf: [{ properties: { a: { items: { items: {} } }, b: {} } }],
    }),
    [
      `${root}.properties[a].items.items: Required value: because it is defined in ${root}.allOf[0].properties[a].items.items`,
      `${root}.properties[b]: Required value: because it is defined in ${root}.allOf[0].properties[b]`,
    ],
  );
});

test("metadata of the root can only restrict names", () => {
  const name: SchemaProps = { type: "string", maxLength: 3 };
  assert.deepEqual(ofSchema({ type: "object", properties: { metadata: { type: "object", properties: { name } } } }), []);
  assert.deepEqual(ofSchema({ type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } }), [
    `${root}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
  ]);
});

test("the fields of rules", () => {
  const rules = (...rules: NonNullable<SchemaProps["x-kubernetes-validations"]>) =>
    ofSchema({ type: "object", properties: { a: { type: "string" } }, "x-kubernetes-validations": rules })
      .map((text) => text.slice(`${root}.x-kubernetes-validations`.length));
  assert.deepEqual(
    rules(
      { rule: " " },
      { rule: "true", message: " " },
      { rule: "true", message: "a\nb" },
      { rule: "true ||\ntrue" },
      { rule: "true", messageExpression: " " },
      { rule: "true", reason: "Foo" },
      { rule: "true", fieldPath: ".b" },
      { rule: "true", fieldPath: ".a" },
    ),
    [
      "[0].rule: Required value: rule is not specified",
      '[1].message: Invalid value: " ": must be non-empty if specified',
      '[2].message: Invalid value: "a\\nb": must not contain line breaks',
      "[3].message: Required value: message must be specified if rule contains line breaks",
      "[4].messageExpression: Required value: messageExpression must be non-empty if specified",
      '[5].reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", ' +
      '"FieldValueRequired"',
      '[6].fieldPath: Invalid value: ".b": must be a valid path',
    ],
  );
});

test("rules are compiled, and defaults must pass those of their schema", () => {
  const of = (rule: string, value: number) =>
    ofSchema({
      type: "object",
      properties: { a: { type: "integer", default: value, "x-kubernetes-validations": [{ rule, optionalOldSelf: true }] } },
    });
  const at = `${root}.properties[a]`;
  assert.deepEqual(of("!oldSelf.hasValue() || self > 1", 2), []);
  assert.deepEqual(of("oldSelf.hasValue()", 5), [`${at}.default: Invalid value: 5: failed rule: oldSelf.hasValue()`]);
  assert.deepEqual(of("self > 1", 5), [
    `${at}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ]);
});

test("conversion webhooks", () => {
  const webhook = (clientConfig: object | undefined, conversionReviewVersions: readonly string[] = ["v1"]) =>
    created({ conversion: { strategy: "Webhook", webhook: { ...(clientConfig ? { clientConfig } : {}), conversionReviewVersions } } });
  const at = "spec.conversion.webhookClientConfig";
  assert.deepEqual(webhook({ url: "https://a.example/x" }), []);
  assert.deepEqual(webhook(undefined, ["v2", "v2", "V"]), [
    `${at}: Required value: required when strategy is set to Webhook`,
    'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
    'spec.conversion.conversionReviewVersions[2]: Invalid value: "V": a DNS-1035 label must consist of lower case alphanumeric characters ' +
    "or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for " +
    "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    'spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2","V"]: must include at least one of v1, v1beta1',
  ]);
  assert.deepEqual(webhook({}), [`${at}: Required value: exactly one of url or service is required`]);
  const form = "; desired format: https://host[/path]";
  assert.deepEqual(webhook({ url: "http://u:p@a/?q=1#f" }), [
    `${at}.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`,
    `${at}.url: Invalid value: "u:p": user information is not permitted in the URL`,
    `${at}.url: Invalid value: "f": fragments are not permitted in the URL`,
    `${at}.url: Invalid value: "q=1": query parameters are not permitted in the URL`,
  ]);
  assert.deepEqual(webhook({ service: { name: "", namespace: "a", port: 0, path: "a//b" } }), [
    `${at}.service.namespace: Required value`,
    `${at}.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
    `${at}.service.path: Invalid value: "a//b": must start with a '/'`,
    `${at}.service.path: Invalid value: "a//b": segment[0] may not be empty`,
    `${at}.service.path: Invalid value: "a//b": segment[1] may not be empty`,
  ]);
});

test("an established definition keeps scope and kind; group and plural never change", () => {
  const prior = testDefinition({}, { conditions: [testEstablished] });
  const next = { ...prior, spec: { ...prior.spec, scope: "Cluster", names: testNames({ kind: "Other" }) } };
  assert.deepEqual(updated(next, prior), [
    'spec.scope: Invalid value: "Cluster": field is immutable',
    'spec.names.kind: Invalid value: "Other": field is immutable',
  ]);
  assert.deepEqual(updated(next, { ...prior, status: { ...prior.status, conditions: [] } }), []);
});

test("what a stored definition violates may stay", () => {
  const update = (schema: SchemaProps, change: SchemaProps = {}) => {
    const prior = testDefinition({ preserveUnknownFields: true, versions: [testVersion(schema)] });
    return updated(testDefinition({ preserveUnknownFields: true, versions: [testVersion({ ...schema, ...change })] }), prior);
  };
  assert.deepEqual(update({ properties: { a: {} } }), []);
  assert.deepEqual(update({ type: "object", properties: { a: { type: "text" } } }, { title: "t" }), []);
  assert.deepEqual(
    update({ type: "object", properties: { a: {} } }, { properties: { a: { "x-kubernetes-int-or-string": true, type: "x" } } }),
    [
      `${root}.properties[a].type: Unsupported value: "x": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  );
  const set: SchemaProps = { type: "array", "x-kubernetes-list-type": "set", items: { type: "object", nullable: true } };
  assert.deepEqual(update({ type: "object", properties: { a: set } }, { title: "t" }), []);
  const many = Array.from({ length: 9 }, (_, i) => ({ jsonPath: `.a${i}` }));
  const properties = Object.fromEntries(many.map((_, i) => [`a${i}`, { type: "string" }]));
  const stored = testDefinition({ versions: [testVersion({ type: "object", properties }, { selectableFields: many })] });
  assert.deepEqual(updated(stored, stored), []);
  const changed = testDefinition({ versions: [testVersion({ type: "object", properties }, { selectableFields: many.toReversed() })] });
  assert.deepEqual(updated(changed, stored), ["spec.selectableFields: Too many: 9: must have at most 8 items"]);
});

test("a change of the status is checked for its names only", () => {
  const prior = testDefinition({ versions: [] });
  const next = testDefinition({ versions: [] }, { acceptedNames: testNames({ plural: "Bad" }) });
  assert.equal(texts(validateStatusUpdate(next, prior)).length, 1);
});

/** A chain of nested schemas. */
function nested(depth: number, wrap: (schema: SchemaProps) => SchemaProps): SchemaProps {
  let schema: SchemaProps = { type: "string" };
  for (let i = 0; i < depth; i++) schema = wrap(schema);
  return schema;
}

test("schemas of the greatest depth are validated without running out of stack", () => {
  const depth = 990;
  const shapes: readonly ((schema: SchemaProps) => SchemaProps)[] = [
    (inner) => ({ type: "object", properties: { a: inner } }),
    (inner) => ({ type: "array", items: inner }),
    (inner) => ({ type: "object", additionalProperties: inner }),
    (inner) => ({ not: inner }),
    (inner) => ({ allOf: [inner] }),
  ];
  for (const wrap of shapes) {
    const schema: SchemaProps = { type: "object", properties: { a: nested(depth, wrap) } };
    assert.ok(Array.isArray(ofSchema(schema)));
    const prior = testDefinition({ versions: [testVersion(schema)] });
    assert.ok(Array.isArray(updated(prior, prior)));
  }
});

test("errors of a large schema are collected up to the size of an answer", () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`a${i}`, {}]));
  const errors = ofSchema({
    type: "object",
    properties: { a: nested(900, (inner) => ({ type: "object", properties: { a: inner } })), b: { type: "object", properties: wide } },
  });
  assert.ok(errors.length > 1000 && errors.length < 50_000, String(errors.length));
});
