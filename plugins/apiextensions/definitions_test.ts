import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookContext } from "../../plugin.ts";
import { defaultNames } from "../../toolbox.ts";
import { customResourceDefinitions } from "./definitions.ts";
import { dropGatedFields } from "./dropped.ts";
import type { SchemaProps } from "./schema-props.ts";
import { testDefinition, testVersion } from "./test-definition.ts";
import { formatWarnings } from "./warnings.ts";

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

test("a new storage version is added to the stored versions", () => {
  const prior = testDefinition();
  const versions = [testVersion(undefined, { storage: false }), testVersion(undefined, { name: "v2" })];
  const next = customResourceDefinitions.prepare!(testDefinition({ versions }), prior, context);
  assert.deepEqual(next.status.storedVersions, ["v1", "v2"]);
});

test("the first DELETE adds the finalizer and a condition, and ignores the propagation policy", () => {
  const prior = testDefinition({}, {}, { finalizers: ["a/b"], generation: 3 });
  const marked = {
    ...prior,
    metadata: {
      ...prior.metadata,
      deletionTimestamp: "2024-01-02T03:04:05Z",
      deletionGracePeriodSeconds: 0,
      generation: 4,
      finalizers: ["a/b", "foregroundDeletion"],
    },
  };
  const { metadata, status } = customResourceDefinitions.deletion!.begin(marked, context, prior);
  assert.deepEqual(metadata, {
    ...prior.metadata,
    deletionTimestamp: "2024-01-02T03:04:05Z",
    finalizers: ["a/b", "customresourcecleanup.apiextensions.k8s.io"],
  });
  assert.deepEqual(status.conditions.map(({ type, reason }) => [type, reason]), [["Terminating", "InstanceDeletionPending"]]);
});

test("fields of disabled features are dropped, unless they are in use", () => {
  const rules = [{ rule: "true", optionalOldSelf: true }];
  const schema: SchemaProps = {
    type: "object",
    properties: { a: { type: "array", items: { type: "string", "x-kubernetes-validations": rules } } },
  };
  const next = testDefinition({ versions: [testVersion(schema, { selectableFields: [{ jsonPath: ".a" }] })] }, { observedGeneration: 2 });
  const clean = dropGatedFields(next, undefined, () => false);
  assert.equal(JSON.stringify(clean).includes("optionalOldSelf"), false);
  assert.equal(clean.spec.versions[0]!.selectableFields, undefined);
  assert.equal(clean.status.observedGeneration, undefined);
  assert.equal(dropGatedFields(next, next, () => false).spec.versions[0]!.selectableFields?.length, 1);
  assert.equal(dropGatedFields(next, undefined, () => true), next);
});

test("formats that are not supported have a warning, unless they are stored", () => {
  const properties: Readonly<Record<string, SchemaProps>> = {
    a: { type: "string", format: "color" },
    b: { type: "integer", format: "color" },
    c: { type: "integer", format: "int32" },
    d: { type: "string", format: "date-time" },
    e: { type: "object", format: "uuid" },
  };
  const { spec } = testDefinition({ versions: [testVersion({ type: "object", properties })] });
  assert.deepEqual(formatWarnings(spec, undefined), ['unrecognized format "color"', 'unrecognized format "uuid"']);
  assert.deepEqual(formatWarnings(spec, spec), []);
});
