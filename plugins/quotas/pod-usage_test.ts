// In Deno's suite only: admission steps use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { usageOf } from "./usage.ts";

const at = Date.parse("2024-01-02T03:00:00Z") / 1000;
const usage = usageOf("", "pods", { names: defaultNames, gates: (name) => name === "PodLevelResources", seconds: () => at })!;
const container = (name: string, requests: object = {}, limits: object = {}, rest: object = {}) => ({
  name,
  resources: { requests, limits },
  ...rest,
});
const podOf = (spec: object, status: object = {}, metadata: object = {}): any => ({
  metadata: { name: "a", ...metadata },
  spec: { containers: [], ...spec },
  status,
});
const used = (...args: Parameters<typeof podOf>) => {
  const { pods: _pods, "count/pods": _count, ...rest } = usage.of(podOf(...args));
  return rest;
};

test("a pod uses what its containers and its overhead ask for", () => {
  const spec = {
    containers: [
      container("c", { cpu: "1", "ephemeral-storage": "1Gi", "example.com/x": "2", "hugepages-2Mi": "4Mi" }, { cpu: "2" }),
      container("d", { cpu: "1" }),
    ],
    overhead: { cpu: "500m", memory: "1Mi" },
  };
  assert.deepEqual(used(spec), {
    cpu: "2500m",
    "requests.cpu": "2500m",
    "limits.cpu": "2500m",
    memory: "1Mi",
    "requests.memory": "1Mi",
    "ephemeral-storage": "1Gi",
    "requests.ephemeral-storage": "1Gi",
    "requests.example.com/x": "2",
    "hugepages-2Mi": "4Mi",
    "requests.hugepages-2Mi": "4Mi",
  });
});

test("resources of the whole pod replace those of its containers", () => {
  const spec = { containers: [container("c", { cpu: "1", "example.com/x": "1" })], resources: { requests: { cpu: "3" } } };
  assert.deepEqual(used(spec), { cpu: "3", "requests.cpu": "3", "requests.example.com/x": "1" });
});

test("a container counts with the larger of what it asks for and what it has, unless its resize is impossible", () => {
  const containers = [container("c", { cpu: "1" })];
  const containerStatuses = [{ name: "c", resources: { requests: { cpu: "2" } }, allocatedResources: { cpu: "3" } }];
  const cpu = (status: object, spec: object = { containers }) => used(spec, status)["requests.cpu"];
  assert.equal(cpu({ containerStatuses }), "3");
  assert.equal(cpu({ containerStatuses: [{ name: "c", resources: {} }] }), "1");
  const big = { containers: [container("c", { cpu: "9" })] };
  assert.equal(cpu({ containerStatuses }, big), "9");
  assert.equal(cpu({ containerStatuses, conditions: [{ type: "PodResizePending", reason: "Infeasible" }] }, big), "3");
});

test("a pod that has ended, or whose time to end is over, counts as an object only", () => {
  const spec = { containers: [container("c", { cpu: "1" })] };
  const deleted = (deletionTimestamp: string) => usage.of(podOf(spec, {}, { deletionTimestamp, deletionGracePeriodSeconds: 30 }));
  for (const phase of ["Succeeded", "Failed"]) assert.deepEqual(usage.of(podOf(spec, { phase })), { "count/pods": "1" });
  assert.deepEqual(deleted("2024-01-02T02:59:29Z"), { "count/pods": "1" });
  assert.equal(deleted("2024-01-02T02:59:30Z")["pods"], "1");
});

test("quotas limit compute resources, extended ones and devices", () => {
  const names = ["pods", "count/pods", "cpu", "limits.memory", "requests.example.com/x", "hugepages-1Gi", "requests.hugepages-1Gi"];
  const device = "requests.deviceclass.resource.kubernetes.io/gpu";
  assert.deepEqual(usage.matching([...names, device]), [...names, device]);
  assert.deepEqual(usage.matching(["secrets", "example.com/x", "requests.storage", "requests.x.kubernetes.io/y", "count/jobs.batch"]), []);
});

test("scopes divide pods by deadline, quality of service, priority and affinity", () => {
  const scopes = (spec: object, ...more: readonly object[]) =>
    [
      ...["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity"].map((scopeName) => ({ scopeName })),
      ...more,
    ]
      .map((scope: any) => usage.isIn({ operator: "Exists", ...scope }, podOf(spec)) ? "y" : "n").join("");
  assert.equal(scopes({ containers: [container("c")] }), "nyynn");
  assert.equal(scopes({ containers: [container("c", { cpu: "1" })], activeDeadlineSeconds: 0 }), "ynnyn");
  const other = (term: object) => ({
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: term }] } },
  });
  assert.equal(scopes({ containers: [], ...other({ namespaceSelector: {} }) }).at(-1), "y");
  assert.equal(scopes({ containers: [], ...other({ namespaces: [] }) }).at(-1), "n");
  const priority = (operator: string, ...values: readonly string[]) => ({ scopeName: "PriorityClass", operator, values });
  const all = [priority("In", "a"), priority("NotIn", "a"), priority("Exists"), priority("DoesNotExist")];
  assert.equal(scopes({ priorityClassName: "a" }, ...all).slice(5), "ynyn");
  assert.equal(scopes({}, ...all).slice(5), "nyny");
});

test("each container says what a quota limits, unless the whole pod does", () => {
  const spec = { containers: [container("b"), container("a", { cpu: "1" })], initContainers: [container("i", {}, { memory: "1" })] };
  const limited = ["limits.memory", "requests.cpu", "pods", "requests.example.com/x"];
  assert.equal(usage.missing!(podOf(spec), limited), "must specify limits.memory for: a,b; requests.cpu for: b,i");
  assert.equal(usage.missing!(podOf(spec), ["pods"]), undefined);
  assert.equal(usage.missing!(podOf({ ...spec, resources: { limits: { cpu: "1" } } }), limited), undefined);
});

test("creations, resizes and changes of the deadline are charged", () => {
  const plain = podOf({}), ending = podOf({ activeDeadlineSeconds: 5 });
  assert.deepEqual([usage.charges(true, ""), usage.charges(true, "binding"), usage.charges(false, "resize", plain, plain)], [
    true,
    false,
    true,
  ]);
  assert.deepEqual([
    usage.charges(false, "", plain, plain),
    usage.charges(false, "", ending, plain),
    usage.charges(false, "status", ending, plain),
  ], [
    false,
    true,
    false,
  ]);
});
