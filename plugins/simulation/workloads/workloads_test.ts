import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../../testing.ts";
import { eventually } from "../test-world.ts";

const template = (name: string, image = "app:1", more: object = {}) => ({
  metadata: { labels: { app: name } },
  spec: {
    containers: [{ name: "app", image, ports: [{ name: "http", containerPort: 8080 }], resources: { requests: { cpu: "100m" } } }],
    ...more,
  },
});

const workload = (name: string, replicas: number, more: object = {}) => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name), ...more },
});

/** A server with a simulated cluster, and how a test asks it. Statuses are read as they come. */
async function openCluster() {
  const server = await openTestServer({ simulate: true }), { api } = server;
  const get = async (version: string, resource: string, name: string): Promise<any> => await api.get(version, resource, "default", name);
  const list = async (version: string, resource: string): Promise<readonly any[]> => (await api.list(version, resource, "default")).items;
  const create = (version: string, resource: string, object: object) => api.create(version, resource, "default", object);
  const change = (version: string, resource: string, name: string, merge: object) =>
    api.patch(version, resource, "default", name, { merge });
  const images = async (app: string) =>
    (await list("v1", "pods")).filter(({ metadata }) => metadata.labels?.app === app && metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec.containers[0].image).sort();
  return { ...server, api, get, list, create, change, images };
}

test("a deployment makes pods, scales, rolls, goes back, and cleans up its history", async () => {
  await using cluster = await openCluster();
  const { create, change, get, list, images } = cluster;
  const isRolledOut = (replicas: number) => async () => {
    const { metadata, status } = await get("apps/v1", "deployments", "web");
    const { updatedReplicas, availableReplicas, replicas: all, observedGeneration } = status;
    assert.deepEqual([updatedReplicas, availableReplicas, all], [replicas, replicas, replicas]);
    assert.equal(observedGeneration, metadata.generation);
  };
  await create("apps/v1", "deployments", workload("web", 3, { revisionHistoryLimit: 1 }));
  await eventually(isRolledOut(3));
  for (const image of ["app:2", "app:3"]) {
    await change("apps/v1", "deployments", "web", { spec: { template: template("web", image) } });
    await eventually(isRolledOut(3));
    await eventually(async () => assert.deepEqual(await images("web"), [image, image, image]));
  }
  await eventually(async () => assert.equal((await list("apps/v1", "replicasets")).length, 2));
  const revisions = (await list("apps/v1", "replicasets")).map(({ metadata, spec }) => [
    metadata.annotations["deployment.kubernetes.io/revision"],
    spec.replicas,
  ]);
  assert.deepEqual(revisions.sort(), [["2", 0], ["3", 3]]);
  await change("apps/v1", "deployments", "web", { spec: { template: template("web", "app:2"), replicas: 5 } });
  await eventually(isRolledOut(5));
  const { metadata, status } = await get("apps/v1", "deployments", "web");
  assert.equal(metadata.annotations["deployment.kubernetes.io/revision"], "4");
  const conditions = status.conditions.map(({ type, status, reason }: any) => `${type}=${status} ${reason}`).sort();
  assert.deepEqual(conditions, ["Available=True MinimumReplicasAvailable", "Progressing=True NewReplicaSetAvailable"]);
});

test("a deployment that adopts a replica set goes on from its revision, a number of 64 bits", async () => {
  await using cluster = await openCluster();
  const { create, get } = cluster, annotations = { "deployment.kubernetes.io/revision": "3546343826724305832" };
  const old = workload("web", 1);
  await create("apps/v1", "replicasets", { ...old, metadata: { name: "old", labels: { app: "web" }, annotations } });
  await create("apps/v1", "deployments", { ...workload("web", 1), spec: { ...old.spec, template: template("web", "app:2") } });
  await eventually(async () => {
    const { metadata } = await get("apps/v1", "deployments", "web");
    assert.equal(metadata.annotations?.["deployment.kubernetes.io/revision"], "3546343826724305833");
  });
});

test("a rolling update whose pods do not become ready keeps the old ones; a paused one waits; Recreate has no old pod beside a new one", async () => {
  await using cluster = await openCluster();
  const { create, change, get, images } = cluster, broken = { readinessGates: [{ conditionType: "example.com/never" }] };
  await create("apps/v1", "deployments", workload("web", 4));
  await eventually(async () => assert.equal((await get("apps/v1", "deployments", "web")).status.availableReplicas, 4));
  await change("apps/v1", "deployments", "web", { spec: { template: template("web", "app:2", broken) } });
  await eventually(async () => assert.deepEqual(await images("web"), ["app:1", "app:1", "app:1", "app:2", "app:2"]));
  const { status } = await get("apps/v1", "deployments", "web");
  assert.ok(status.availableReplicas >= 3);
  await change("apps/v1", "deployments", "web", { spec: { paused: true, template: template("web", "app:3") } });
  await eventually(async () => {
    const { conditions } = (await get("apps/v1", "deployments", "web")).status;
    assert.equal(conditions.find(({ type }: any) => type === "Progressing").reason, "DeploymentPaused");
  });
  assert.equal((await images("web")).includes("app:3"), false);
  await change("apps/v1", "deployments", "web", { spec: { paused: false, strategy: { type: "Recreate", rollingUpdate: null } } });
  await eventually(async () => assert.deepEqual(await images("web"), ["app:3", "app:3", "app:3", "app:3"]));
});

test("a stateful set makes pods with claims in order, updates down to its partition, and deletes claims when asked", async () => {
  await using cluster = await openCluster();
  const { api, create, change, get, list } = cluster;
  await api.create("storage.k8s.io/v1", "storageclasses", "", { metadata: { name: "fast" }, provisioner: "example.com/fast" });
  const claim = {
    metadata: { name: "data" },
    spec: { storageClassName: "fast", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const stop = new AbortController(), made: string[] = [], ready = new Set<string>();
  const following = (async () => {
    for await (const { type, object } of api.watch("v1", "pods", "default", {}, stop.signal)) {
      const { metadata: { name = "" }, status } = object as any; // a pod
      if (type === "ADDED") made.push(`${name} after ${[...ready].join(", ")}`);
      if (status?.conditions?.some((each: any) => each.type === "Ready" && each.status === "True")) ready.add(name);
    }
  })();
  await create("apps/v1", "statefulsets", workload("db", 3, { serviceName: "db", volumeClaimTemplates: [claim] }));
  await eventually(async () => assert.equal((await get("apps/v1", "statefulsets", "db")).status.availableReplicas, 3));
  await eventually(() => assert.deepEqual(made, ["db-0 after ", "db-1 after db-0", "db-2 after db-0, db-1"]));
  stop.abort();
  await following.catch(() => {});
  await eventually(async () => {
    const claims = (await list("v1", "persistentvolumeclaims")).map(({ metadata, status }) => `${metadata.name} ${status.phase}`);
    assert.deepEqual(claims.sort(), ["data-db-0 Bound", "data-db-1 Bound", "data-db-2 Bound"]);
  });
  await change("apps/v1", "statefulsets", "db", {
    spec: { template: template("db", "app:2"), updateStrategy: { rollingUpdate: { partition: 1 } } },
  });
  const imagesByName = async () =>
    Object.fromEntries((await list("v1", "pods")).map(({ metadata, spec }) => [metadata.name, spec.containers[0].image]));
  await eventually(async () => assert.deepEqual(await imagesByName(), { "db-0": "app:1", "db-1": "app:2", "db-2": "app:2" }));
  await eventually(async () => assert.equal((await get("apps/v1", "statefulsets", "db")).status.updatedReplicas, 2));
  await change("apps/v1", "statefulsets", "db", { spec: { replicas: 1, persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } } });
  await eventually(async () =>
    assert.deepEqual((await list("v1", "persistentvolumeclaims")).map(({ metadata }) => metadata.name), ["data-db-0"])
  );
  await eventually(async () => assert.equal((await api.list("v1", "persistentvolumes", "")).items.length, 1));
});

test("a claim gets the smallest volume that fits, and waits for its first pod if its class says so", async () => {
  await using cluster = await openCluster();
  const { api, create, get } = cluster, accessModes = ["ReadWriteOnce"];
  const volume = (name: string, storage: string, more: object = {}) =>
    api.create("v1", "persistentvolumes", "", {
      metadata: { name },
      spec: { capacity: { storage }, accessModes, hostPath: { path: "/data" }, ...more },
    });
  const claim = (name: string, storageClassName: string, storage: string) =>
    create("v1", "persistentvolumeclaims", {
      metadata: { name },
      spec: { accessModes, storageClassName, resources: { requests: { storage } } },
    });
  const isBoundTo = async (name: string, wanted: string | RegExp) => {
    const { spec, status } = await get("v1", "persistentvolumeclaims", name);
    assert.equal(status.phase, "Bound");
    assert.match(spec.volumeName, new RegExp(wanted));
  };
  await volume("small", "500Mi");
  await volume("large", "10Gi");
  await volume("fitting", "2Gi");
  await volume("other", "1Gi", { storageClassName: "manual" });
  await claim("data", "", "1Gi");
  await eventually(() => isBoundTo("data", "^fitting$"));
  await api.create("storage.k8s.io/v1", "storageclasses", "", {
    metadata: { name: "late" },
    provisioner: "example.com/late",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  await claim("later", "late", "1Gi");
  await claim("marker", "", "3Gi");
  await eventually(() => isBoundTo("marker", "^large$"));
  assert.equal((await get("v1", "persistentvolumeclaims", "later")).status.phase, "Pending");
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "later" } }];
  await create("v1", "pods", { metadata: { name: "first" }, spec: { containers: [{ name: "app", image: "app" }], volumes } });
  await eventually(() => isBoundTo("later", "^pvc-"));
  await eventually(async () => assert.equal((await get("v1", "pods", "first")).status.phase, "Running"));
});

test("a daemon set has a pod on each node that fits", async () => {
  await using cluster = await openCluster();
  const { api, create, get, images } = cluster;
  await create("apps/v1", "daemonsets", {
    metadata: { name: "agent" },
    spec: { selector: { matchLabels: { app: "agent" } }, template: template("agent") },
  });
  await eventually(async () => assert.equal((await get("apps/v1", "daemonsets", "agent")).status.numberAvailable, 1));
  await api.create("v1", "nodes", "", { metadata: { name: "second" } });
  await eventually(async () => assert.equal((await get("apps/v1", "daemonsets", "agent")).status.numberAvailable, 2));
  await cluster.change("apps/v1", "daemonsets", "agent", { spec: { template: template("agent", "app:2") } });
  await eventually(async () => assert.deepEqual(await images("agent"), ["app:2", "app:2"]));
  await api.patch("v1", "nodes", "", "second", { merge: { spec: { taints: [{ key: "example.com/broken", effect: "NoExecute" }] } } });
  await eventually(async () => assert.equal((await get("apps/v1", "daemonsets", "agent")).status.desiredNumberScheduled, 1));
  await eventually(async () => assert.deepEqual(await images("agent"), ["app:2"]));
});

test("an update with surge replaces the pod of a node when the new one has been ready for long enough", async () => {
  await using cluster = await openCluster();
  const { create, change, get, images } = cluster;
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const spec = { selector: { matchLabels: { app: "agent" } }, minReadySeconds: 1, updateStrategy };
  await create("apps/v1", "daemonsets", { metadata: { name: "agent" }, spec: { ...spec, template: template("agent") } });
  await eventually(async () => assert.equal((await get("apps/v1", "daemonsets", "agent")).status.numberAvailable, 1));
  await change("apps/v1", "daemonsets", "agent", { spec: { template: template("agent", "app:2", { hostNetwork: false }) } });
  await eventually(async () => assert.deepEqual(await images("agent"), ["app:1", "app:2"]));
  await eventually(async () => assert.deepEqual(await images("agent"), ["app:2"]));
});

test("jobs run to their completions, by index, are suspended, and go when their time is over", async () => {
  await using cluster = await openCluster();
  const { create, change, get, list } = cluster,
    pod = { metadata: { labels: {} }, spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const job = (name: string, spec: object) => create("batch/v1", "jobs", { metadata: { name }, spec: { ...spec, template: pod } });
  const hasCondition = (name: string, wanted: string) => async () => {
    const { conditions = [] } = (await get("batch/v1", "jobs", name)).status;
    assert.ok(conditions.some(({ type, status }: any) => type === wanted && status === "True"), JSON.stringify(conditions));
  };
  await job("five", { completions: 5, parallelism: 2 });
  await job("indexed", { completions: 4, parallelism: 4, completionMode: "Indexed" });
  await job("later", { suspend: true });
  await job("short", { ttlSecondsAfterFinished: 0 });
  await eventually(hasCondition("five", "Complete"));
  await eventually(hasCondition("indexed", "Complete"));
  await eventually(hasCondition("later", "Suspended"));
  await eventually(async () => await assert.rejects(get("batch/v1", "jobs", "short"), /not found/));
  assert.equal((await get("batch/v1", "jobs", "five")).status.succeeded, 5);
  assert.equal((await get("batch/v1", "jobs", "indexed")).status.completedIndexes, "0-3");
  const names = (await list("v1", "pods")).map(({ metadata }) => metadata);
  assert.equal(names.filter(({ name }) => name.startsWith("later-")).length, 0);
  assert.equal(names.filter(({ finalizers = [] }) => finalizers.length > 0).length, 0, "counted pods have no finalizer");
  await change("batch/v1", "jobs", "later", { spec: { suspend: false } });
  await eventually(hasCondition("later", "Complete"));
});

test("services have the addresses of ready pods, budgets count them, and an autoscaler follows its annotation", async () => {
  await using cluster = await openCluster();
  const { create, change, get, list, api } = cluster;
  await create("v1", "services", {
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] },
  });
  await create("policy/v1", "poddisruptionbudgets", {
    metadata: { name: "web" },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } },
  });
  await create("apps/v1", "deployments", workload("web", 2));
  const addresses = async () => (await get("v1", "endpoints", "web")).subsets?.[0]?.addresses?.length ?? 0;
  await eventually(async () => assert.equal(await addresses(), 2));
  const [slice] = (await list("discovery.k8s.io/v1", "endpointslices")).filter(({ metadata }) =>
    metadata.labels["kubernetes.io/service-name"] === "web"
  );
  assert.deepEqual(slice.ports, [{ name: "", port: 8080, protocol: "TCP" }]);
  assert.deepEqual(
    slice.endpoints.map(({ conditions }: any) => conditions),
    Array(2).fill({ ready: true, serving: true, terminating: false }),
  );
  await eventually(async () => {
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } =
      (await get("policy/v1", "poddisruptionbudgets", "web")).status;
    assert.deepEqual([disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods], [1, 2, 1, 2]);
  });
  const metrics = [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }];
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  await create("autoscaling/v2", "horizontalpodautoscalers", {
    metadata: { name: "web" },
    spec: { scaleTargetRef, maxReplicas: 4, metrics },
  });
  await change("autoscaling/v2", "horizontalpodautoscalers", "web", {
    metadata: { annotations: { "simulation.thole.dev/usage": "cpu=90" } },
  });
  await eventually(async () => assert.equal(await addresses(), 4));
  await change("autoscaling/v2", "horizontalpodautoscalers", "web", {
    metadata: { annotations: { "simulation.thole.dev/usage": "cpu=10" } },
  });
  await eventually(async () => assert.equal(await addresses(), 1));
  await api.delete("v1", "services", "default", "web");
  await eventually(async () => assert.equal((await list("v1", "endpoints")).some(({ metadata }) => metadata.name === "web"), false));
});
