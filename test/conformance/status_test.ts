// The status subresource, as used by controllers: read, patched and replaced at its own path only, which changes nothing else.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Change, merged } from "../validation/rule.ts";
import { tables } from "../validation/tables.ts";
import { objectOf } from "./kinds.ts";
import { world } from "./world.ts";

const time = "2024-01-02T03:04:05Z";
const condition = (of: Change): Change => ({
  type: "Odd",
  status: "True",
  lastTransitionTime: time,
  reason: "Tried",
  message: "by hand",
  ...of,
});
const old = (status: string): Change => ({ type: "Odd", status, lastUpdateTime: time, reason: "Tried" });

interface Statuses {
  readonly patched: Change;
  readonly replaced: Change;
  /** Fields that a write of the status must not change: a JSON merge patch to the rest of the object. */
  readonly beyond: Change;
}
/** Resources whose status path ignores labels as well, as upstream's. */
const withoutLabels = ["volumeattachments", "storageversionmigrations"];

/** By path of the collection. */
const statuses: Readonly<Record<string, Statuses>> = {
  "/api/v1/namespaces": {
    patched: { conditions: [condition({})] },
    replaced: { conditions: [condition({ status: "False" })] },
    beyond: { spec: { finalizers: ["example.com/another"] } },
  },
  "/api/v1/persistentvolumes": {
    patched: { phase: "Available", message: "patched", reason: "Tried" },
    replaced: { phase: "Failed", message: "replaced", reason: "Tried" },
    beyond: { spec: { persistentVolumeReclaimPolicy: "Delete" } },
  },
  "/api/v1/namespaces/default/persistentvolumeclaims": {
    patched: { phase: "Pending", conditions: [condition({ lastProbeTime: time })] },
    replaced: { phase: "Lost", conditions: [condition({ lastProbeTime: time, status: "False" })] },
    beyond: { spec: { volumeName: "no-such-volume" } },
  },
  "/apis/storage.k8s.io/v1/volumeattachments": {
    patched: { attached: true, attachmentMetadata: { device: "a" } },
    replaced: { attached: false, detachError: { time, message: "it is still in use" } },
    beyond: { spec: { nodeName: "another" } },
  },
  "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations": {
    patched: { conditions: [condition({ type: "Running" })] },
    replaced: { conditions: [condition({ type: "Running", status: "False" }), condition({ type: "Succeeded" })] },
    beyond: { spec: { resource: { resource: "others" } } },
  },
  "/apis/storagemigration.k8s.io/v1alpha1/storageversionmigrations": {
    patched: { conditions: [old("True")] },
    replaced: { conditions: [old("False")] },
    beyond: { spec: { continueToken: "others" } },
  },
};

/** The members of an object that are in `status`. */
const named = (status: Change, object: any) => Object.fromEntries(Object.keys(status).map((key) => [key, object.status?.[key]]));

describe("the status of an object", () => {
  const { ask, create, patch, put, remove } = world();

  test("has its own path for the kinds tested here, and for no others", async () => {
    const roots = [...new Set(tables.map(({ path }) => /^\/api\/v1|^\/apis\/[^/]+\/[^/]+/.exec(path)![0]))];
    const found = await Promise.all(
      roots.map(async (root) => (await ask(200, root)).resources.map(({ name }: { name: string }) => `${root} ${name}`)),
    );
    // A controller writes the status of quotas; recordings and test/quotas try it. Recordings try those of pods, nodes and services.
    const elsewhere = [
      "/api/v1 resourcequotas/status",
      "/api/v1 pods/status",
      "/api/v1 nodes/status",
      "/api/v1 services/status",
      "/api/v1 replicationcontrollers/status",
    ];
    const tried = Object.keys(statuses).map((path) => path.replace("/namespaces/default", "").replace(/\/(\w+)$/, " $1/status"));
    assert.deepEqual(found.flat().filter((each: string) => each.endsWith("/status")).toSorted(), [...tried, ...elsewhere].toSorted());
  });

  for (const [path, { patched, replaced, beyond }] of Object.entries(statuses)) {
    test(`of ${path}`, async () => {
      const kind = tables.find((each) => each.path === path)!, one = `${path}/one`;
      const made = await create(path, merged(objectOf(kind, "one"), { status: patched }) as object);
      assert.notDeepEqual(named(patched, made), patched, "not given at creation");
      assert.notDeepEqual(named(patched, await patch(one, { status: patched })), patched, "not written at the object's path");

      const labels = (by: string) =>
        withoutLabels.some((each) => path.endsWith(each)) ? made.metadata.labels : { ...made.metadata.labels, by };

      const once = await patch(`${one}/status`, merged({ status: patched, metadata: { labels: { by: "patch" } } }, beyond) as object);
      assert.deepEqual(named(patched, once), patched);
      assert.deepEqual([once.spec, once.metadata.labels], [made.spec, labels("patch")]);
      assert.deepEqual(await ask(200, `${one}/status`), once);
      assert.deepEqual(await ask(200, one), once, "one object at both paths");

      const body = merged({ ...once, status: replaced }, { metadata: { labels: { by: "put" } } });
      const twice = await put(`${one}/status`, merged(body, beyond) as object);
      assert.deepEqual(named(replaced, twice), replaced);
      assert.deepEqual([twice.spec, twice.metadata.labels], [made.spec, labels("put")]);
      const stale = await ask(409, `${one}/status`, { method: "PUT", body: { ...once, status: patched } });
      assert.equal(stale.reason, "Conflict");
      const later = await put(one, { ...twice, metadata: { ...twice.metadata, annotations: { by: "put" } }, status: patched });
      assert.deepEqual(later.status, twice.status, "the object's path leaves it alone");
      await ask(405, `${one}/status`, { method: "DELETE" });
      await remove(one);
    });
  }
});
