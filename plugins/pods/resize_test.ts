// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { noMetric } from "../../core/test-context.ts";
import { pods } from "./pod.ts";

const contextOf = (...gates: readonly string[]) => ({
  names: defaultNames,
  gates: (name: string) => gates.includes(name),
  now: "2024-01-02T03:04:05Z",
  subresource: "resize",
  requestVersion: "v1",
  minCompatibility: "1.35",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
} as const);
const resize = pods.served["v1"]!.subresources!["resize"]!;

const container = (name: string, rest: object = {}) => ({
  name,
  image: "a",
  resources: {},
  imagePullPolicy: "Always",
  terminationMessagePolicy: "File",
  terminationMessagePath: "/dev/termination-log",
  ...rest,
});
const cpu = (requests: object, limits: object = {}) => ({ resources: { requests, limits } });

function podOf(spec: object = {}, status: object = {}, metadata: object = {}): any {
  const meta = { name: "a", namespace: "ns", uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-01T00:00:00Z", generation: 1 };
  return {
    metadata: { ...meta, ...metadata },
    spec: {
      containers: [container("c", cpu({ cpu: "1" }))],
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      schedulerName: "s",
      terminationGracePeriodSeconds: 30,
      securityContext: {},
      ...spec,
    },
    status: { qosClass: "Burstable", ...status },
  };
}

/** The errors of a resize of `prior` to the spec of `next`, and the stored pod. */
function resized(next: object, prior: any = podOf(), gates: readonly string[] = []) {
  const context = contextOf(...gates), stored = resize.write!({ ...prior, spec: { ...prior.spec, ...next } }, prior, context) as any;
  return { stored, errors: resize.update!(stored, prior, context).map(fieldErrorText) };
}

test("a resize changes the resources of containers and nothing else, and counts as a change of the spec", () => {
  const next = { containers: [container("c", { image: "b", ...cpu({ cpu: "2", memory: "1Gi" }) })], hostNetwork: true };
  const { stored, errors } = resized(next);
  assert.deepEqual(errors, []);
  assert.deepEqual(stored.spec.containers, [container("c", cpu({ cpu: "2", memory: "1Gi" }))]);
  assert.deepEqual([stored.spec.hostNetwork, stored.metadata.generation], [undefined, 2]);
  assert.equal(resized({}).stored.metadata.generation, 1);
});

const one = (rest: object) => ({ containers: [container("c", rest)] });
const sidecar = (rest: object) => ({ initContainers: [container("s", { restartPolicy: "Always", ...rest })] });
const refusals: readonly (readonly [what: string, next: object, error: string, prior?: any])[] = [
  [
    "a removed request",
    one(cpu({ memory: "1Gi" })),
    "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
  ],
  [
    "a removed limit",
    one(cpu({ cpu: "1" })),
    "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
    podOf(one(cpu({ cpu: "1" }, { cpu: "2" }))),
  ],
  [
    "another resource",
    one(cpu({ cpu: "1", "example.com/x": "1" }, { "example.com/x": "1" })),
    "spec: Forbidden: only cpu and memory resources are mutable",
  ],
  [
    "a resize policy",
    one({ ...cpu({ cpu: "1" }), resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] }),
    "spec: Forbidden: only cpu and memory resources are mutable",
  ],
  ["another container", { containers: [] }, "spec.containers: Forbidden: containers may not be added or removed on resize"],
  [
    "a renamed container",
    { containers: [container("d", cpu({ cpu: "1" }))] },
    "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize",
  ],
  [
    "a container that ends before the others begin",
    { initContainers: [container("i", cpu({ cpu: "1" }))] },
    "spec: Forbidden: resources for non-sidecar init containers are immutable",
    podOf({ initContainers: [container("i")] }),
  ],
  [
    "another resource of a sidecar",
    sidecar(cpu({ "example.com/x": "1" }, { "example.com/x": "1" })),
    "spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable",
    podOf(sidecar({})),
  ],
  [
    "another quality of service",
    one(cpu({ cpu: "2" })),
    'spec: Invalid value: "Guaranteed": Pod QOS Class may not change as a result of resizing',
    podOf({}, { qosClass: "Guaranteed" }),
  ],
  [
    "a node without support",
    one(cpu({ cpu: "2" })),
    "spec: Forbidden: Pod running on node without support for resize",
    podOf({}, { containerStatuses: [{ name: "c", state: { running: {} } }] }),
  ],
  [
    "a static pod",
    {},
    "[]: Forbidden: static pods cannot be resized",
    podOf({ nodeName: "n" }, {}, {
      annotations: { "kubernetes.io/config.mirror": "x" },
    }),
  ],
  ["a pod of Windows", {}, "[]: Forbidden: windows pods cannot be resized", podOf({ os: { name: "windows" } })],
];

for (const [what, next, error, prior] of refusals) {
  test(`a resize of ${what} is rejected`, () => {
    const { errors } = resized(next, prior);
    assert.equal(errors.length === 0 ? "" : errors.at(-1)!, error);
  });
}

test("a sidecar may be resized", () => {
  assert.deepEqual(resized(sidecar(cpu({ cpu: "2" })), podOf(sidecar({}))).errors, []);
});

test("resources of the whole pod change with their gate only, and are not removed", () => {
  const of = (requests: object) => ({ resources: { requests } }), gates = ["PodLevelResources", "InPlacePodLevelResourcesVerticalScaling"];
  const prior = podOf({ ...of({ cpu: "2" }), ...one({}) });
  assert.match(resized(of({ cpu: "3" }), prior, gates.slice(0, 1)).errors.at(-1)!, /is forbidden when InPlacePodLevelResources/);
  assert.deepEqual(resized(of({ cpu: "3" }), prior, gates).errors, []);
  assert.deepEqual(resized(of({ memory: "1Gi" }), prior, gates).errors, [
    "spec.resources.requests: Forbidden: pod-level resource requests cannot be removed",
  ]);
});
