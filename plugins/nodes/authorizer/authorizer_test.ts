// In Deno's suite only: decisions use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../core/names.ts";
import { openTestServer } from "../../../testing.ts";
import { nodesPlugin } from "../mod.ts";
import { decideForNode } from "./decide.ts";
import { NodeGraph } from "./graph.ts";
import { nodeOf } from "./identity.ts";

/** A part of a pod; `any`, because tests give parts of its spec only. */
const pod = (name: string, spec: object, rest: { annotations?: object; status?: object } = {}): any => ({
  metadata: { namespace: "ns", name, annotations: rest.annotations },
  spec: { nodeName: "n1", ...spec },
  status: rest.status ?? {},
});
const request = (verb: string, where: string, name = "", rest: object = {}): any => {
  const [resource = "", group = ""] = where.split("@"), [plural = "", subresource = ""] = resource.split("/");
  return { isResourceRequest: true, path: "", version: "v1", verb, group, resource: plural, subresource, namespace: "ns", name, ...rest };
};
const graph = new NodeGraph(defaultNames);
const ask = (verb: string, where: string, name?: string, rest?: object) =>
  decideForNode("n1", request(verb, where, name, rest), graph, "k8s.io");
const noRelation = "no relationship found between node 'n1' and this object";

test("nodeOf() knows kubelets by name and group", () => {
  assert.equal(nodeOf({ name: "system:node:a", groups: ["system:nodes"] }), "a");
  assert.equal(nodeOf({ name: "system:node:", groups: ["system:nodes"] }), "");
  assert.equal(nodeOf({ name: "system:node:a", groups: [] }), undefined);
  assert.equal(nodeOf({ name: "a", groups: ["system:nodes"] }), undefined);
});

test("a node reads what its pods name, while they are there", () => {
  const secretRef = { name: "of-volume" };
  graph.setPod(pod("p", {
    serviceAccountName: "account",
    imagePullSecrets: [{ name: "pull" }],
    containers: [{
      name: "c",
      env: [{ name: "A", valueFrom: { secretKeyRef: { name: "of-env" } } }],
      envFrom: [{ configMapRef: { name: "map" } }],
    }],
    volumes: [
      { name: "a", iscsi: { secretRef } },
      { name: "b", persistentVolumeClaim: { claimName: "claim" } },
      { name: "c", ephemeral: {} },
      { name: "d", projected: { sources: [{ secret: { name: "projected" } }, { configMap: { name: "projected" } }] } },
    ],
    resourceClaims: [{ name: "x", resourceClaimName: "device" }, { name: "y", resourceClaimTemplateName: "t" }],
  }, { status: { resourceClaimStatuses: [{ name: "y", resourceClaimName: "made" }] } }));
  const allowed: readonly (readonly [string, string, string])[] = [
    ...["pull", "of-env", "of-volume", "projected"].map((name) => ["get", "secrets", name] as const),
    ...["map", "projected"].map((name) => ["watch", "configmaps", name] as const),
    ...["claim", "p-c"].map((name) => ["get", "persistentvolumeclaims", name] as const),
    ...["device", "made"].map((name) => ["get", "resourceclaims@resource.k8s.io", name] as const),
    ["update", "persistentvolumeclaims/status", "claim"],
    ["create", "serviceaccounts/token", "account"],
    ["get", "serviceaccounts", "account"],
    ["get", "pods", "p"],
  ];
  for (const each of allowed) assert.equal(ask(...each), true, each.join(" "));
  for (const [verb, where] of allowed) assert.equal(ask(verb, where, "other"), noRelation, where);
  for (const [verb, where, name] of allowed) assert.equal(decideForNode("n2", request(verb, where, name), graph, "k8s.io") === true, false);
  graph.setPod(pod("q", { imagePullSecrets: [{ name: "pull" }] }));
  graph.deletePod("ns", "p");
  assert.equal(ask("get", "secrets", "pull"), true, "the other pod still names it");
  assert.equal(ask("get", "secrets", "of-env"), noRelation);
  graph.setPod(pod("q", { imagePullSecrets: [{ name: "pull" }] }, { annotations: { "kubernetes.io/config.mirror": "" } }));
  assert.equal(ask("get", "secrets", "pull"), noRelation, "mirror pods give no rights");
  assert.equal(ask("get", "pods", "q"), true);
  graph.deletePod("ns", "q");
});

test("a node reads the volumes of its claims with their secrets, and objects that name it", () => {
  graph.setPod(pod("p", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "claim" } }] }));
  const csi = {
    nodeStageSecretRef: { namespace: "ns", name: "stage" },
    controllerPublishSecretRef: { namespace: "ns", name: "controller" },
  };
  graph.setVolume({ metadata: { name: "pv" }, spec: { claimRef: { namespace: "ns", name: "claim" }, csi } } as any); // `as`: a part of a volume
  assert.equal(ask("get", "persistentvolumes", "pv", { namespace: "" }), true);
  assert.equal(ask("get", "secrets", "stage"), true);
  assert.equal(ask("get", "secrets", "controller"), noRelation);
  graph.deleteVolume("pv");
  assert.equal(ask("get", "persistentvolumes", "pv", { namespace: "" }), noRelation);
  assert.equal(ask("get", "secrets", "stage"), noRelation);
  graph.place("volumeattachments", "", "va", "n1");
  assert.equal(ask("get", "volumeattachments@storage.k8s.io", "va", { namespace: "" }), true);
  graph.place("volumeattachments", "", "va", "n2");
  assert.equal(ask("get", "volumeattachments@storage.k8s.io", "va", { namespace: "" }), noRelation);
});

test("verbs, names and selectors decide about the other kinds", () => {
  const selector = (field: string) => ({ fieldSelector: [{ field, operator: "=", value: "n1" }] });
  const lease = { namespace: "kube-node-lease" }, inNode = "leases@coordination.k8s.io";
  const cases: readonly (readonly [Parameters<typeof ask>, string | true])[] = [
    [["list", "pods"], "can only list/watch pods with spec.nodeName field selector"],
    [["list", "pods", "", selector("spec.nodeName")], true],
    [["update", "pods"], ""],
    [["patch", "pods/status", "p"], true],
    [["create", "pods/eviction", "p"], true],
    [["get", "pods/log", "p"], ""],
    [["get", "nodes", "n1"], true],
    [["get", "nodes", "n2"], "node 'n1' cannot read 'n2', only its own Node object"],
    [["list", "nodes"], "node 'n1' cannot read all nodes, only its own Node object"],
    [["delete", "nodes", "n1"], ""],
    [["patch", "nodes/status", "n1"], true],
    [["update", inNode, "n1", lease], true],
    [["update", inNode, "n2", lease], "can only access node lease with the same name as the requesting node"],
    [["create", inNode, "", lease], true],
    [["get", inNode, "n1"], 'can only access leases in the "kube-node-lease" system namespace'],
    [["list", inNode, "", lease], "can only get, create, update, patch, or delete a node lease"],
    [["get", "csinodes@storage.k8s.io", "n1"], true],
    [["get", "csinodes@storage.k8s.io", "n2"], "can only access CSINode with the same name as the requesting node"],
    [["list", "secrets"], "No Object name found"],
    [["list", "secrets", "a", { namespace: "" }], "can only read namespaced object of this type"],
    [["delete", "secrets", "a"], "can only read resources of this type"],
    [["list", "persistentvolumes"], "can only get individual resources of this type"],
    [["list", "resourceslices@resource.k8s.io", "", selector("spec.nodeName")], true],
    [["list", "resourceslices@resource.k8s.io"], "can only list/watch/deletecollection resourceslices with nodeName field selector"],
    [["create", "podcertificaterequests@certificates.k8s.io"], true],
    [["delete", "podcertificaterequests@certificates.k8s.io", "a"], "nodes may not delete podcertificaterequests"],
    [["watch", "services"], true],
    [["create", "events@events.k8s.io"], true],
    [["list", "deployments@apps"], ""],
    [["get", "", "", { isResourceRequest: false }], ""],
  ];
  for (const [words, answer] of cases) assert.equal(ask(...words), answer, words.slice(0, 3).join(" "));
});

test("--authorization-mode=Node,RBAC lets a kubelet read the secrets of its pods only", async () => {
  await using server = await openTestServer({
    settings: { "authorization-mode": ["Node", "RBAC"], "disable-admission-plugins": ["ServiceAccount"] },
  });
  const read = async (name: string, user: string) => {
    const headers = { "impersonate-user": user, "impersonate-group": "system:nodes" };
    return (await server.handle(new Request(`https://test/api/v1/namespaces/default/secrets/${name}`, { headers }))).status;
  };
  await server.api.create("v1", "secrets", "default", { metadata: { name: "a" } });
  const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", secret: { secretName: "a" } }] };
  assert.equal(await read("a", "system:node:n1"), 403);
  await server.api.create("v1", "pods", "default", { metadata: { name: "p" }, spec });
  // The watch of the authorizer comes later than the response.
  while (await read("a", "system:node:n1") === 403) await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(await read("a", "system:node:n1"), 200);
  assert.equal(await read("a", "system:node:n2"), 403);
  assert.equal(nodesPlugin.authorizers?.[0]?.name, "Node");
});
