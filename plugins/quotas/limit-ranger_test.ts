// In Deno's suite only: admission steps use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { fakeRequestContext, noMetric } from "../../core/test-context.ts";
import { limitRanger } from "./limit-ranger.ts";

const contextOf = (limits: readonly object[], subresource: string) =>
  fakeRequestContext({
    names: defaultNames,
    gates: (name) => name === "PodLevelResources",
    now: "2024-01-02T03:04:05Z",
    subresource,
    requestVersion: "v1",
    minCompatibility: "1.35",
    caller: { name: "alice", groups: [] },
    metric: noMetric,
  }, { resource: { group: "", plural: "pods" }, server: { recent: () => [{ metadata: { name: "l" }, spec: { limits } } as any] } });

const container = (name: string, requests: object = {}, limits: object = {}) => ({ name, resources: { requests, limits } });
const podOf = (spec: object, metadata: object = {}): any => ({
  metadata: { name: "a", namespace: "ns", ...metadata },
  spec: { containers: [], ...spec },
});

const refused = (pod: any, limits: readonly object[], prior?: any, subresource = "") =>
  limitRanger.refuse!(pod, prior, contextOf(limits, subresource));
const mutated = (pod: any, limits: readonly object[], prior?: any, subresource = "") =>
  limitRanger.mutate!(pod, prior, contextOf(limits, subresource));

test("containers get the defaults that they lack, and an annotation says which", async () => {
  const limits = [{ type: "Container", default: { cpu: "2", memory: "1Gi" }, defaultRequest: { cpu: "1" } }, {
    type: "Pod",
    default: { cpu: "9" },
  }];
  const pod = podOf({
    containers: [container("c"), container("d", { cpu: "3" }, { cpu: "4", memory: "1" })],
    initContainers: [container("i")],
  });
  const { metadata, spec } = await mutated(pod, limits) as any;
  assert.equal(
    metadata.annotations["kubernetes.io/limit-ranger"],
    "LimitRanger plugin set: cpu request for container c; cpu, memory limit for container c; cpu request for init container i; " +
      "cpu, memory limit for init container i",
  );
  assert.deepEqual(spec.containers[0].resources, { requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } });
  assert.deepEqual(spec.containers[1], pod.spec.containers[1]);
  assert.equal(await mutated(pod, limits, pod), pod);
  assert.notEqual(await mutated(pod, limits, pod, "resize"), pod);
  assert.equal(await mutated(pod, [{ type: "Pod", max: { cpu: "1" } }]), pod);
});

test("each bound of containers and of the whole pod is checked", async () => {
  const of = (limit: object, ...containers: readonly object[]) => refused(podOf({ containers }), [{ type: "Container", ...limit }]);
  const min = "minimum cpu usage per Container is 1", max = "maximum cpu usage per Container is 2";
  const ratio = "cpu max limit to request ratio per Container is 2";
  const cases: readonly (readonly [limit: object, requests: object, limits: object, text: string | undefined])[] = [
    [{ min: { cpu: "1" } }, {}, {}, `${min}.  No request is specified`],
    [{ min: { cpu: "1" } }, { cpu: "500m" }, {}, `${min}, but request is 500m`],
    [{ min: { cpu: "1" } }, { cpu: "1" }, { cpu: "500m" }, `${min}, but limit is 500m`],
    [{ min: { cpu: "1" } }, { cpu: "1" }, {}, undefined],
    [{ max: { cpu: "2" } }, {}, {}, `${max}.  No limit is specified`],
    [{ max: { cpu: "2" } }, {}, { cpu: "3" }, `${max}, but limit is 3`],
    [{ max: { cpu: "2" } }, { cpu: "3" }, { cpu: "2" }, `${max}, but request is 3`],
    [{ maxLimitRequestRatio: { cpu: "2" } }, { cpu: "0" }, { cpu: "2" }, `${ratio}, but no request is specified or request is 0`],
    [{ maxLimitRequestRatio: { cpu: "2" } }, { cpu: "1" }, {}, `${ratio}, but no limit is specified or limit is 0`],
    [{ maxLimitRequestRatio: { cpu: "2" } }, { cpu: "300m" }, { cpu: "1" }, `${ratio}, but provided ratio is 3.333333`],
    [{ maxLimitRequestRatio: { cpu: "2" } }, { cpu: "500m" }, { cpu: "1" }, undefined],
  ];
  for (const [limit, requests, limits, text] of cases) assert.equal(await of(limit, container("c", requests, limits)), text);
  const twice = await of({ min: { cpu: "1", memory: "1" } }, container("c"), container("d"));
  assert.equal(twice, `[${min}.  No request is specified, minimum memory usage per Container is 1.  No request is specified]`);
});

test("a pod is bounded by the sum of its containers, or by its own resources", async () => {
  const limits = [{ type: "Pod", max: { cpu: "2" } }], containers = [container("c", {}, { cpu: "2" }), container("d", {}, { cpu: "1" })];
  assert.equal(await refused(podOf({ containers }), limits), "maximum cpu usage per Pod is 2, but limit is 3");
  assert.equal(await refused(podOf({ containers, resources: { limits: { cpu: "2" } } }), limits), undefined);
});

test("updates other than a resize, and pods that are being deleted, are not bounded", async () => {
  const limits = [{ type: "Container", max: { cpu: "1" } }], pod = podOf({ containers: [container("c", {}, { cpu: "2" })] });
  assert.equal(await refused(pod, limits, pod), undefined);
  assert.notEqual(await refused(pod, limits, pod, "resize"), undefined);
  assert.equal(await refused(pod, limits, podOf({}, { deletionTimestamp: "2024-01-02T03:04:05Z" }), "resize"), undefined);
});
