// The metadata errors that the kinds of this family add to those of every write. They repeat as often as upstream's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import type { Resource } from "../../core/plugin.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import { csiDrivers } from "./csi-driver.ts";
import { csiNodes } from "./csi-node.ts";
import { csiStorageCapacities } from "./csi-storage-capacity.ts";
import { volumeAttachments } from "./volume-attachment.ts";

const at: HookContext = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "storage.k8s.io/v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const driver = { attachRequired: true, podInfoOnMount: false, storageCapacity: false, seLinuxMount: false };
const bodies: Readonly<Record<string, object>> = {
  CSIDriver: { spec: driver },
  CSINode: { spec: { drivers: [] } },
  CSIStorageCapacity: { storageClassName: "a" },
  VolumeAttachment: { spec: { attacher: "a", nodeName: "b", source: { persistentVolumeName: "c" } }, status: { attached: false } },
};
const kinds: readonly Resource[] = [csiDrivers, csiNodes, csiStorageCapacities, volumeAttachments];

/** Number of errors at `path` for an update with this metadata, by kind. */
function errorCounts(metadata: object, path: string): Readonly<Record<string, number>> {
  return Object.fromEntries(kinds.map((resource) => {
    const make = (more: object): any => ({ // `any`: a partial object of the kind
      kind: resource.kind,
      apiVersion: "storage.k8s.io/v1",
      metadata: { name: "a", namespace: resource.scope === "Namespaced" ? "b" : undefined, uid: "u", resourceVersion: "1", ...more },
      ...bodies[resource.kind],
    });
    const errors = resource.update?.(make(metadata), make({}), at) ?? [];
    return [resource.kind, errors.filter((error) => error.path === path).length];
  }));
}

test("finalizers of CSI kinds are qualified names or standard finalizers", () => {
  assert.deepEqual(errorCounts({ finalizers: ["a"] }, "metadata.finalizers[0]"), {
    CSIDriver: 1,
    CSINode: 1,
    CSIStorageCapacity: 2,
    VolumeAttachment: 1,
  });
  assert.deepEqual(errorCounts({ finalizers: ["example.com/a", "orphan"] }, "metadata.finalizers[0]"), {
    CSIDriver: 0,
    CSINode: 0,
    CSIStorageCapacity: 0,
    VolumeAttachment: 0,
  });
});

test("immutable metadata is reported by the kinds that validate it themselves", () => {
  assert.deepEqual(errorCounts({ deletionGracePeriodSeconds: 3 }, "metadata.deletionGracePeriodSeconds"), {
    CSIDriver: 1,
    CSINode: 0,
    CSIStorageCapacity: 1,
    VolumeAttachment: 0,
  });
});
