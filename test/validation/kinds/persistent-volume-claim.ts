import { type Case, type Change, type KindRules, partly, rule } from "../rule.ts";

const both = "create+update";
const oldClass = "volume.beta.kubernetes.io/storage-class";

function inSpec(at: string, reason: Case["reason"], broken: Change, held: Change = {}): Case {
  return { at: at === "" ? "spec" : `spec.${at}`, reason, broken: { spec: broken }, held: { spec: held } };
}
function inStatus(at: string, reason: Case["reason"], broken: Change, held: Change): Case {
  return { at: `status.${at}`, reason, broken: { status: broken }, held: { status: held } };
}
const expression = (one: Change): Change => ({ selector: { matchExpressions: [{ key: "a", operator: "Exists", ...one }] } });
const size = (storage: string): Change => ({ resources: { requests: { storage } } });

const claim = { kind: "PersistentVolumeClaim", name: "a" };
/** An invalid value of the older field alone is dropped; together with the newer field it is validated. */
const alike = (source: Change): Change => ({ dataSource: source, dataSourceRef: source });
const thing = { apiGroup: "example.com", kind: "Thing", name: "a" };
const foreign = { ...claim, namespace: "other" };
const bound = (status: Change = {}): Change => ({ phase: "Bound", capacity: { storage: "1Gi" }, ...status });

/** With the gate CrossNamespaceVolumeDataSource, without which a source in another namespace is dropped. */
export const persistentVolumeClaim: KindRules = {
  kind: "v1/PersistentVolumeClaim",
  path: "/api/v1/namespaces/default/persistentvolumeclaims",
  valid: { spec: { accessModes: ["ReadWriteOnce"], ...size("1Gi") } },
  rules: [
    rule(["spec.accessModes", both, "Required", "non-empty"], inSpec("accessModes", "Required", { accessModes: [] })),
    rule(
      ["spec.accessModes", both, "NotSupported / Forbidden", "supported set, ReadWriteOncePod alone"],
      inSpec("accessModes", "NotSupported", { accessModes: ["Sometimes"] }, { accessModes: ["ReadWriteMany"] }),
      inSpec("accessModes", "Forbidden", { accessModes: ["ReadWriteOnce", "ReadWriteOncePod"] }, { accessModes: ["ReadWriteOncePod"] }),
    ),
    rule(
      ["spec.selector", both, "Invalid / Required / Forbidden", "valid label selector"],
      inSpec("selector.matchLabels", "Invalid", { selector: { matchLabels: { "a b": "" } } }, { selector: { matchLabels: { a: "" } } }),
      inSpec(
        "selector.matchExpressions[0].values",
        "Required",
        expression({ operator: "In" }),
        expression({ operator: "In", values: ["b"] }),
      ),
      inSpec("selector.matchExpressions[0].values", "Forbidden", expression({ values: ["b"] }), expression({})),
    ),
    rule(
      ["spec.resources[storage]", both, "Required", "requests.storage present (path has no requests)"],
      inSpec("resources[storage]", "Required", { resources: { requests: null } }),
    ),
    rule(["spec.resources[storage]", both, "Invalid", "> 0"], inSpec("resources[storage]", "Invalid", size("0"), size("1"))),
    rule(
      ["spec.storageClassName", both, "Invalid", "dns1123Subdomain when non-empty"],
      inSpec("storageClassName", "Invalid", { storageClassName: "A b" }, { storageClassName: "" }),
    ),
    rule(
      ["spec.volumeMode", both, "NotSupported", "Block, Filesystem"],
      inSpec("volumeMode", "NotSupported", { volumeMode: "Other" }, { volumeMode: "Block" }),
    ),
    rule(
      ["spec.dataSource.name / kind", both, "Required", "non-empty"],
      inSpec("dataSource.name", "Required", { dataSource: { ...claim, name: "" } }, { dataSource: claim }),
      inSpec("dataSource.kind", "Required", alike({ ...claim, kind: "" }), alike(claim)),
    ),
    rule(
      ["spec.dataSource", both, "Invalid", "empty apiGroup needs kind PersistentVolumeClaim"],
      inSpec("dataSource", "Invalid", alike({ ...claim, kind: "Thing" }), alike(claim)),
    ),
    rule(
      ["spec.dataSource.apiGroup", both, "Invalid", "dns1123Subdomain (skipped when old had one)"],
      { ...inSpec("dataSource.apiGroup", "Invalid", alike({ ...thing, apiGroup: "A b" }), alike(thing)), on: ["create"] },
      { ...inSpec("dataSource.apiGroup", "Invalid", alike({ ...thing, apiGroup: "A b" })), on: ["update"] },
    ),
    rule(
      ["spec.dataSourceRef.*", both, "Required / Invalid", "same rules"],
      inSpec("dataSourceRef.name", "Required", { dataSourceRef: { ...thing, name: "" } }, { dataSourceRef: thing }),
      inSpec("dataSourceRef.kind", "Required", { dataSourceRef: { ...thing, kind: "" } }, { dataSourceRef: thing }),
      inSpec("dataSourceRef", "Invalid", { dataSourceRef: { ...claim, kind: "Thing" } }, { dataSourceRef: claim }),
      inSpec("dataSourceRef.apiGroup", "Invalid", { dataSourceRef: { ...thing, apiGroup: "A b" } }),
    ),
    rule(
      ["spec.dataSourceRef.namespace", both, "Invalid", "dns1123Label when non-empty"],
      inSpec("dataSourceRef.namespace", "Invalid", { dataSourceRef: { ...claim, namespace: "A b" } }, { dataSourceRef: foreign }),
    ),
    rule(
      ["spec", both, "Invalid", "dataSource with dataSourceRef.namespace"],
      inSpec("", "Invalid", { dataSource: claim, dataSourceRef: foreign }, { dataSourceRef: foreign }),
    ),
    rule(
      ["spec", both, "Invalid", "dataSource differs from dataSourceRef"],
      inSpec("", "Invalid", { dataSource: claim, dataSourceRef: { ...claim, name: "b" } }, alike(claim)),
    ),
    rule(
      ["spec.volumeAttributesClassName", both, "Invalid", "dns1123Subdomain when non-empty"],
      inSpec("volumeAttributesClassName", "Invalid", { volumeAttributesClassName: "A b" }, { volumeAttributesClassName: "a" }),
    ),
    rule(
      [
        "spec",
        "update",
        "Forbidden",
        "immutable except: volumeName from empty; resources.requests.storage and volumeAttributesClassName when status.phase Bound; storageClassName from nil; class annotation to field move",
      ],
      { ...inSpec("", "Forbidden", { accessModes: ["ReadWriteMany"] }, { volumeName: "one" }), prior: {} },
      { ...inSpec("", "Forbidden", size("2Gi"), { storageClassName: "fast" }), prior: {} },
      {
        ...inSpec("", "Forbidden", { selector: { matchLabels: { a: "" } } }, { volumeAttributesClassName: "a" }),
        prior: { status: bound() },
      },
      {
        ...inSpec("", "Forbidden", { storageClassName: "slow" }, {}),
        prior: { metadata: { annotations: { [oldClass]: "fast" } } },
        held: { metadata: { annotations: { [oldClass]: null } }, spec: { storageClassName: "fast" } },
      },
    ),
    rule(["spec.resources.requests.storage", "update", "Forbidden", "shrink only to more than status.capacity"], {
      ...inSpec("resources.requests.storage", "Forbidden", size("1Gi"), size("2Gi")),
      prior: { spec: size("3Gi"), status: bound() },
    }),
    rule([`metadata.annotations.${oldClass}`, "update", "Invalid", "immutable"], {
      at: `metadata.annotations.${oldClass}`,
      reason: "Invalid",
      prior: { metadata: { annotations: { [oldClass]: "fast" } } },
      broken: { metadata: { annotations: { [oldClass]: "slow" } } },
      held: { metadata: { annotations: { other: "" } } },
    }),
    rule(["volumeMode", "update", "Invalid", "immutable (path without spec)"], {
      at: "volumeMode",
      reason: "Invalid",
      prior: {},
      broken: { spec: { volumeMode: "Block" } },
      held: { spec: { volumeMode: "Filesystem" } },
    }),
    rule(
      [
        "spec.volumeAttributesClassName",
        "update",
        "Forbidden",
        'not nil and not "" once status.currentVolumeAttributesClassName set',
      ],
      ...[null, ""].map((none): Case => ({
        ...inSpec("volumeAttributesClassName", "Forbidden", { volumeAttributesClassName: none }, { volumeAttributesClassName: "b" }),
        prior: { spec: { volumeAttributesClassName: "a" }, status: bound({ currentVolumeAttributesClassName: "a" }) },
      })),
    ),
    partly(["resourceVersion", "status", "Required", "non-empty"], { all: "that of what is stored is put in before the check" }),
    partly(["Spec.accessModes", "status", "Required", "non-empty"], { all: "a write of the status leaves the spec alone" }),
    rule(
      ["status.capacity[k]", "status", "Invalid", ">= 0"],
      inStatus("capacity[storage]", "Invalid", { capacity: { storage: "-1" } }, { capacity: { storage: "0" } }),
    ),
    rule(
      [
        "status.allocatedResourceStatuses",
        "status",
        "NotSupported / Invalid",
        "key storage or qualified custom; value ControllerResizeInProgress, ControllerResizeInfeasible, NodeResizePending, NodeResizeInProgress, NodeResizeInfeasible",
      ],
      ...([["cpu", "NodeResizePending", "NotSupported"], ["storage", "Odd", "NotSupported"], [
        "a b",
        "NodeResizePending",
        "Invalid",
      ]] as const)
        .map(([key, status, reason]) =>
          inStatus("allocatedResourceStatuses", reason, { allocatedResourceStatuses: { [key]: status } }, {
            allocatedResourceStatuses: { storage: "ControllerResizeInfeasible", "example.com/a": "NodeResizeInProgress" },
          })
        ),
    ),
    rule(
      ["status.allocatedResources[k]", "status", "NotSupported / Invalid", "key storage or qualified custom; >= 0; integer"],
      inStatus("allocatedResources", "NotSupported", { allocatedResources: { cpu: "1" } }, {
        allocatedResources: { "example.com/a": "1" },
      }),
      // A fraction is accepted: in upstream storage is divisible, despite the rule's text.
      ...["-1"].map((wrong) =>
        inStatus("allocatedResources[storage]", "Invalid", { allocatedResources: { storage: wrong } }, {
          allocatedResources: { storage: "0" },
        })
      ),
    ),
  ],
};
