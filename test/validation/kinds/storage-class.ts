import { type Case, type Change, type KindRules, partly, recordedRule, rule } from "../rule.ts";

const both = "create+update";
const keys = (count: number): Change => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, ""]));
const touched = { metadata: { labels: { touched: "yes" } } };

/** Rules of parameters at their bounds. */
const tooMany: Case = { at: "parameters", reason: "TooLong", broken: { parameters: keys(513) }, held: { parameters: keys(512) } };
const noKey: Case = { at: "parameters", reason: "Invalid", broken: { parameters: { "": "a" } }, held: { parameters: { a: "" } } };
const tooLarge: Case = {
  at: "parameters",
  reason: "TooLong",
  broken: { parameters: { a: "x".repeat(262_144) } },
  held: { parameters: { a: "x".repeat(262_143) } },
};

const topology = (...terms: readonly (readonly Change[])[]): Change => ({
  allowedTopologies: terms.map((matchLabelExpressions) => ({ matchLabelExpressions })),
});
function inTopology(at: string, reason: Case["reason"], broken: readonly Change[], held: readonly Change[]): Case {
  return { at: `allowedTopologies[0].matchLabelExpressions${at}`, reason, broken: topology(broken), held: topology(held) };
}
const a = { key: "a", values: ["x"] }, b = { key: "b", values: ["x"] };
const immutable = (at: string, reason: Case["reason"], prior: Change, broken: Change): Case => ({
  at,
  reason,
  prior,
  broken,
  held: touched,
});

export const storageClass: KindRules = {
  kind: "storage.k8s.io/v1/StorageClass",
  path: "/apis/storage.k8s.io/v1/storageclasses",
  valid: { provisioner: "example.com/one" },
  rules: [
    rule(["provisioner", both, "Required", "non-empty"], { at: "provisioner", reason: "Required", broken: { provisioner: "" } }),
    rule(["provisioner", both, "Invalid", "qualifiedName of lower-cased value"], {
      at: "provisioner",
      reason: "Invalid",
      broken: { provisioner: "a b" },
      held: { provisioner: "Example.COM/One" },
    }),
    rule(["parameters", both, "TooLong (limit 512)", "<= 512 entries"], tooMany),
    rule(["parameters", both, "Invalid", "key non-empty"], noKey),
    rule(["parameters", both, "TooLong", "total key+value bytes <= 262144"], tooLarge),
    rule(["reclaimPolicy", both, "NotSupported", "Delete, Retain"], {
      at: "reclaimPolicy",
      reason: "NotSupported",
      broken: { reclaimPolicy: "Recycle" },
      held: { reclaimPolicy: "Retain" },
    }),
    partly(["volumeBindingMode", both, "Required", "non-nil"], { all: "the default is filled in before the check" }),
    rule(["volumeBindingMode", both, "NotSupported", "Immediate, WaitForFirstConsumer"], {
      at: "volumeBindingMode",
      reason: "NotSupported",
      broken: { volumeBindingMode: "Later" },
      held: { volumeBindingMode: "WaitForFirstConsumer" },
    }),
    rule(
      ["allowedTopologies[i].matchLabelExpressions[j].key", both, "Invalid / Duplicate", "qualifiedName, unique in term"],
      inTopology("[0].key", "Invalid", [{ ...a, key: "a b" }], [a]),
      inTopology("[1].key", "Duplicate", [a, a], [a, b]),
    ),
    rule(
      ["allowedTopologies[i].matchLabelExpressions[j].values", both, "Required / Duplicate", "non-empty, unique"],
      inTopology("[0].values", "Required", [{ ...a, values: [] }], [a]),
      inTopology("[0].values[1]", "Duplicate", [{ ...a, values: ["x", "x"] }], [{ ...a, values: ["x", "y"] }]),
    ),
    rule(["allowedTopologies[i].matchLabelExpressions", both, "Duplicate", "identical terms"], {
      at: "allowedTopologies[1].matchLabelExpressions",
      reason: "Duplicate",
      broken: topology([a], [a]),
      held: topology([a], [b]),
    }),
    recordedRule(
      ["parameters", "update", "Forbidden", "immutable"],
      "Invalid",
      immutable("parameters", "Invalid", { parameters: { a: "b" } }, { parameters: { a: "c" } }),
    ),
    recordedRule(
      ["provisioner", "update", "Forbidden", "immutable"],
      "Invalid",
      immutable("provisioner", "Invalid", {}, { provisioner: "example.com/two" }),
    ),
    recordedRule(
      ["reclaimPolicy", "update", "Forbidden", "immutable"],
      "Invalid",
      immutable("reclaimPolicy", "Invalid", {}, { reclaimPolicy: "Retain" }),
    ),
    rule(
      ["volumeBindingMode", "update", "Invalid", "immutable"],
      immutable("volumeBindingMode", "Invalid", {}, { volumeBindingMode: "WaitForFirstConsumer" }),
    ),
  ],
};

export const volumeAttributesClass: KindRules = {
  kind: "storage.k8s.io/v1/VolumeAttributesClass",
  path: "/apis/storage.k8s.io/v1/volumeattributesclasses",
  valid: { driverName: "a.example.com", parameters: { a: "" } },
  rules: [
    rule(["driverName", both, "Required", "non-empty"], { at: "driverName", reason: "Required", broken: { driverName: "" } }),
    rule(["driverName", both, "Invalid", "qualifiedName of lower-cased value"], {
      at: "driverName",
      reason: "Invalid",
      broken: { driverName: "a b" },
      held: { driverName: "A.example.com" },
    }),
    rule(["parameters", both, "Required", "at least one"], { at: "parameters", reason: "Required", broken: { parameters: null } }),
    rule(
      ["parameters", both, "TooLong / Invalid", "<= 512 entries; key non-empty; total <= 262144 bytes"],
      // One key of the 512 is that of the valid object.
      { ...tooMany, held: { parameters: keys(511) } },
      noKey,
      tooLarge,
    ),
    rule(["driverName", "update", "Forbidden", "immutable"], immutable("driverName", "Forbidden", {}, { driverName: "b.example.com" })),
    rule(["parameters", "update", "Forbidden", "immutable"], immutable("parameters", "Forbidden", {}, { parameters: { a: "c" } })),
  ],
};
