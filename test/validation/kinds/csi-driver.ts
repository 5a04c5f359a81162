import { type Case, type Change, type KindRules, partly, rule } from "../rule.ts";

const both = "create+update";
const filled = { all: "the default is filled in before the check" };
function inSpec(at: string, reason: Case["reason"], broken: Change, held: Change, prior?: Change): Case {
  const changes = { at: `spec.${at}`, reason, broken: { spec: broken }, held: { spec: held } };
  return prior === undefined ? changes : { ...changes, prior: { spec: prior } };
}
const tokens = (...requests: readonly Change[]): Change => ({ tokenRequests: requests });
const secondsMax = 2 ** 32;

export const csiDriver: KindRules = {
  kind: "storage.k8s.io/v1/CSIDriver",
  path: "/apis/storage.k8s.io/v1/csidrivers",
  valid: { spec: {} },
  rules: [
    partly(["spec.attachedRequired", both, "Required", "attachRequired non-nil (misspelt path)"], filled),
    partly(["spec.podInfoOnMount", both, "Required", "non-nil"], filled),
    partly(["spec.storageCapacity", both, "Required", "non-nil"], filled),
    rule(
      ["spec.fsGroupPolicy", both, "NotSupported", "File, None, ReadWriteOnceWithFSType"],
      inSpec("fsGroupPolicy", "NotSupported", { fsGroupPolicy: "Some" }, { fsGroupPolicy: "File" }),
    ),
    rule(
      ["spec.tokenRequests[i].audience", both, "Duplicate", "unique"],
      inSpec(
        "tokenRequests[1].audience",
        "Duplicate",
        tokens({ audience: "a" }, { audience: "a" }),
        tokens({ audience: "a" }, { audience: "b" }),
      ),
    ),
    rule(
      ["spec.tokenRequests[i].expirationSeconds", both, "Invalid", "600..4294967296"],
      ...([[599, 600], [secondsMax + 1, secondsMax]] as const).map(([wrong, right]) =>
        inSpec(
          "tokenRequests[0].expirationSeconds",
          "Invalid",
          tokens({ audience: "a", expirationSeconds: wrong }),
          tokens({ audience: "a", expirationSeconds: right }),
        )
      ),
    ),
    rule(
      ["spec.volumeLifecycleModes", both, "NotSupported", "Persistent, Ephemeral"],
      inSpec("volumeLifecycleModes", "NotSupported", { volumeLifecycleModes: ["Persistent", "Other"] }, {
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
      }),
    ),
    partly(["spec.seLinuxMount", both, "Required", "non-nil (gate SELinuxMountReadWriteOncePod on)"], filled),
    rule(
      ["spec.nodeAllocatableUpdatePeriodSeconds", both, "Invalid", ">= 10"],
      inSpec("nodeAllocatableUpdatePeriodSeconds", "Invalid", { nodeAllocatableUpdatePeriodSeconds: 9 }, {
        nodeAllocatableUpdatePeriodSeconds: 10,
      }),
    ),
    rule(
      ["spec.serviceAccountTokenInSecrets", both, "Invalid", "only with tokenRequests"],
      inSpec("serviceAccountTokenInSecrets", "Invalid", { serviceAccountTokenInSecrets: true }, {
        serviceAccountTokenInSecrets: true,
        ...tokens({ audience: "a" }),
      }),
    ),
    rule(
      ["spec.attachedRequired", "update", "Invalid", "immutable"],
      inSpec("attachedRequired", "Invalid", { attachRequired: false }, { podInfoOnMount: true }, { attachRequired: true }),
    ),
    rule(
      ["spec.volumeLifecycleModes", "update", "Invalid", "immutable"],
      inSpec("volumeLifecycleModes", "Invalid", { volumeLifecycleModes: ["Ephemeral"] }, { requiresRepublish: true }, {
        volumeLifecycleModes: ["Persistent"],
      }),
    ),
  ],
};
