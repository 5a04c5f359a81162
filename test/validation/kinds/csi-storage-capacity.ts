import { type Case, type Change, type KindRules, rule } from "../rule.ts";

const both = "create+update";
const path = "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities";
const valid = { storageClassName: "fast" };
const labels = (matchLabels: Change): Change => ({ matchLabels });
const expression = (one: Change): Change => ({ matchExpressions: [{ key: "a", operator: "Exists", ...one }] });

function inSelector(at: string, reason: Case["reason"], broken: Change, held: Change): Case {
  return { at: `nodeTopology.${at}`, reason, broken: { nodeTopology: broken }, held: { nodeTopology: held } };
}
const wrongLabel = inSelector("matchLabels", "Invalid", labels({ "a b": "" }), labels({ "example.com/a": "b" }));
const noValues = inSelector(
  "matchExpressions[0].values",
  "Required",
  expression({ operator: "In" }),
  expression({ operator: "In", values: ["b"] }),
);
const values = inSelector("matchExpressions[0].values", "Forbidden", expression({ values: ["b"] }), expression({}));

export const csiStorageCapacity: KindRules = {
  kind: "storage.k8s.io/v1/CSIStorageCapacity",
  path,
  valid,
  rules: [
    rule(["nodeTopology", both, "Invalid / Required / Forbidden", "valid label selector"], wrongLabel, noValues, values),
    rule(
      ["storageClassName", both, "Invalid", "dns1123Subdomain (required: empty is Invalid)"],
      ...["", "A b"].map((name): Case => ({ at: "storageClassName", reason: "Invalid", broken: { storageClassName: name } })),
    ),
    rule(["capacity", both, "Invalid", ">= 0"], { at: "capacity", reason: "Invalid", broken: { capacity: "-1" }, held: { capacity: "0" } }),
    rule(
      ["nodeTopology", "update", "Invalid", "immutable"],
      ...[labels({ a: "other" }), null].map((nodeTopology): Case => ({
        at: "nodeTopology",
        reason: "Invalid",
        prior: { nodeTopology: labels({ a: "b" }) },
        broken: { nodeTopology },
        held: { capacity: "1Gi" },
      })),
    ),
    rule(["storageClassName", "update", "Invalid", "immutable"], {
      at: "storageClassName",
      reason: "Invalid",
      prior: {},
      broken: { storageClassName: "slow" },
      held: { maximumVolumeSize: "1Gi" },
    }),
  ],
};

/** Rules of label selectors, checked on a kind with one. Updates also report that the selector is immutable. */
export const labelSelector: KindRules = {
  kind: "labelSelector",
  path,
  valid,
  rules: [
    rule(
      ["matchLabels", both, "Invalid", "key qualifiedName, value labelValue"],
      wrongLabel,
      inSelector("matchLabels", "Invalid", labels({ a: "b c" }), labels({ a: "" })),
    ),
    rule(
      ["matchExpressions[i].operator", both, "Invalid", "In, NotIn, Exists, DoesNotExist"],
      inSelector("matchExpressions[0].operator", "Invalid", expression({ operator: "Gt" }), expression({ operator: "DoesNotExist" })),
    ),
    rule(
      ["matchExpressions[i].values", both, "Required", "In, NotIn: non-empty"],
      noValues,
      inSelector(
        "matchExpressions[0].values",
        "Required",
        expression({ operator: "NotIn", values: [] }),
        expression({ operator: "NotIn", values: ["b"] }),
      ),
    ),
    rule(
      ["matchExpressions[i].values", both, "Forbidden", "Exists, DoesNotExist: empty"],
      values,
      inSelector(
        "matchExpressions[0].values",
        "Forbidden",
        expression({ operator: "DoesNotExist", values: ["b"] }),
        expression({ values: [] }),
      ),
    ),
    rule(
      ["matchExpressions[i].key", both, "Invalid", "qualifiedName"],
      inSelector("matchExpressions[0].key", "Invalid", expression({ key: "a b" }), expression({ key: "example.com/a" })),
    ),
    rule(
      ["matchExpressions[i].values[j]", both, "Invalid", "labelValue (skipped on update when old was invalid)"],
      inSelector(
        "matchExpressions[0].values[1]",
        "Invalid",
        expression({ operator: "In", values: ["b", "c d"] }),
        expression({ operator: "In", values: ["b", "c"] }),
      ),
    ),
  ],
};
