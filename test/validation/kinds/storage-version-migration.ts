import { type Case, type Change, type KindRules, partly, type Rule, rule } from "../rule.ts";

const both = "create+update";
const time = "2024-01-02T03:04:05Z";

type Version = "v1beta1" | "v1alpha1";
const pathOf = (version: Version) => `/apis/storagemigration.k8s.io/${version}/storageversionmigrations`;

/** A condition with the version's field names. */
function condition(version: Version, change: Change = {}): Change {
  const when = version === "v1beta1" ? { lastTransitionTime: time } : { lastUpdateTime: time };
  return { type: "Running", status: "True", reason: "Because", message: "", ...when, ...change };
}
function statusOf(version: Version, ...changes: readonly Change[]): Change {
  return { status: { conditions: changes.map((change) => condition(version, change)) } };
}
function inSpec(at: string, broken: Change, held: Change = {}, reason: Case["reason"] = "Invalid"): Case {
  return { at: `spec.resource.${at}`, reason, broken: { spec: { resource: broken } }, held: { spec: { resource: held } } };
}
function inCondition(version: Version, at: string, reason: Case["reason"], broken: Change, held: Change = {}): Case {
  return { at: `status.conditions[0].${at}`, reason, broken: statusOf(version, broken), held: statusOf(version, held) };
}
const is = (type: string, status = "True"): Change => ({ type, status });

/** The possible results of a migration. */
function outcomeRules(version: Version): readonly Rule[] {
  const of = (broken: readonly Change[], held: readonly Change[], prior?: Change): Case => {
    const changes = {
      at: "status.conditions",
      reason: "Invalid",
      broken: statusOf(version, ...broken),
      held: statusOf(version, ...held),
    } as const;
    return prior === undefined ? changes : { ...changes, prior: statusOf(version, prior) };
  };
  return [
    rule(
      ["status.conditions", "status", "Invalid", "Succeeded and Failed both True"],
      of([is("Succeeded"), is("Failed")], [is("Succeeded"), is("Failed", "False")]),
    ),
    rule(
      ["status.conditions", "status", "Invalid", "Running True with Succeeded or Failed True"],
      ...["Succeeded", "Failed"].map((end) => of([is("Running"), is(end)], [is("Running", "False"), is(end)])),
    ),
    ...["Succeeded", "Failed"].map((end) =>
      rule(
        ["status.conditions", "status", "Invalid", `${end} True may not revert`],
        of([is(end, "False")], [is(end), is("Running", "False")], is(end)),
        of([], [is(end)], is(end)),
      )
    ),
    rule(["status.resourceVersion", "status", "Invalid", "immutable once set"], {
      at: "status.resourceVersion",
      reason: "Invalid",
      prior: { status: { resourceVersion: "12" } },
      broken: { status: { resourceVersion: "13" } },
      held: statusOf(version, {}),
    }),
  ];
}

function typeRule(version: Version, field: string, on: string, except: Rule["except"]): Rule {
  return partly(
    [field, on, "Invalid / Duplicate", "qualifiedName, unique"],
    except,
    inCondition(version, "type", "Invalid", { type: "a b" }, { type: "example.com/a" }),
    {
      at: "status.conditions[1].type",
      reason: "Duplicate",
      broken: statusOf(version, {}, {}),
      held: statusOf(version, {}, { type: "Other" }),
    },
  );
}
const statusCase = (version: Version) => inCondition(version, "status", "NotSupported", { status: "Perhaps" }, { status: "Unknown" });
const reasonCases = (version: Version) => [
  ...(version === "v1alpha1" ? [] : [inCondition(version, "reason", "Required", { reason: "" })]),
  inCondition(version, "reason", "Invalid", { reason: "a b" }, { reason: "A_b,c:d" }),
  inCondition(version, "reason", "TooLong", { reason: "r".repeat(1025) }, { reason: "r".repeat(1024) }),
];
const messageCase = (version: Version) =>
  inCondition(version, "message", "TooLong", { message: "x".repeat(32_769) }, { message: "x".repeat(32_768) });
const generationCase = inCondition("v1beta1", "observedGeneration", "Invalid", { observedGeneration: -1 }, { observedGeneration: 0 });
const timeCase = inCondition("v1beta1", "lastTransitionTime", "Required", { lastTransitionTime: null });

function conditionRules(version: Version): readonly Rule[] {
  return [
    typeRule(version, "status.conditions[i].type", "status", {}),
    rule(["status.conditions[i].status", "status", "NotSupported", "True, False, Unknown"], statusCase(version)),
    partly(
      ["status.conditions[i].reason", "status", "Required / Invalid / TooLong", "conditionReason, non-empty"],
      version === "v1alpha1" ? { Required: "a reason is optional in the specification of v1alpha1" } : {},
      ...reasonCases(version),
    ),
    rule(["status.conditions[i].message", "status", "TooLong", "<= 32768 bytes"], messageCase(version)),
  ];
}

const valid = { spec: { resource: { group: "", resource: "configmaps" } } };

export const storageVersionMigration: KindRules = {
  kind: "storagemigration.k8s.io/v1beta1/StorageVersionMigration",
  path: pathOf("v1beta1"),
  valid,
  rules: [
    rule(["spec.resource.resource", both, "Required", "non-empty"], inSpec("resource", { resource: "" }, {}, "Required")),
    rule(
      ["spec.resource.resource", both, "Invalid", "dns1035Label"],
      inSpec("resource", { resource: "2things" }),
      inSpec("resource", { resource: "t".repeat(64) }, { resource: "t".repeat(63) }),
    ),
    rule(
      ["spec.resource.group", both, "Invalid", "dns1123Subdomain when set"],
      inSpec("group", { group: "Example_com" }, { group: "example.com" }),
    ),
    rule(["spec", "update", "Invalid", "immutable"], {
      at: "spec",
      reason: "Invalid",
      prior: {},
      broken: { spec: { resource: { resource: "secrets" } } },
      held: { metadata: { labels: { touched: "yes" } } },
    }),
    rule(["status.resourceVersion", "status", "Invalid", "parses as decimal resource version (compared with itself)"], {
      at: "status.resourceVersion",
      reason: "Invalid",
      broken: { status: { resourceVersion: "x" } },
      held: { status: { resourceVersion: "12" } },
    }),
    rule(["status.conditions[i].lastTransitionTime", "status", "Required", "set"], timeCase),
    rule(["status.conditions[i].observedGeneration", "status", "Invalid", ">= 0"], generationCase),
    ...outcomeRules("v1beta1"),
    ...conditionRules("v1beta1"),
  ],
};

function immutable(field: string): Rule {
  return rule([field, "update", "Invalid", `spec.resource.${field} immutable (short path)`], {
    at: field,
    reason: "Invalid",
    prior: {},
    broken: { spec: { resource: { [field]: "other" } } },
    held: { metadata: { labels: { touched: "yes" } } },
  });
}

export const alphaStorageVersionMigration: KindRules = {
  kind: "storagemigration.k8s.io/v1alpha1/StorageVersionMigration",
  path: pathOf("v1alpha1"),
  valid: { spec: { resource: { version: "v1", resource: "configmaps" } } },
  rules: [
    rule(["spec.resource.resource", both, "Required", "non-empty"], inSpec("resource", { resource: null }, {}, "Required")),
    rule(["spec.resource.version", both, "Required", "non-empty"], inSpec("version", { version: null }, {}, "Required")),
    ...["group", "version", "resource"].map(immutable),
    rule(
      ["status.resourceVersion", "status", "Invalid", "int64 >= 0"],
      ...["x", "-1", "9223372036854775808"].map((resourceVersion): Case => ({
        at: "status.resourceVersion",
        reason: "Invalid",
        broken: { status: { resourceVersion } },
        held: { status: { resourceVersion: "0" } },
      })),
    ),
    partly(
      ["status.conditions[i].lastTransitionTime", "status", "Required", "lastUpdateTime set (path quirk)"],
      { all: "intended: v1alpha1 has no such field, and its lastUpdateTime is optional" },
    ),
    ...outcomeRules("v1alpha1"),
    ...conditionRules("v1alpha1"),
  ],
};

const on = "create+update+status";
const statusOnly = { create: "a new object has no status", update: "an update leaves the status alone" };

/** Conditions in general, on a kind that has them. */
export const conditions: KindRules = {
  kind: "conditions",
  path: pathOf("v1beta1"),
  valid,
  rules: [
    typeRule("v1beta1", "conditions[i].type", on, statusOnly),
    partly(["conditions[i].status", on, "NotSupported", "True, False, Unknown"], statusOnly, statusCase("v1beta1")),
    partly(["conditions[i].observedGeneration", on, "Invalid", ">= 0"], statusOnly, generationCase),
    partly(["conditions[i].lastTransitionTime", on, "Required", "set"], statusOnly, timeCase),
    partly(
      ["conditions[i].reason", on, "Required / Invalid / TooLong", "conditionReason, non-empty, <= 1024"],
      statusOnly,
      ...reasonCases("v1beta1"),
    ),
    partly(["conditions[i].message", on, "TooLong", "<= 32768 bytes"], statusOnly, messageCase("v1beta1")),
  ],
};
