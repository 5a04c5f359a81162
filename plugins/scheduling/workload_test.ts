// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../toolbox.ts";
import { openTestServer } from "../../testing.ts";
import { defaultNames } from "../../core/names.ts";
import { noMetric } from "../../core/test-context.ts";
import { podGroupsMax, workloads } from "./workload.ts";
import type { Workload, WorkloadSpec } from "./workload-schema.ts";

const group = { name: "workers", policy: { gang: { minCount: 2 } } };
const controllerRef = { apiGroup: "batch", kind: "Job", name: "train" };
const made = (spec: object): Workload =>
  ({
    apiVersion: "scheduling.k8s.io/v1alpha1",
    kind: "Workload",
    metadata: { name: "w", namespace: "default", resourceVersion: "1" },
    spec: { podGroups: [group], ...spec } as WorkloadSpec, // also wrong values
  }) as Workload;
const context = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "scheduling.k8s.io/v1alpha1",
  minCompatibility: "1.35",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const created = (spec: object) => workloads.create!(made(spec), context).map(fieldErrorText);
const updated = (next: object, prior: object) => workloads.update!(made(next), made(prior), context).map(fieldErrorText);

test("a Workload has one to eight groups with different names", () => {
  const groups = (count: number) => Array.from({ length: count }, (_, i) => ({ ...group, name: `g${i}` }));
  assert.deepEqual(created({}), []);
  assert.deepEqual(created({ podGroups: groups(podGroupsMax) }), []);
  assert.deepEqual(created({ podGroups: [] }), ["spec.podGroups: Required value: must have at least one item"]);
  assert.deepEqual(created({ podGroups: groups(podGroupsMax + 1) }), ["spec.podGroups: Too many: 9: must have at most 8 items"]);
  assert.deepEqual(created({ podGroups: [group, group] }), ['spec.podGroups[1].name: Duplicate value: "workers"']);
  assert.deepEqual(created({ podGroups: [{ ...group, name: "a.b" }] }), [
    'spec.podGroups[0].name: Invalid value: "a.b": must not contain dots',
  ]);
});

test("a group of a Workload has one policy, and a gang at least one pod", () => {
  const of = (policy: object) => created({ podGroups: [{ name: "a", policy }] });
  const at = "spec.podGroups[0].policy", needed = "exactly one of `basic`, `gang` is required";
  assert.deepEqual(of({ basic: {} }), []);
  assert.deepEqual(of({}), [`${at}: Required value: ${needed}`]);
  assert.deepEqual(of({ basic: {}, gang: { minCount: 0 } }), [
    `${at}: Invalid value: "{\`basic\`, \`gang\`}": ${needed}, but multiple fields are set`,
  ]);
  assert.deepEqual(of({ gang: { minCount: 1 } }), []);
  assert.deepEqual(of({ gang: { minCount: 0 } }), [`${at}.gang.minCount: Invalid value: 0: must be greater than zero`]);
});

test("the controller of a Workload has a kind and a name", () => {
  assert.deepEqual(created({ controllerRef }), []);
  assert.deepEqual(created({ controllerRef: { kind: "", name: "a/b" } }), [
    "spec.controllerRef.kind: Required value",
    "spec.controllerRef.name: Invalid value: \"a/b\": may not contain '/'",
  ]);
  assert.match(
    created({ controllerRef: { ...controllerRef, apiGroup: "B" } }).join(),
    /^spec\.controllerRef\.apiGroup: Invalid value: "B"/,
  );
});

test("groups of a Workload cannot change, and its controller cannot once it is set", () => {
  const why = "field is immutable";
  assert.deepEqual(updated({ controllerRef }, {}), []);
  assert.deepEqual(updated({ controllerRef: { ...controllerRef, apiGroup: "" } }, { controllerRef: { kind: "Job", name: "train" } }), []);
  assert.deepEqual(updated({}, { controllerRef }), [`controllerRef: Invalid value: null: ${why}`]);
  assert.deepEqual(updated({ controllerRef: { ...controllerRef, name: "b" } }, { controllerRef }), [
    `controllerRef: Invalid value: {"APIGroup":"batch","Kind":"Job","Name":"b"}: ${why}`,
  ]);
  assert.deepEqual(updated({ podGroups: [{ name: "workers", policy: { basic: {} } }] }, {}), [
    `podGroups: Invalid value: [{"Name":"workers","Policy":{"Basic":{},"Gang":null}}]: ${why}`,
  ]);
});

test("a Workload is served with its gate and its version on, and pods refer to it", async () => {
  const path = "/apis/scheduling.k8s.io/v1alpha1/namespaces/default/workloads";
  const open = (gate: boolean, version: boolean) =>
    openTestServer({
      settings: {
        "feature-gates": { GenericWorkload: gate },
        "runtime-config": { "scheduling.k8s.io/v1alpha1": version },
        "disable-admission-plugins": ["ServiceAccount"],
      },
    });
  const post = async (server: Awaited<ReturnType<typeof open>>, at: string, body: object) =>
    await server.handle(
      new Request(`http://localhost${at}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    );
  for (const [gate, version] of [[false, true], [true, false]] as const) {
    await using server = await open(gate, version);
    assert.equal((await server.handle(new Request(`http://localhost${path}`))).status, 404);
  }
  await using server = await open(true, true);
  const { resourceVersion: _, ...metadata } = made({}).metadata;
  assert.equal((await post(server, path, { ...made({ controllerRef }), metadata })).status, 201);
  const pod = (workloadRef: object) => ({
    metadata: { generateName: "p-" },
    spec: { containers: [{ name: "c", image: "a" }], workloadRef },
  });
  const kept = await post(server, "/api/v1/namespaces/default/pods", pod({ name: "w", podGroup: "workers", podGroupReplicaKey: "0" }));
  assert.deepEqual((await kept.json()).spec.workloadRef, { name: "w", podGroup: "workers", podGroupReplicaKey: "0" });
  const wrong = await post(server, "/api/v1/namespaces/default/pods", pod({ name: "W", podGroup: "a.b", podGroupReplicaKey: "c.d" }));
  const { details } = await wrong.json();
  assert.deepEqual([wrong.status, details.causes.map(({ field }: { field: string }) => field)], [
    422,
    ["name", "podGroup", "podGroupReplicaKey"].map((each) => `spec.workloadRef.${each}`),
  ]);
});
