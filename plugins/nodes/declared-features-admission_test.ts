// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeRequestContext } from "../../core/test-context.ts";
import { nodeDeclaredFeatureValidator } from "./declared-features-admission.ts";
import { declaredFeaturesGate } from "./node.ts";
import { hookContext } from "./test-context.ts";

const cpu = "GuaranteedQoSPodCPUResize", whole = "InPlacePodLevelResourcesVerticalScaling";
const pod = (generation: number, requests: object, { qosClass = "Guaranteed", resources, nodeName = "n" }: any = {}): any => ({
  metadata: { name: "p", generation },
  spec: { nodeName, containers: [{ resources: { requests } }], ...(resources === undefined ? {} : { resources }) },
  status: { qosClass },
});

/** The reason against an update, with the features that the node declares. */
function refused(
  next: any,
  prior: any,
  declaredFeatures: readonly string[] = [],
  { on = [declaredFeaturesGate], subresource = "resize" } = {},
) {
  const read = {
    get: (...[, , , name]: string[]) => Promise.resolve(name === "n" ? { metadata: {}, status: { declaredFeatures } } as any : undefined),
  };
  return nodeDeclaredFeatureValidator.refuse!(next, prior, fakeRequestContext({ ...hookContext({ on }), subresource }, { read }));
}

test("a resize of a pod needs the features that its node declares", async () => {
  const lacks = (...names: readonly string[]) => `pod update requires features ${names.join(", ")} which are not available on node "n"`;
  const one = pod(1, { cpu: "1" }), two = pod(2, { cpu: "2" });
  assert.equal(await refused(two, one), lacks(cpu));
  assert.equal(await refused(two, one, [cpu]), undefined);
  assert.equal(await refused(pod(2, { cpu: "1000m", memory: "1Gi" }), one), undefined, "the amount of CPU is the same");
  assert.equal(await refused(pod(2, { cpu: "2" }, { qosClass: "Burstable" }), pod(1, { cpu: "1" }, { qosClass: "Burstable" })), undefined);
  assert.equal(await refused(pod(2, { cpu: "2" }, { resources: { limits: { cpu: "2" } } }), one), lacks(cpu, whole));
  assert.equal(await refused(pod(2, { cpu: "2" }, { nodeName: "gone" }), one), 'node "gone" not found');
});

test("pods without a node, unchanged ones, other subresources, creations and a gate that is off need none", async () => {
  const one = pod(1, { cpu: "1" }), two = pod(2, { cpu: "2" });
  assert.equal(await refused(pod(2, { cpu: "2" }, { nodeName: "" }), one), undefined);
  assert.equal(await refused(pod(1, { cpu: "2" }), one), undefined);
  assert.equal(await refused(two, one, [], { subresource: "status" }), undefined);
  assert.equal(await refused(two, undefined), undefined);
  assert.equal(await refused(two, one, [], { on: [] }), undefined);
});
