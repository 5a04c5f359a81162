import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedTypes, StructuralSchema } from "../../../toolbox.ts";
import type { ValidatingAdmissionPolicy } from "../schema.ts";
import { expressionWarnings, policyCheckedCharactersMax, policyWarningsCharactersMax } from "./expression-warnings.ts";

const schemas: Readonly<Record<string, StructuralSchema | undefined>> = {
  A: { type: "object", properties: { size: { type: "integer" } } },
  B: { type: "object", properties: { name: { type: "string" } } },
  Limit: { type: "object", properties: { max: { type: "integer" } } },
};
const types: ServedTypes = {
  versions: () => [],
  resources: (version, group = "") =>
    ["A", "B", "C"].map((kind) => ({ group, version, kind, plural: `${kind.toLowerCase()}s`, singular: "" })),
  schemaOf: ({ kind }) => schemas[kind],
  stored: () => [],
};
type Spec = Partial<ValidatingAdmissionPolicy["spec"]>;
const policyOf = (spec: Spec): ValidatingAdmissionPolicy => ({
  kind: "",
  apiVersion: "",
  metadata: {},
  spec: { matchConstraints: { resourceRules: [{ apiGroups: ["x"], apiVersions: ["v1"], resources: ["as", "bs", "cs"] }] }, ...spec },
  status: {},
} as unknown as ValidatingAdmissionPolicy);
const warned = (spec: Spec, turn: () => undefined = () => undefined) => expressionWarnings(policyOf(spec), types, turn);

test("each expression has one warning with the mistakes for every kind; kinds without a schema are left out", async () => {
  const of = (field: string, column: number, text: string) =>
    `ERROR: <input>:1:${column}: undefined field '${field}'\n | ${text}\n | ${".".repeat(column - 1)}^\n`;
  assert.deepEqual(
    await warned({
      validations: [
        { expression: "object.size > 1" },
        { expression: "object.metadata.name != ''", messageExpression: "object.name" },
        { expression: "object.other == 1" },
      ],
    }),
    [
      { fieldRef: "spec.validations[0].expression", warning: `x/v1, Kind=B: ${of("size", 7, "object.size > 1")}` },
      { fieldRef: "spec.validations[1].messageExpression", warning: `x/v1, Kind=A: ${of("name", 7, "object.name")}` },
      {
        fieldRef: "spec.validations[2].expression",
        warning: `x/v1, Kind=A: ${of("other", 7, "object.other == 1")}\nx/v1, Kind=B: ${of("other", 7, "object.other == 1")}`,
      },
    ],
  );
});

test("parameters have the types of their kind, and are dynamic if it has no schema", async () => {
  const validations = [{ expression: "params.min == 1" }];
  const known = await warned({ paramKind: { apiVersion: "y/v1", kind: "Limit" }, validations });
  assert.match(known[0]?.warning ?? "", /undefined field 'min'/);
  assert.deepEqual(await warned({ paramKind: { apiVersion: "v1", kind: "Unknown" }, validations }), []);
});

test("expressions above the bound are not checked, and variables above it are dynamic", async () => {
  const long = (length: number) => "object.nothing == 1".padEnd(length);
  const max = policyCheckedCharactersMax;
  const validations = [{ expression: long(max) }, { expression: long(max + 1) }, { expression: "variables.v.x == 1" }];
  const warnings = await warned({ variables: [{ name: "v", expression: "1".padEnd(max + 1) }], validations });
  assert.deepEqual(warnings.map(({ fieldRef }) => fieldRef), ["spec.validations[0].expression"]);
});

test("the warnings of a policy are bounded: mistakes that do not fit are left out", async () => {
  const line = "object.nothing == 1".padEnd(8_000);
  const many = Array.from({ length: 40 }, () => ({ expression: line }));
  const warnings = await warned({ validations: [...many, { expression: "object.other == 1" }] });
  const length = warnings.reduce((sum, { warning }) => sum + warning.length, 0);
  assert.ok(length < policyWarningsCharactersMax + 1_000, `${length}`);
  assert.equal(warnings.at(-1)?.fieldRef, "spec.validations[40].expression");
});

test("other work may run between two checks", async () => {
  let turns = 0;
  const turn = () => void turns++;
  await warned({ variables: [{ name: "v", expression: "1" }], validations: [{ expression: "true", messageExpression: "'x'" }] }, turn);
  // Of two kinds: a variable and two expressions.
  assert.equal(turns, 6);
});
