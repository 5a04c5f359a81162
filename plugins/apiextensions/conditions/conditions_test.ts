import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../toolbox.ts";
import type { DefinitionStatus } from "../schema.ts";
import { testDefinition, testEstablished, testNames, testVersion } from "../test-definition.ts";
import { approvalCondition, statusWithApproval } from "./approval.ts";
import { isEquivalent, isTrue, withCondition } from "../condition.ts";
import { statusEstablished } from "./established.ts";
import { statusWithNames, usedNames } from "./names.ts";
import { nonStructuralCondition, statusWithNonStructural } from "./non-structural.ts";

const now = "2024-05-06T07:08:09Z", before = "2024-01-02T03:04:05Z";
const short = (status: DefinitionStatus | undefined) => status?.conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const accepted = {
  type: "NamesAccepted",
  status: "True",
  reason: "NoConflicts",
  message: "no conflicts found",
  lastTransitionTime: before,
};

test("withCondition() changes the time with the status only, and keeps the order", () => {
  const conditions = [accepted, testEstablished];
  const same = withCondition(conditions, { ...accepted, message: "other" }, now);
  assert.deepEqual(same, [{ ...accepted, message: "other" }, testEstablished]);
  assert.deepEqual(withCondition(conditions, { ...accepted, status: "False" }, now)[0]!.lastTransitionTime, now);
  assert.equal(isTrue(conditions, "Established"), true);
  assert.equal(isEquivalent({ type: "A", status: "True" }, { type: "A", status: "True", reason: "", message: "" }), true);
  assert.equal(isEquivalent({ type: "A", status: "True", observedGeneration: 1 }, { type: "A", status: "True" }, true), false);
});

test("names that no other definition has are accepted, then the definition is established", () => {
  const definition = testDefinition({ names: testNames({ shortNames: ["th"], categories: ["all"] }) });
  const status = statusWithNames(definition, usedNames([definition], "example.com"), now)!;
  assert.deepEqual(status.acceptedNames, testNames({ shortNames: ["th"], categories: ["all"] }));
  assert.deepEqual(short(status), ["NamesAccepted=True NoConflicts", "Established=False Installing"]);
  assert.equal(statusWithNames({ ...definition, status }, usedNames([], "example.com"), now), undefined);
  const established = statusEstablished({ ...definition, status }, now)!;
  assert.deepEqual(short(established), ["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"]);
  assert.equal(statusEstablished({ ...definition, status: established }, now), undefined);
});

test("a name in use is refused, the others are taken; the last conflict is the reason", () => {
  const first = testDefinition({}, { acceptedNames: testNames({ shortNames: ["th", "tg"] }) });
  const other = testDefinition({ group: "other.com" }, { acceptedNames: testNames({ plural: "others", kind: "Other" }) });
  const names = testNames({ plural: "others", singular: "thing", kind: "Other", shortNames: ["th", "x", "tg"] });
  const definition = testDefinition({ names });
  const status = statusWithNames(definition, usedNames([first, other], "example.com"), now)!;
  assert.deepEqual(status.acceptedNames, { plural: "others", kind: "Other" });
  assert.deepEqual(status.conditions.map(({ reason, message }) => [reason, message]), [
    ["ListKindConflict", '"ThingList" is already in use'],
    ["NotAccepted", "not all names are accepted"],
  ]);
  const shortOnly = testDefinition({ names: { plural: "a", singular: "b", kind: "C", listKind: "D", shortNames: ["th", "tg"] } });
  const { conditions } = statusWithNames(shortOnly, usedNames([first], "example.com"), now)!;
  assert.deepEqual([conditions[0]!.reason, conditions[0]!.message], [
    "ShortNamesConflict",
    '["th" is already in use, "tg" is already in use]',
  ]);
});

test("an established definition stays so in a conflict of a changed name", () => {
  const other = testDefinition({}, { acceptedNames: testNames({ singular: "other" }) });
  const definition = testDefinition({ names: testNames({ singular: "other" }) }, {
    acceptedNames: testNames(),
    conditions: [accepted, testEstablished],
  });
  const status = statusWithNames(definition, usedNames([other, definition], "example.com"), now)!;
  assert.deepEqual(short(status), ["NamesAccepted=False SingularConflict", "Established=True InitialNamesAccepted"]);
  assert.equal(status.acceptedNames?.singular, "thing");
});

test("a definition with an invalid CA bundle is not established", () => {
  const webhook = { clientConfig: { url: "https://a.example", caBundle: "AAAA" }, conversionReviewVersions: ["v1"] };
  const definition = testDefinition({ conversion: { strategy: "Webhook", webhook } }, { conditions: [accepted] });
  assert.deepEqual(short(statusEstablished(definition, now)), ["NamesAccepted=True NoConflicts", "Established=False InvalidCABundle"]);
  assert.equal(statusEstablished(testDefinition(), now), undefined);
});

test("schemas that are not structural give a condition, which goes with the errors", () => {
  const wrong = testDefinition({ preserveUnknownFields: true, versions: [testVersion({ properties: { a: {} } })] });
  const path = "spec.versions[0].schema.openAPIV3Schema";
  assert.deepEqual(nonStructuralCondition(wrong), {
    type: "NonStructuralSchema",
    status: "True",
    reason: "Violations",
    message: `[spec.preserveUnknownFields: Invalid value: true: must be false, ` +
      `${path}.properties[a].type: Required value: must not be empty for specified object fields, ` +
      `${path}.type: Required value: must not be empty at the root]`,
  });
  const unreadable = testDefinition({ versions: [testVersion({ type: "object", $ref: "#/a" })] });
  assert.deepEqual(nonStructuralCondition(unreadable), {
    type: "NonStructuralSchema",
    status: "Unknown",
    reason: "StructuralError",
    message: "failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not supported",
  });
  const status = statusWithNonStructural(wrong, nonStructuralCondition(wrong), now)!;
  assert.equal(statusWithNonStructural({ ...wrong, status }, nonStructuralCondition(wrong), now), undefined);
  assert.deepEqual(statusWithNonStructural({ ...testDefinition(), status }, undefined, now)!.conditions, []);
  assert.equal(statusWithNonStructural(testDefinition(), undefined, now), undefined);
});

test("definitions in groups of the platform have a condition for their approval", () => {
  const group = "things.k8s.io", key = "api-approved.kubernetes.io";
  const state = (text?: string) => {
    const metadata = text === undefined ? {} : { annotations: { [key]: text } };
    const condition = approvalCondition(testDefinition({ group }, {}, metadata), defaultNames);
    return `${condition?.status} ${condition?.reason} ${condition?.message}`;
  };
  const must = `protected groups must have approval annotation "${key}"`, see = "see https://github.com/kubernetes/enhancements/pull/1111";
  assert.equal(state(), `False MissingAnnotation ${must}, ${see}`);
  assert.equal(state("https://example.com/1"), "True ApprovedAnnotation approved in https://example.com/1");
  assert.equal(state("unapproved, a test"), 'False UnapprovedAnnotation not approved: "unapproved, a test"');
  assert.equal(state("yes"), `False InvalidAnnotation ${must} with either a URL or a reason starting with "unapproved", ${see}`);
  assert.equal(approvalCondition(testDefinition(), defaultNames), undefined);
  const definition = testDefinition({ group });
  const status = statusWithApproval(definition, defaultNames, now)!;
  assert.equal(statusWithApproval({ ...definition, status }, defaultNames, now), undefined);
});
