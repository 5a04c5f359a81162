// Claims and volumes that are made for each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";

test("a claim that names its volume is bound when the volume comes, with the volume's class of attributes", async () => {
  await using world = await openSimulation();
  const { api } = world, storage = "1Gi", accessModes = ["ReadWriteOnce"], volumeAttributesClassName = "gold";
  await api.create("v1", "persistentvolumeclaims", "default", {
    metadata: { name: "c" },
    spec: { storageClassName: "", volumeName: "v", accessModes, volumeAttributesClassName, resources: { requests: { storage } } },
  });
  await api.create("v1", "persistentvolumes", "", {
    metadata: { name: "v" },
    spec: {
      ...{ storageClassName: "", accessModes, volumeAttributesClassName, capacity: { storage } },
      csi: { driver: "fake.csi.k8s.io", volumeHandle: "handle" },
      claimRef: { namespace: "default", name: "c" },
    },
  });
  await eventually(async () => {
    const { status } = await api.get("v1", "persistentvolumeclaims", "default", "c") as any;
    assert.deepEqual([status.phase, status.currentVolumeAttributesClassName], ["Bound", "gold"]);
  });
});
