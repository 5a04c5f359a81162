// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { fakeRequestContext } from "../../core/test-context.ts";
import { taintNodesByCondition } from "./node-admission.ts";
import { declaredFeaturesGate, nodes } from "./node.ts";
import { hookContext } from "./test-context.ts";

const context = hookContext();
const served = nodes.served["v1"]!;
const nodeInfo = { kubeletVersion: "", osImage: "", kernelVersion: "", architecture: "", containerRuntimeVersion: "" };
const kept = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-02T03:04:05Z" };
/** A part of a node; `any`, because many are wrong. */
const node = ({ spec = {}, status = {}, metadata = {} }: { spec?: object; status?: object; metadata?: object } = {}): any => ({
  kind: "Node",
  apiVersion: "v1",
  metadata: { ...kept, ...metadata },
  spec,
  status: { nodeInfo, ...status },
});
const taint = (effect: string, rest: object = {}) => ({ key: "a", effect, ...rest });
const annotated = (key: string, value: string) => ({ metadata: { annotations: { [`scheduler.alpha.kubernetes.io/${key}`]: value } } });
const pathsOf = (errors: readonly { readonly path: string }[] | undefined) => errors?.map(({ path }) => path);

test("each field of a Node is checked", () => {
  const avoided = (podController: object) => JSON.stringify({ preferAvoidPods: [{ podSignature: { podController } }] });
  const at = "metadata.annotations", taintsAt = `${at}.scheduler.alpha.kubernetes.io/taints[0]`;
  const signatureAt = `${at}.scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature`;
  const cases: readonly (readonly [Parameters<typeof node>[0], ...string[]])[] = [
    [{}],
    [{ spec: { taints: [taint("NoSchedule"), taint("NoExecute", { value: "v" })], podCIDRs: ["10.0.0.0/24", "fd00::/64"] } }],
    [{ spec: { taints: [taint("NoSchedule"), taint("NoSchedule", { value: "v" })] } }, "metadata.taints[1]"],
    [{ spec: { taints: [taint("Odd")] } }, "metadata.taints[0].effect"],
    [
      { spec: { taints: [taint("", { key: "a b", value: "c d" })] } },
      ...["key", "value", "effect"].map((key) => `metadata.taints[0].${key}`),
    ],
    [{ spec: { podCIDRs: ["10.0.0.0/33"] } }, "spec.podCIDRs[0]"],
    [{ spec: { podCIDRs: ["10.0.0.0/24", "10.1.0.0/24"] } }, "spec.podCIDRs"],
    [{ spec: { podCIDRs: ["10.0.0.0/24", "fd00::/64", "fd01::/64"] } }, "spec.podCIDRs"],
    [{ spec: { podCIDRs: ["10.0.0.0/24", "x"] } }, "spec.podCIDRs[1]", "spec.podCIDRs", "spec.podCIDRs"],
    [{ status: { capacity: { cpu: "1500m", odd: "1" }, allocatable: { "example.com/a": "1" } } }],
    [{ status: { capacity: { cpu: "-1" }, allocatable: { pods: "1500m" } } }, "status.capacity.cpu", "status.allocatable.pods"],
    [{ status: { nodeInfo: { ...nodeInfo, swap: { capacity: 1 } } } }],
    [{ status: { nodeInfo: { ...nodeInfo, swap: { capacity: 0 } } } }, "metadata.nodeSwapStatus.capacity"],
    [{ status: { declaredFeatures: ["A", "B/c1"] } }],
    [{ status: { declaredFeatures: ["B", "A"] } }, "status.declaredFeatures[1]"],
    [{ status: { declaredFeatures: ["A", "A"] } }, "status.declaredFeatures[1]"],
    [{ status: { declaredFeatures: ["B/1"] } }, "status.declaredFeatures[0]"],
    [{ status: { declaredFeatures: ["A".repeat(253)] } }],
    [{ status: { declaredFeatures: ["A".repeat(254)] } }, "status.declaredFeatures[0]"],
    [annotated("taints", JSON.stringify([taint("NoSchedule")]))],
    [annotated("taints", JSON.stringify([taint("")])), `${taintsAt}.effect`],
    [annotated("taints", "{"), at],
    [annotated("taints", "{}"), at],
    [annotated("taints", '[{"key":1}]'), at],
    [annotated("preferAvoidPods", avoided({ controller: true }))],
    [annotated("preferAvoidPods", avoided({ controller: false })), `${signatureAt}.PodController.Controller`],
    [annotated("preferAvoidPods", '{"preferAvoidPods":[{}]}'), signatureAt],
    [annotated("preferAvoidPods", "[]"), `${at}.AvoidPods`],
  ];
  for (const [parts, ...paths] of cases) assert.deepEqual(pathsOf(nodes.create!(node(parts), context)), paths, JSON.stringify(parts));
});

test("a Node keeps what is set once, at both paths", () => {
  const old = node({ spec: { podCIDRs: ["10.0.0.0/24"], providerID: "a", externalID: "b" } });
  const change = (spec: object) => ({ ...old, spec: { ...old.spec, ...spec } });
  const errors = (next: any) => nodes.update!(next, old, context).map(fieldErrorText);
  assert.deepEqual(errors(change({ unschedulable: true, taints: [taint("NoExecute")] })), []);
  assert.deepEqual(errors(change({ podCIDRs: ["10.1.0.0/24"], providerID: "c", externalID: "" })), [
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    "spec.externalID: Forbidden: may not be updated",
  ]);
  const empty = node();
  assert.deepEqual(nodes.update!(node({ spec: { podCIDRs: ["10.1.0.0/24"], providerID: "c" } }), empty, context), []);
  const address = { type: "InternalIP", address: "192.0.2.1" };
  const { update } = served.subresources!["status"]!;
  const next = node({ status: { addresses: [address, { ...address, type: "ExternalIP" }, address], capacity: { cpu: "-1" } } });
  assert.deepEqual(pathsOf(update!(next, empty, context)), ["status.capacity.cpu", "status.addresses[2]"]);
});

test("the configuration of kubelets is dropped, unless it is stored; a stored one is checked", () => {
  const configMap = { namespace: "n", name: "c", kubeletConfigKey: "k" }, configSource = { configMap };
  const config = { assigned: { configMap: { ...configMap, uid: "u", resourceVersion: "1" } } };
  const plain = node(), of = node({ spec: { configSource }, status: { config, declaredFeatures: ["A"] } });
  assert.deepEqual(nodes.prepare!(of, undefined, context), plain);
  assert.deepEqual(nodes.prepare!(of, undefined, hookContext({ on: [declaredFeaturesGate] })).status.declaredFeatures, ["A"]);
  assert.deepEqual(nodes.prepare!(of, plain, context).spec, {});
  assert.equal(nodes.prepare!(of, of, context), of);
  const { write, update } = served.subresources!["status"]!;
  assert.equal(write!(of, plain, context).status.config, undefined);
  assert.deepEqual(write!(of, of, context).status.config, config);
  assert.deepEqual(update!(of, of, context), []);
  const wrong = node({
    spec: { configSource: { configMap: { ...configMap, uid: "u" } } },
    status: { config: { assigned: configSource, active: {} } },
  });
  assert.deepEqual(pathsOf(update!(wrong, of, context)), [
    "spec.configSource.configMap.uid",
    "status.config.assigned.configMap.uid",
    "status.config.assigned.configMap.resourceVersion",
    "status.config.active",
  ]);
});

test("the first range of pods and their list follow each other", () => {
  const of = (spec: object) => served.applyDefaults!(node({ spec }), defaultNames).spec;
  assert.deepEqual(of({ podCIDR: "a" }), { podCIDR: "a", podCIDRs: ["a"] });
  assert.deepEqual(of({ podCIDRs: ["a", "b"] }), { podCIDR: "a", podCIDRs: ["a", "b"] });
  assert.deepEqual(of({ podCIDR: "c", podCIDRs: ["a", "b"] }), { podCIDR: "c", podCIDRs: ["c"] });
  assert.deepEqual(of({}), {});
});

test("a new Node is tainted as not ready once", async () => {
  const run = (spec: object, prior?: any) => taintNodesByCondition.mutate!(node({ spec }), prior, fakeRequestContext(context));
  const mark = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  assert.deepEqual((await run({ taints: [taint("NoExecute")] })).spec.taints, [taint("NoExecute"), mark]);
  assert.deepEqual((await run({ taints: [{ ...mark, value: "x" }] })).spec.taints, [{ ...mark, value: "x" }]);
  assert.deepEqual((await run({}, node())).spec, {});
});

test("a Node warns about fields of old, and shows its state", () => {
  const of = node({ spec: { externalID: "a", podCIDRs: ["10.0.0.1/24"], configSource: {}, unschedulable: true } });
  assert.equal(nodes.warn!(of, undefined, context).length, 3);
  assert.deepEqual(nodes.warn!(of, undefined, hookContext({ subresource: "status" })), []);
  const cells = (each: any) => served.columns!.filter(({ name }) => name !== "Age").map(({ cell }) => cell!(each));
  assert.deepEqual(cells(of), ["a", "Unknown,SchedulingDisabled", "<none>", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"]);
});
