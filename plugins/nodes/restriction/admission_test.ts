// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeRequestContext } from "../../../core/test-context.ts";
import { openTestServer } from "../../../testing.ts";
import { hookContext } from "../test-context.ts";
import { nodeRestriction } from "./admission.ts";

const caller = { name: "system:node:n1", groups: ["system:nodes"] };
const stored: Readonly<Record<string, any>> = { // `any`: parts of objects
  "nodes n1": { metadata: { name: "n1", uid: "u" } },
  "pods p": {
    metadata: { namespace: "ns", name: "p", uid: "u" },
    spec: { nodeName: "n1", volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { audience: "a" } }] } }] },
  },
  "pods q": { metadata: { namespace: "ns", name: "q", uid: "u" }, spec: { nodeName: "n2" } },
};
const contextOf = (plural: string, subresource = "", requestName = "", user = caller) => ({
  ...fakeRequestContext(hookContext({ subresource }), {
    caller: user,
    resource: { group: "", plural },
    read: { get: (_version, resource, _namespace, name) => Promise.resolve(stored[`${resource} ${name}`]) },
    access: { authorize: () => Promise.resolve({ verdict: "noOpinion", reason: "" }) },
  }),
  requestName,
});
/** The reason against a write, or undefined. */
async function against(work: unknown): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return String((error as Error).message).replace(/^[^:]*forbidden: /, "");
  }
}
const write = (plural: string, next: any, prior?: any, subresource?: string) =>
  against(nodeRestriction.mutate!(next, prior, contextOf(plural, subresource)));
const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "u", controller: true };
const mirror = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: "m", namespace: "ns", annotations: { "kubernetes.io/config.mirror": "" }, ownerReferences: [owner], ...metadata },
  spec: { nodeName: "n1", ...spec },
  status: {},
});

test("a kubelet creates mirror pods of its node that need nothing of the API", async () => {
  assert.equal(await write("pods", mirror()), undefined);
  const only = 'node "n1" can only create pods with';
  const cases: readonly (readonly [object, RegExp])[] = [
    [mirror({}, { annotations: {} }), /can only create mirror pods$/],
    [mirror({ nodeName: "n2" }), new RegExp(`^${only} spec.nodeName set to itself$`)],
    [mirror({}, { ownerReferences: [owner, owner] }), /a single owner reference/],
    [mirror({}, { ownerReferences: [] }), /an owner reference set to itself$/],
    [mirror({}, { ownerReferences: [{ ...owner, controller: false }] }), /a controller owner reference/],
    [mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }), /must not set blockOwnerDeletion/],
    [mirror({}, { ownerReferences: [{ ...owner, uid: "v" }] }), /^node n1 UID mismatch: expected v got u$/],
    [mirror({ serviceAccountName: "a" }), /reference serviceaccounts$/],
    [mirror({ volumes: [{ name: "v", secret: { secretName: "s" } }] }), /reference secrets$/],
    [mirror({ volumes: [{ name: "v", configMap: { name: "s" } }] }), /reference configmaps$/],
    [mirror({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "s" } }] }), /reference persistentvolumeclaims$/],
  ];
  for (const [pod, why] of cases) assert.match(await write("pods", pod) ?? "", why);
});

test("a kubelet writes the status of its pods, and evicts and deletes them", async () => {
  const pod = stored["pods p"], other = stored["pods q"];
  assert.equal(await write("pods", { ...pod, status: {} }, { ...pod, status: {} }, "status"), undefined);
  assert.match(await write("pods", { ...other, status: {} }, { ...other, status: {} }, "status") ?? "", /can only update pod status/);
  assert.match(await write("pods", pod, pod) ?? "", /^unexpected operation "UPDATE"/);
  assert.match(await write("pods", pod, pod, "resize") ?? "", /^unexpected pod subresource "resize"/);
  const evict = (name: string) => against(nodeRestriction.mutateAction!({ metadata: {} }, "eviction", contextOf("pods", "eviction", name)));
  assert.equal(await evict("p"), undefined);
  assert.match(await evict("q") ?? "", /^node n1 can only evict/);
  assert.equal(await nodeRestriction.refuseDelete!(pod, contextOf("pods")), undefined);
  assert.match(await nodeRestriction.refuseDelete!(other, contextOf("pods")) ?? "", /can only delete pods/);
});

test("a kubelet writes its own node, without taints, owners and foreign labels", async () => {
  const node = (labels: object = {}, spec: object = {}, name = "n1") => ({ metadata: { name, labels }, spec, status: {} });
  assert.equal(
    await write("nodes", node({ "kubernetes.io/hostname": "a", "example.com/a": "", "x.kubelet.kubernetes.io/a": "" })),
    undefined,
  );
  assert.match(await write("nodes", node({}, {}, "n2")) ?? "", /not allowed to modify node "n2"$/);
  assert.match(await write("nodes", node({ "node-restriction.kubernetes.io/a": "" })) ?? "", /set the following labels: node-restriction/);
  assert.equal(
    await write("nodes", node({ "x.k8s.io/a": "b" }), node({ "x.k8s.io/a": "" })),
    "is not allowed to modify labels: x.k8s.io/a",
  );
  assert.match(
    await write("nodes", node({}, { taints: [] }), node({}, { taints: [{ key: "a", effect: "NoExecute" }] })) ?? "",
    /modify taints$/,
  );
});

test("a kubelet gets tokens of its pods for their audiences", async () => {
  const token = (spec: object) =>
    against(nodeRestriction.mutateAction!({ metadata: {}, spec }, "token", contextOf("serviceaccounts", "token", "a")));
  const bound = (name: string, uid = "u") => ({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } });
  assert.equal(await token({ ...bound("p"), audiences: ["a"] }), undefined);
  assert.match(await token({}) ?? "", /not bound to a pod$/);
  assert.match(await token(bound("p", "")) ?? "", /without a uid$/);
  assert.match(await token(bound("p", "v")) ?? "", /^the UID in the bound object reference/);
  assert.match(await token(bound("q")) ?? "", /scheduled on a different node$/);
  assert.match(await token({ ...bound("p"), audiences: ["a", "b"] }) ?? "", /0 or 1 audiences$/);
  assert.match(await token({ ...bound("p"), audiences: ["b"] }) ?? "", /^audience "b" not found in pod spec volume/);
});

test("a kubelet writes its lease and its CSINode; other users are not restricted", async () => {
  const lease = (name: string, namespace = "kube-node-lease") => write("leases", { metadata: { name, namespace } });
  assert.equal(await lease("n1"), undefined);
  assert.match(await lease("n2") ?? "", /same name as the requesting node$/);
  assert.match(await lease("n1", "ns") ?? "", /system namespace$/);
  assert.match(await write("csinodes", { metadata: { name: "n2" } }) ?? "", /can only access CSINode/);
  assert.match(await write("resourceslices", { metadata: {}, spec: {} }) ?? "", /can only create ResourceSlice/);
  const claim = { metadata: { name: "c" }, spec: {}, status: { capacity: { storage: "1" } } };
  assert.equal(await write("persistentvolumeclaims", claim, { ...claim, status: {} }, "status"), undefined);
  assert.match(
    await write("persistentvolumeclaims", claim, { ...claim, status: { phase: "Bound" } }, "status") ?? "",
    /other than status.quantity/,
  );
  assert.equal(await write("persistentvolumeclaims", claim), "may only update PVC status");
  const nameless = contextOf("nodes", "", "", { ...caller, name: "system:node:" }),
    alice = contextOf("nodes", "", "", { name: "alice", groups: [] });
  const other: any = { metadata: { name: "n2" }, spec: {} }; // `any`: a part of a node
  assert.match(await against(nodeRestriction.mutate!(other, undefined, nameless)) ?? "", /^could not determine node/);
  assert.equal(await against(nodeRestriction.mutate!(other, undefined, alice)), undefined);
});

test("--enable-admission-plugins=NodeRestriction keeps a kubelet from other nodes", async () => {
  await using server = await openTestServer({
    settings: { "authorization-mode": ["Node", "RBAC"], "enable-admission-plugins": ["NodeRestriction"] },
  });
  const create = async (name: string) => {
    const headers = { "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes", "content-type": "application/json" };
    const body = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name } });
    return (await server.handle(new Request("https://test/api/v1/nodes", { method: "POST", headers, body }))).status;
  };
  assert.deepEqual([await create("n1"), await create("n2")], [201, 403]);
});

test("a kubelet requests certificates for the pods of its node, with their account", async () => {
  const objects: Readonly<Record<string, any>> = { // `any`: parts of objects
    "nodes  n1": { metadata: { uid: "node" } },
    "pods ns p": { metadata: { uid: "pod" }, spec: { nodeName: "n1", serviceAccountName: "a" } },
    "pods ns other": { metadata: { uid: "pod" }, spec: { nodeName: "n2", serviceAccountName: "a" } },
    "pods ns mirror": { metadata: { uid: "pod", annotations: { "kubernetes.io/config.mirror": "" } }, spec: { nodeName: "n1" } },
    "serviceaccounts ns a": { metadata: { uid: "account" } },
  };
  const spec = { nodeName: "n1", nodeUID: "node", podName: "p", podUID: "pod", serviceAccountName: "a", serviceAccountUID: "account" };
  const context = {
    ...contextOf("podcertificaterequests"),
    read: {
      get: (_version: string, resource: string, namespace: string, name: string) =>
        Promise.resolve(objects[`${resource} ${namespace} ${name}`]),
    },
  } as any; // `any`: a part of a context
  const asked = (change: object, prior?: any) =>
    against(nodeRestriction.mutate!({ metadata: { namespace: "ns", name: "r" }, spec: { ...spec, ...change } } as any, prior, context)); // `any`: other kinds have no spec
  assert.equal(await asked({}), undefined);
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ nodeName: "n2" }, /Spec.NodeName="n2", which is not the requesting node "n1"$/],
    [{ nodeUID: "x" }, /names node UID "x", inconsistent with the running node \("node"\)$/],
    [{ podName: "none" }, /^while retrieving pod "ns\/none" named in the PodCertificateRequest: pods "none" not found$/],
    [{ podUID: "x" }, /contains pod UID \("x"\) which differs from running pod "pod"$/],
    [{ podName: "other" }, /^pod "ns\/other" is not running on node "n1"/],
    [{ podName: "mirror" }, /^pod "ns\/mirror" is a mirror pod$/],
    [{ serviceAccountName: "b" }, /contains serviceAccountName \("b"\) that differs from running pod \("a"\)$/],
    [{ serviceAccountUID: "x" }, /names service account UID "x", which differs from the running service account \("account"\)$/],
  ];
  for (const [change, expected] of cases) assert.match(await asked(change) ?? "", expected);
  assert.equal(await asked({}, {}), "unexpected operation UPDATE");
});
