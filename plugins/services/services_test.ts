// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";

const path = "/api/v1/namespaces/default/services";
const service = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

/** A server with six addresses and two ports on nodes. */
async function small() {
  const settings = { "service-cluster-ip-range": "198.51.100.0/29", "service-node-port-range": "30000-30001" };
  const server = await openTestServer({ settings });
  const send = async (method: string, at: string, body?: object, type?: string) => {
    const { status, text } = await ask(server, method, `${path}${at}`, body, type);
    return { status, value: JSON.parse(text) };
  };
  const inUse = async () => {
    const { text } = await ask(server, "GET", "/apis/networking.k8s.io/v1/ipaddresses");
    return JSON.parse(text).items.map(({ spec }: any) => spec.parentRef.name).filter((name: string) => name !== "kubernetes");
  };
  return { server, send, inUse };
}
const free = 5; // six without that of the Service kubernetes

test("services get different addresses until the range is full, and deletions give them back", async () => {
  const { server, send, inUse } = await small();
  await using _closed = server;
  assert.equal((await send("POST", "", service("kubernetes-like", { clusterIP: "198.51.100.1" }))).status < 500, true);
  await send("DELETE", "/kubernetes-like");
  const made = await Promise.all(Array.from({ length: free }, (_, i) => send("POST", "", service(`s${i}`))));
  const addresses = made.map(({ value }) => value.spec.clusterIP);
  assert.equal(new Set(addresses).size, free, JSON.stringify(made.map(({ value }) => value.message)));
  assert.deepEqual((await inUse()).length, free);
  await send("DELETE", "/s0");
  assert.equal((await send("POST", "", service("again", { clusterIP: addresses[0] }))).status, 201);
  const taken = await send("POST", "", service("taken", { clusterIP: addresses[1] }));
  assert.match(taken.value.message, /failed to allocate IP 198\.51\.100\.\d: provided IP is already allocated/);
  const outside = await send("POST", "", service("outside", { clusterIP: "192.0.2.1" }));
  assert.match(outside.value.message, /the provided network does not match the current range/);
});

test("a write that is rejected, and a dry run, keep no address", async () => {
  const { server, send, inUse } = await small();
  await using _closed = server;
  assert.equal((await send("POST", "", service("bad", { ports: [{ port: 0 }] }))).status, 422);
  assert.equal((await send("POST", "?dryRun=All", service("trial", { type: "NodePort" }))).status, 201);
  assert.equal((await send("POST", "", service("twice"))).status, 201);
  assert.equal((await send("POST", "", service("twice"))).status, 409);
  assert.deepEqual(await inUse(), ["twice"]);
});

test("ports on nodes are unique, and given back by deletion and by a change of type", async () => {
  const { server, send } = await small();
  await using _closed = server;
  const [a, b] = await Promise.all(["a", "b"].map((name) => send("POST", "", service(name, { type: "NodePort" }))));
  const ports = [a, b].map((each) => each!.value.spec.ports[0].nodePort);
  assert.deepEqual(ports.toSorted(), [30_000, 30_001]);
  const full = await send("POST", "", service("c", { type: "NodePort" }));
  assert.match(full.value.message, /failed to allocate a nodePort: range is full/);
  const merge = "application/merge-patch+json";
  assert.equal((await send("PATCH", "/a", { spec: { type: "ClusterIP" } }, merge)).value.spec.ports[0].nodePort, undefined);
  const wanted = [{ port: 80, nodePort: ports[0] }];
  assert.equal((await send("POST", "", service("c", { type: "NodePort", ports: wanted }))).status, 201);
  await send("DELETE", "/b");
  assert.equal((await send("POST", "", service("d", { type: "NodePort" }))).value.spec.ports[0].nodePort, ports[1]);
  const { value } = await send("POST", "", service("e", { type: "NodePort", ports: [{ port: 80, nodePort: 1 }] }));
  assert.match(value.message, /The range of valid ports is 30000-30001/);
  const trial = service("f", { type: "NodePort", ports: [{ port: 80, nodePort: 1 }] });
  assert.equal((await send("POST", "?dryRun=All", trial)).status, 201, "a dry run looks at the ports in use only");
  const used = service("g", { type: "NodePort", ports: [{ port: 80, nodePort: ports[1] }] });
  assert.match((await send("POST", "?dryRun=All", used)).value.message, /provided port is already allocated/);
});

test("a service that becomes a name gives its address back, and gets one on the way back", async () => {
  const { server, send, inUse } = await small();
  await using _closed = server;
  await send("POST", "", service("a"));
  const merge = "application/merge-patch+json";
  const named = await send("PATCH", "/a", { spec: { type: "ExternalName", externalName: "a.example.com" } }, merge);
  assert.deepEqual([named.value.spec.clusterIP, named.value.spec.ipFamilies], [undefined, undefined]);
  assert.deepEqual(await inUse(), []);
  const back = await send("PATCH", "/a", { spec: { type: "ClusterIP", externalName: null } }, merge);
  assert.match(back.value.spec.clusterIP, /^198\.51\.100\./);
  assert.deepEqual(await inUse(), ["a"]);
});

test("an empty protocol, which clients in protobuf always send, is TCP", async () => {
  const { server, send } = await small();
  await using _closed = server;
  const { status, value } = await send("POST", "", service("empty", { type: "NodePort", ports: [{ port: 80, protocol: "" }] }));
  assert.equal(status, 201, value.message);
  assert.equal(value.spec.ports[0].protocol, "TCP");
  const applied = { apiVersion: "v1", kind: "Service", ...service("applied") };
  const made = await send("PATCH", "/applied?fieldManager=a", applied, "application/apply-patch+yaml");
  assert.equal(made.value.spec.ports[0].protocol, "TCP", made.value.message);
});

test("an update keeps ports on nodes that the service has already: outside of the range, and that of its health check", async () => {
  const { server, send } = await small();
  await using _closed = server;
  const ports = [{ port: 80, nodePort: 65_535 }], externalName = "example.com";
  assert.equal((await send("POST", "", service("name", { type: "ExternalName", externalName, ports }))).status, 201);
  const moved = await send(
    "PUT",
    "/name",
    service("name", { type: "NodePort", ports: [...ports.map((each) => ({ ...each, name: "a" })), { name: "b", port: 81 }] }),
  );
  assert.deepEqual(moved.value.spec?.ports.map(({ nodePort }: any) => nodePort).slice(0, 1), [65_535], JSON.stringify(moved.value));
  const kept = await send("PUT", "/name", moved.value);
  assert.equal(kept.status, 200, kept.value.message);
  await send("DELETE", "/name");
  const balancer = { type: "LoadBalancer", externalTrafficPolicy: "Local", allocateLoadBalancerNodePorts: false };
  const made = await send("POST", "", service("lb", { ...balancer, healthCheckNodePort: 30_000 }));
  assert.equal(made.value.spec.healthCheckNodePort, 30_000, made.value.message);
  const shared = { ...made.value.spec, ports: [{ name: "a", port: 80, nodePort: 30_000 }, { name: "b", port: 81, nodePort: 30_001 }] };
  assert.equal((await send("PUT", "/lb", { ...made.value, spec: shared })).status, 200);
});

test("a new IPAddress owns its reference to the parent, which was absent, and the members of it", async () => {
  const { server } = await small();
  await using _closed = server;
  const body = { metadata: { name: "203.0.113.1" }, spec: { parentRef: { resource: "services", name: "a" } } };
  const { text } = await ask(server, "POST", "/apis/networking.k8s.io/v1/ipaddresses", body);
  assert.deepEqual(JSON.parse(text).metadata.managedFields[0].fieldsV1, {
    "f:spec": { "f:parentRef": { ".": {}, "f:name": {}, "f:resource": {} } },
  });
});
