// Slices of Endpoints that a client writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";

test("Endpoints of a service without a selector have a slice, which follows them and goes with them", async () => {
  await using world = await openSimulation();
  const { api } = world;
  const slices = async () =>
    ((await api.list("discovery.k8s.io/v1", "endpointslices", "default", { labelSelector: "kubernetes.io/service-name=own" }))
      .items as any[])
      .map(({ ports, endpoints, metadata }) => ({
        ports: ports.map(({ port }: any) => port),
        endpoints: endpoints.map(({ addresses, conditions }: any) => `${addresses} ${conditions.ready}`),
        notes: metadata.annotations,
        manager: metadata.labels["endpointslice.kubernetes.io/managed-by"],
      }));
  await api.create("v1", "services", "default", { metadata: { name: "own" }, spec: { ports: [{ port: 80 }] } });
  const subsets = [{ ports: [{ port: 80 }], addresses: [{ ip: "10.1.2.3" }], notReadyAddresses: [{ ip: "10.1.2.4" }, { ip: "10.1.2.3" }] }];
  await api.create("v1", "endpoints", "default", { metadata: { name: "own", annotations: { a: "b" } }, subsets });
  const manager = "endpointslicemirroring-controller.k8s.io";
  await eventually(async () =>
    assert.deepEqual(await slices(), [{ ports: [80], endpoints: ["10.1.2.3 true", "10.1.2.4 false"], notes: { a: "b" }, manager }])
  );
  await api.patch("v1", "endpoints", "default", "own", {
    merge: { subsets: [{ ports: [{ port: 81 }], addresses: [{ ip: "10.9.9.9" }] }] },
  });
  await eventually(async () =>
    assert.deepEqual(await slices(), [{ ports: [81], endpoints: ["10.9.9.9 true"], notes: { a: "b" }, manager }])
  );
  await api.patch("v1", "endpoints", "default", "own", {
    merge: { metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } } },
  });
  await eventually(async () => assert.deepEqual(await slices(), []));
  await api.patch("v1", "endpoints", "default", "own", { merge: { metadata: { labels: null } } });
  await eventually(async () => assert.equal((await slices()).length, 1));
  await api.delete("v1", "endpoints", "default", "own");
  await eventually(async () => assert.deepEqual(await slices(), []));
});
