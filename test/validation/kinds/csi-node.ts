import { type Case, type Change, type KindRules, rule } from "../rule.ts";

const both = "create+update";
const driver = { name: "a.example.com", nodeID: "one" };
const drivers = (...changes: readonly Change[]): Change => ({ spec: { drivers: changes.map((change) => ({ ...driver, ...change })) } });

function inDriver(at: string, reason: Case["reason"], broken: Change, held: Change): Case {
  return { at: `spec.drivers[0]${at}`, reason, broken: drivers(broken), held: drivers(held) };
}
const keys = (...topologyKeys: readonly string[]): Change => ({ topologyKeys });

export const csiNode: KindRules = {
  kind: "storage.k8s.io/v1/CSINode",
  path: "/apis/storage.k8s.io/v1/csinodes",
  valid: { spec: { drivers: [] } },
  rules: [
    rule(
      ["spec.drivers[i].name", both, "Required / TooLong / Invalid", "csiDriverName"],
      inDriver(".name", "Required", { name: "" }, { name: "a" }),
      inDriver(".name", "TooLong", { name: "a".repeat(64) }, { name: "a".repeat(63) }),
      inDriver(".name", "Invalid", { name: "a_b" }, { name: "A-b" }),
    ),
    rule(["spec.drivers[i].name", both, "Duplicate", "unique"], {
      at: "spec.drivers[1].name",
      reason: "Duplicate",
      broken: drivers({}, {}),
      held: drivers({}, { name: "b" }),
    }),
    rule(["spec.drivers[i].nodeID", both, "Required", "non-empty"], inDriver(".nodeID", "Required", { nodeID: "" }, {})),
    rule(
      ["spec.drivers[i].nodeID", both, "Invalid", "<= 256 chars (192 in older clusters)"],
      inDriver(".nodeID", "Invalid", { nodeID: "n".repeat(257) }, { nodeID: "n".repeat(256) }),
    ),
    rule(
      ["spec.drivers[i].allocatable.count", both, "Invalid", ">= 0"],
      inDriver(".allocatable.count", "Invalid", { allocatable: { count: -1 } }, { allocatable: { count: 0 } }),
    ),
    rule(
      [
        "spec.drivers[i]",
        both,
        "Required / Duplicate / Invalid",
        "topologyKeys: non-empty, unique, qualifiedName (path is the driver)",
      ],
      inDriver("", "Required", keys(""), keys("a")),
      inDriver("", "Duplicate", keys("a", "a"), keys("a", "b")),
      inDriver("", "Invalid", keys("a b"), keys("example.com/a")),
    ),
    rule(
      [
        "spec.drivers",
        "update",
        "Invalid",
        "existing driver immutable except allocatable (gate MutableCSINodeAllocatableCount on); drivers may be added or removed",
      ],
      ...[{ allocatable: { count: 5 } }, { name: "b" }].map((held): Case => ({
        at: "spec.drivers",
        reason: "Invalid",
        prior: drivers({}),
        broken: drivers({ nodeID: "other" }),
        held: drivers(held),
      })),
      { at: "spec.drivers", reason: "Invalid", prior: drivers({}), broken: drivers(keys("a")), held: drivers({}, { name: "b" }) },
    ),
  ],
};
