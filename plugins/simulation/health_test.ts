// What tools that wait for the health of objects see in a simulated cluster. The rules are those of Argo CD, told again by what each looks at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "./test-world.ts";

// deno-lint-ignore-file no-explicit-any -- statuses are read as they come.

type Health = "Healthy" | "Progressing" | "Degraded" | "Suspended";
const condition = ({ status }: any, type: string) => status?.conditions?.find((each: any) => each.type === type);
const isSeen = ({ metadata, status }: any) => Number(status.observedGeneration ?? 0) >= Number(metadata.generation);
const byAddress = ({ status }: any): Health => (status.loadBalancer?.ingress ?? []).length > 0 ? "Healthy" : "Progressing";
const when = (isThere: boolean): Health => isThere ? "Healthy" : "Progressing";

/** The health of an object by its kind. */
const rules: Readonly<Record<string, (object: any) => Health>> = {
  deployments(object) {
    const { spec, status } = object;
    if (spec.paused === true) return "Suspended";
    if (isSeen(object) && condition(object, "Progressing")?.reason === "ProgressDeadlineExceeded") return "Degraded";
    const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status;
    return when(isSeen(object) && updatedReplicas >= spec.replicas && replicas <= updatedReplicas && availableReplicas >= updatedReplicas);
  },
  replicasets(object) {
    if (isSeen(object) && condition(object, "ReplicaFailure")?.status === "True") return "Degraded";
    return when(isSeen(object) && (object.status.availableReplicas ?? 0) >= object.spec.replicas);
  },
  statefulsets(object) {
    const { spec, status } = object, from = spec.updateStrategy.rollingUpdate?.partition ?? 0;
    return when(isSeen(object) && (status.readyReplicas ?? 0) >= spec.replicas && (status.updatedReplicas ?? 0) >= spec.replicas - from);
  },
  daemonsets(object) {
    const { desiredNumberScheduled: wanted, updatedNumberScheduled = 0, numberAvailable = 0 } = object.status;
    return when(isSeen(object) && updatedNumberScheduled >= wanted && numberAvailable >= wanted);
  },
  jobs: (object) =>
    condition(object, "Failed") !== undefined ? "Degraded" : condition(object, "Complete") !== undefined ? "Healthy" : "Progressing",
  pods(object) {
    const { spec: { restartPolicy }, status } = object;
    const reasons = (status.containerStatuses ?? []).map(({ state }: any) => state.waiting?.reason ?? "");
    if (restartPolicy === "Always" && reasons.some((reason: string) => /^Err|Error$|BackOff$/.test(reason))) return "Degraded";
    if (status.phase === "Failed") return "Degraded";
    return when(status.phase === "Succeeded" || (restartPolicy === "Always" && condition(object, "Ready")?.status === "True"));
  },
  persistentvolumeclaims: ({ status: { phase } }) => phase === "Lost" ? "Degraded" : when(phase === "Bound"),
  services: (object) => object.spec.type === "LoadBalancer" ? byAddress(object) : "Healthy",
  ingresses: byAddress,
  horizontalpodautoscalers({ status }) {
    const isFault = ({ type, reason }: any) =>
      type === "AbleToScale" && reason.startsWith("Failed") || type === "ScalingActive" && reason === "FailedGetResourceMetric";
    const isGood = ({ type, status }: any) => ["AbleToScale", "ScalingLimited"].includes(type) && status === "True";
    const first = (status.conditions ?? []).find((each: any) => isFault(each) || isGood(each));
    return first === undefined ? "Progressing" : isFault(first) ? "Degraded" : "Healthy";
  },
};

const template = (app: string, annotations: object = {}, more: object = {}) => ({
  metadata: { labels: { app }, annotations },
  spec: { containers: [{ name: "c", image: "i" }], ...more },
});
const workload = (app: string, annotations: object = {}, more: object = {}) => ({
  selector: { matchLabels: { app } },
  template: template(app, annotations),
  ...more,
});
const claim = (name: string) => ({
  accessModes: ["ReadWriteOnce"],
  storageClassName: "fast",
  resources: { requests: { storage: "1Gi" } },
  ...(name === "" ? {} : { volumeName: name }),
});
const never = { "simulation.thole.dev/ready-after": "never" };
const broken = { "simulation.thole.dev/waiting": "ImagePullBackOff" };
const job = (annotations: object) => ({ backoffLimit: 0, template: template("j", annotations, { restartPolicy: "Never" }) });
const ports = [{ port: 80 }], pathless = { defaultBackend: { service: { name: "web", port: { number: 80 } } } };
const scaler = (name: string) => ({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, maxReplicas: 3, minReplicas: 1 });

/** Objects, and the health that each comes to. */
const cases: readonly (readonly [version: string, resource: string, name: string, Health, spec: object, annotations?: object])[] = [
  ["apps/v1", "deployments", "web", "Healthy", workload("web", {}, { replicas: 2 })],
  ["apps/v1", "deployments", "slow", "Progressing", workload("slow", never)],
  ["apps/v1", "deployments", "late", "Degraded", workload("late", broken, { progressDeadlineSeconds: 1 })],
  ["apps/v1", "deployments", "paused", "Suspended", workload("paused", {}, { paused: true })],
  ["apps/v1", "replicasets", "set", "Healthy", workload("set", {}, { replicas: 2 })],
  ["apps/v1", "replicasets", "set-slow", "Progressing", workload("set-slow", never)],
  [
    "apps/v1",
    "replicasets",
    "set-refused",
    "Degraded",
    { ...workload("set-refused"), template: template("set-refused", {}, { serviceAccountName: "missing" }) },
  ],
  ["apps/v1", "statefulsets", "db", "Healthy", workload("db", {}, { serviceName: "db", replicas: 2 })],
  ["apps/v1", "statefulsets", "db-slow", "Progressing", workload("db-slow", never, { serviceName: "db" })],
  ["apps/v1", "daemonsets", "agent", "Healthy", workload("agent")],
  ["apps/v1", "daemonsets", "agent-slow", "Progressing", workload("agent-slow", never)],
  ["batch/v1", "jobs", "done", "Healthy", job({})],
  ["batch/v1", "jobs", "failed", "Degraded", job({ "simulation.thole.dev/exit-code": "1" })],
  ["batch/v1", "jobs", "running", "Progressing", job({ "simulation.thole.dev/run-for": "never" })],
  ["v1", "pods", "one", "Healthy", template("").spec],
  ["v1", "pods", "one-slow", "Progressing", template("").spec, never],
  ["v1", "pods", "one-broken", "Degraded", template("").spec, broken],
  ["v1", "pods", "hook", "Healthy", template("", {}, { restartPolicy: "Never" }).spec, { "argocd.argoproj.io/hook": "PreSync" }],
  ["v1", "pods", "hook-failed", "Degraded", template("", {}, { restartPolicy: "Never" }).spec, {
    "helm.sh/hook": "test",
    "simulation.thole.dev/exit-code": "1",
  }],
  ["v1", "persistentvolumeclaims", "data", "Healthy", claim("")],
  ["v1", "persistentvolumeclaims", "data-waiting", "Progressing", claim("missing")],
  ["v1", "services", "inside", "Healthy", { ports }],
  ["v1", "services", "outside", "Healthy", { ports, type: "LoadBalancer" }],
  ["v1", "services", "outside-never", "Progressing", { ports, type: "LoadBalancer" }, { "simulation.thole.dev/address": "never" }],
  ["v1", "services", "outside-other", "Progressing", { ports, type: "LoadBalancer", loadBalancerClass: "example.com/own" }],
  ["networking.k8s.io/v1", "ingresses", "web", "Healthy", pathless],
  ["networking.k8s.io/v1", "ingresses", "web-never", "Progressing", pathless, { "simulation.thole.dev/address": "never" }],
  ["autoscaling/v2", "horizontalpodautoscalers", "web", "Healthy", scaler("web")],
  ["autoscaling/v2", "horizontalpodautoscalers", "none", "Degraded", scaler("none")],
];

test("each kind becomes healthy, or degraded, or stays in progress, as tools judge it", async () => {
  await using world = await openSimulation();
  const { api } = world;
  await api.create("storage.k8s.io/v1", "storageclasses", "", { metadata: { name: "fast" }, provisioner: "example.com/fast" });
  for (const [version, resource, name, , spec, annotations = {}] of cases) {
    await api.create(version, resource, "default", { metadata: { name, annotations }, spec });
  }
  const health = async ([version, resource, name]: (typeof cases)[number]) =>
    `${resource} ${name} ${rules[resource]!(await api.get(version, resource, "default", name))}`;
  const wanted = cases.map(([, resource, name, health]) => `${resource} ${name} ${health}`);
  await eventually(async () => assert.deepEqual(await Promise.all(cases.map(health)), wanted));
});

test("a load balancer has an address as long as it is one; the address of a client stays, and an annotation decides it", async () => {
  await using world = await openSimulation();
  const { api } = world,
    create = (name: string, more: object = {}, annotations: object = {}) =>
      api.create("v1", "services", "default", { metadata: { name, annotations }, spec: { ports, type: "LoadBalancer", ...more } });
  const entries = async (name: string) => (await api.get("v1", "services", "default", name) as any).status.loadBalancer.ingress;
  await create("first");
  await create("wanted", { loadBalancerIP: "203.0.113.7" });
  await create("named", {}, { "simulation.thole.dev/address": "lb.example.com" });
  await eventually(async () => assert.deepEqual(await entries("first"), [{ ip: "198.18.0.1", ipMode: "VIP" }]));
  await eventually(async () => assert.deepEqual(await entries("wanted"), [{ ip: "203.0.113.7", ipMode: "VIP" }]));
  await eventually(async () => assert.deepEqual(await entries("named"), [{ hostname: "lb.example.com" }]));
  const own = { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } };
  await api.patch("v1", "services", "default", "first", { merge: own }, { subresource: "status" });
  await create("second");
  await eventually(async () => assert.deepEqual(await entries("second"), [{ ip: "198.18.0.2", ipMode: "VIP" }]));
  assert.deepEqual(await entries("first"), [{ ip: "192.0.2.1", ipMode: "VIP" }]);
  for (const type of ["ClusterIP", "LoadBalancer"]) await api.patch("v1", "services", "default", "second", { merge: { spec: { type } } });
  await eventually(async () => assert.match((await entries("second"))?.[0].ip, /^198\.18\.0\.\d$/));
});

test("a claim whose volume is deleted is lost", async () => {
  await using world = await openSimulation();
  const { api } = world, phase = async () => (await api.get("v1", "persistentvolumeclaims", "default", "data") as any).status.phase;
  await api.create("v1", "persistentvolumes", "", {
    metadata: { name: "small" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" }, storageClassName: "fast" },
  });
  await api.create("v1", "persistentvolumeclaims", "default", { metadata: { name: "data" }, spec: claim("small") });
  await eventually(async () => assert.equal(await phase(), "Bound"));
  await api.delete("v1", "persistentvolumes", "", "small");
  await api.patch("v1", "persistentvolumes", "", "small", { merge: { metadata: { finalizers: null } } }).catch(() => {});
  await eventually(async () => assert.equal(await phase(), "Lost"));
});
