// Rules of pods that recordings do not show.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { qualityOfService } from "../../plugins/pods/quality-of-service.ts";
import { openTestServer } from "../../testing.ts";
import { ask as send } from "../requests.ts";

const pods = "/api/v1/namespaces/default/pods";

async function opened() {
  const server = await openTestServer();
  const ask = (method: string, path: string, body?: unknown) => send(server, method, path, body);
  const create = async (name: string, spec: object = {}) => {
    const body = { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
    const made = await ask("POST", pods, body);
    assert.equal(made.status, 201, made.body.message);
    return made.body;
  };
  return { server, ask, create };
}

test("the quality of service follows from requests and limits of all containers", () => {
  const on = () => true;
  const of = (...containers: readonly object[]) => qualityOfService({ containers } as any, on); // only resources are read
  const both = { resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } } };
  assert.equal(of({ resources: {} }), "BestEffort");
  assert.equal(of({ resources: { requests: { cpu: "0" } } }), "BestEffort", "zero counts as none");
  assert.equal(of(both), "Guaranteed");
  assert.equal(of(both, { resources: {} }), "Burstable", "one container has no limits");
  assert.equal(of({ resources: { requests: { cpu: "1000m" }, limits: { cpu: "1", memory: "1" } } }), "Burstable");
  assert.equal(of({ resources: { limits: { "example.com/gpu": "1" } } }), "BestEffort", "other resources do not count");
});

test("a pod on a node has time to end, which only gets shorter, and 0 seconds remove it", async () => {
  const { server, ask, create } = await opened();
  await using _ = server;
  await create("one", { nodeName: "n", terminationGracePeriodSeconds: 40 });
  const first = (await ask("DELETE", `${pods}/one`)).body.metadata;
  assert.deepEqual([first.deletionGracePeriodSeconds, first.generation], [40, 2]);
  assert.deepEqual((await ask("DELETE", `${pods}/one?gracePeriodSeconds=90`)).body.metadata, first, "not longer");
  assert.deepEqual((await ask("DELETE", `${pods}/one`)).body.metadata, first, "nothing is asked for");
  const sooner = (await ask("DELETE", `${pods}/one?gracePeriodSeconds=-7`)).body.metadata;
  assert.equal(sooner.deletionGracePeriodSeconds, 1, "a negative time is a second");
  assert.equal(Date.parse(first.deletionTimestamp) - Date.parse(sooner.deletionTimestamp), 39_000);
  const last = await ask("DELETE", `${pods}/one?gracePeriodSeconds=0`);
  assert.equal(last.body.metadata.deletionGracePeriodSeconds, 0);
  assert.equal((await ask("GET", `${pods}/one`)).status, 404);
});

test("the address of a pod and the first of its addresses agree, whichever is written; the single one counts", async () => {
  const { server, ask, create } = await opened();
  await using _ = server;
  await create("a");
  const write = async (status: object) => {
    const { status: code, body } = await ask("PATCH", `${pods}/a/status`, { status });
    return code === 200 ? [body.status.podIP, body.status.podIPs] : [code, body.details.causes.map(({ field }: any) => field)];
  };
  assert.deepEqual(await write({ podIP: "192.0.2.1" }), ["192.0.2.1", [{ ip: "192.0.2.1" }]]);
  const { body: { metadata } } = await ask("GET", `${pods}/a`);
  const written = metadata.managedFields.find((each: any) => each.subresource === "status").fieldsV1["f:status"];
  assert.deepEqual(Object.keys(written).toSorted(), ["f:podIP", "f:podIPs"], "both have the writer as owner");
  assert.deepEqual(await write({ podIP: "x" }), [422, ["status.podIPs[0]"]]);
  assert.deepEqual(await write({ podIPs: [{ ip: "192.0.2.2" }] }), ["192.0.2.1", [{ ip: "192.0.2.1" }]], "the stored podIP counts");
  assert.deepEqual(await write({ podIP: null, podIPs: [{ ip: "192.0.2.2" }, { ip: "::2" }] }), ["192.0.2.2", [
    { ip: "192.0.2.2" },
    { ip: "::2" },
  ]]);
  assert.deepEqual(await write({ podIP: "192.0.2.3" }), ["192.0.2.3", [{ ip: "192.0.2.3" }]]);
  assert.deepEqual(await write({ podIP: null, podIPs: null }), [undefined, undefined]);
});

test("a pod without a node, or one that has ended, is removed at once; a finalizer holds it", async () => {
  const { server, ask, create } = await opened();
  await using _ = server;
  await create("unbound");
  await ask("DELETE", `${pods}/unbound?gracePeriodSeconds=50`);
  assert.equal((await ask("GET", `${pods}/unbound`)).status, 404);
  await create("ended", { nodeName: "n" });
  await ask("PATCH", `${pods}/ended/status`, { status: { phase: "Succeeded" } });
  await ask("DELETE", `${pods}/ended`);
  assert.equal((await ask("GET", `${pods}/ended`)).status, 404);
  await create("held", { nodeName: "n" });
  const finalizers = ["example.com/hold"];
  await ask("PATCH", `${pods}/held`, { metadata: { finalizers } });
  await ask("DELETE", `${pods}/held?gracePeriodSeconds=0`);
  assert.equal((await ask("GET", `${pods}/held`)).body.metadata.deletionGracePeriodSeconds, 0);
  await ask("PATCH", `${pods}/held`, { metadata: { finalizers: null } });
  assert.equal((await ask("GET", `${pods}/held`)).status, 404);
});

test("watches see that a pod is to be deleted before they see that it is gone, also if it has no time to end", async () => {
  const { server, ask, create } = await opened();
  await using _ = server;
  const { metadata: { resourceVersion } } = await create("unbound");
  await create("bound", { nodeName: "n" });
  await ask("DELETE", `${pods}/unbound`);
  await ask("DELETE", `${pods}/bound`);
  await ask("DELETE", `${pods}/bound?gracePeriodSeconds=0`);
  const seen: unknown[] = [], watch = `http://localhost${pods}?watch=1&resourceVersion=${resourceVersion}`;
  const { body } = await server.handle(new Request(watch));
  let text = "";
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.split("\n").length > 6) break;
  }
  for (const line of text.split("\n").slice(0, 6)) {
    const { type, object: { metadata } } = JSON.parse(line);
    seen.push([type, metadata.name, metadata.deletionGracePeriodSeconds, metadata.generation]);
  }
  assert.deepEqual(seen, [
    ["ADDED", "bound", undefined, 1],
    ["MODIFIED", "unbound", 0, 2],
    ["DELETED", "unbound", 0, 2],
    ["MODIFIED", "bound", 30, 2],
    ["MODIFIED", "bound", 0, 2],
    ["DELETED", "bound", 0, 2],
  ]);
});

test("an update changes images, tolerations and the deadline, and nothing else of the spec", async () => {
  const { server, ask, create } = await opened();
  await using _ = server;
  const made = await create("one");
  const put = (change: object) => ask("PUT", `${pods}/one`, { ...made, spec: { ...made.spec, ...change }, metadata: { name: "one" } });
  const fields = async (change: object) => {
    const { status, body } = await put(change);
    assert.equal(status, 422, body.message);
    return body.details.causes.map(({ field }: { field: string }) => field);
  };
  assert.equal((await put({ containers: [{ ...made.spec.containers[0], image: "other" }] })).status, 200);
  assert.deepEqual(await fields({ hostNetwork: true }), ["spec"]);
  assert.deepEqual(await fields({ containers: [] }), ["spec.containers", "spec.containers"]);
  assert.equal((await put({ tolerations: [] })).body.spec.tolerations.length, 2, "those of the step DefaultTolerationSeconds come back");
  assert.deepEqual(await fields({ activeDeadlineSeconds: -1 }), ["spec.activeDeadlineSeconds", "spec.activeDeadlineSeconds"]);
});

test("fields of a pod's status whose gate is off are dropped; label keys of spread constraints become requirements", async () => {
  const gates = { DRAExtendedResource: "extendedResourceClaimStatus", InPlacePodLevelResourcesVerticalScaling: "allocatedResources" };
  const devices = [{ name: "cpu" }],
    spread = [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["a"], labelSelector: {} }];
  for (const isOn of [false, true]) {
    const settings = Object.fromEntries(
      [...Object.keys(gates), "ResourceHealthStatus", "MatchLabelKeysInPodTopologySpreadSelectorMerge"].map((gate) => [gate, isOn]),
    );
    await using server = await openTestServer({ settings: { "feature-gates": { ...settings, NodeDeclaredFeatures: true } } });
    const resources = { requests: { cpu: "1" } }, containers = [{ name: "c", image: "i", resources }];
    const body = { metadata: { name: "one", labels: { a: "b" } }, spec: { containers, topologySpreadConstraints: spread } };
    const made = await send(server, "POST", pods, body);
    assert.equal(made.status, 201, made.text);
    const { matchExpressions } = made.body.spec.topologySpreadConstraints[0].labelSelector;
    assert.deepEqual(matchExpressions, isOn ? [{ key: "a", operator: "In", values: ["b"] }] : undefined);
    const claim = { resourceClaimName: "r", requestMappings: [{ containerName: "c", resourceName: "cpu", requestName: "q" }] };
    const own = { name: "c", image: "i", imageID: "", ready: true, restartCount: 0, allocatedResourcesStatus: devices };
    const status = { extendedResourceClaimStatus: claim, allocatedResources: { cpu: "1" }, containerStatuses: [own] };
    const written = await send(server, "PATCH", `${pods}/one/status`, { status });
    assert.equal(written.status, 200, written.text);
    for (const field of Object.values(gates)) assert.equal(Object.hasOwn(written.body.status, field), isOn, field);
    assert.equal(Object.hasOwn(written.body.status.containerStatuses[0], "allocatedResourcesStatus"), isOn);
  }
});

test("an annotation for AppArmor gives its warning also if the pod is rejected", async () => {
  const { server, ask } = await opened();
  await using _ = server;
  const key = "container.apparmor.security.beta.kubernetes.io/c";
  const metadata = { name: "a", annotations: { [key]: "wrong" } };
  const { status, headers } = await ask("POST", pods, { metadata, spec: { containers: [{ name: "c", image: "i" }] } });
  assert.equal(status, 422);
  assert.equal(
    headers.get("warning"),
    `299 - "metadata.annotations[${key}]: deprecated since v1.30; use the \\"appArmorProfile\\" field instead"`,
  );
});
