import assert from "node:assert/strict";
import { test } from "node:test";
import { PeerError, type PeerRequest, type PeerResponse, type Peers } from "../../toolbox.ts";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";
import { componentAnswerBytesMax, componentHealth } from "./component-status.ts";

const path = "/api/v1/componentstatuses", warning = '299 - "v1 ComponentStatus is deprecated in v1.19+"';

/** The member that the test needs. */
function peers(answer: (request: PeerRequest) => Promise<PeerResponse>): Peers {
  return { ask: answer, recoded: (body) => body, addressesOf: () => Promise.resolve([]) };
}
async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}
const replying = (status: number, ...texts: readonly string[]) =>
  peers(() => Promise.resolve({ status, headers: {}, body: pieces(...texts) }));

test("componentHealth() tells each answer of a component as kube-apiserver does", async () => {
  assert.deepEqual(await componentHealth(replying(200, "o", "k"), 10_257), { status: "True", message: "ok" });
  assert.deepEqual(await componentHealth(replying(200), 10_257), { status: "True" });
  assert.deepEqual(await componentHealth(replying(500, "secret"), 1), {
    status: "False",
    message: "HTTP probe failed with statuscode: 500",
  });
  assert.deepEqual(await componentHealth(replying(302, "x"), 1), {
    status: "Unknown",
    message: "Probe terminated redirects, Response body: x",
  });
  const refusing = peers(() => Promise.reject(new PeerError("dial tcp 127.0.0.1:10259: connect: connection refused", { isDial: true })));
  assert.deepEqual(await componentHealth(refusing, 10_259), {
    status: "False",
    message: 'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused',
  });
  const silent = peers(({ signal }) => Promise.reject(signal.reason));
  assert.match((await componentHealth(silent, 1, AbortSignal.abort())).message ?? "", /context deadline exceeded/);
});

test("of a long answer the first 10 KiB are shown", async () => {
  const whole = "a".repeat(componentAnswerBytesMax);
  assert.equal((await componentHealth(replying(200, whole), 1)).message, whole);
  assert.equal((await componentHealth(replying(200, `${whole}b`, "c"), 1)).message, whole);
  assert.equal((await componentHealth(replying(200, whole, "c"), 1)).message, whole);
});

test("component statuses are read by name and in lists, with a warning, and neither watched nor written", async () => {
  await using server = await openTestServer();
  const list = await ask(server, "GET", path);
  assert.equal(list.status, 200, list.text);
  assert.equal(list.headers.get("warning"), warning);
  assert.deepEqual([list.body.kind, list.body.metadata], ["ComponentStatusList", {}]);
  const names = ["controller-manager", "etcd-0", "scheduler"];
  assert.deepEqual(list.body.items.map((each: { metadata: object }) => each.metadata), names.map((name) => ({ name })));
  const etcd = { metadata: { name: "etcd-0" }, conditions: [{ type: "Healthy", status: "True", message: "ok" }] };
  assert.deepEqual((await ask(server, "GET", `${path}/etcd-0?resourceVersion=77`)).body, {
    kind: "ComponentStatus",
    apiVersion: "v1",
    ...etcd,
  });
  const none = await ask(server, "GET", `${path}/none`);
  assert.deepEqual([none.status, none.body.message, none.body.details], [404, 'componentstatus "none" not found', {
    name: "none",
    kind: "componentstatus",
  }]);
  assert.equal(none.headers.get("warning"), warning);
  assert.deepEqual((await ask(server, "GET", `${path}?fieldSelector=metadata.name%3Detcd-0`)).body.items, [etcd]);
  const absent = await ask(server, "GET", `${path}?fieldSelector=metadata.name%3Dnone`);
  assert.deepEqual([absent.status, absent.body.items], [200, []]);
  assert.deepEqual((await ask(server, "GET", `${path}?labelSelector=a%3Db`)).body.items, []);
  assert.equal((await ask(server, "GET", `${path}?fieldSelector=a%3Db`)).status, 400);
  const watched = await ask(server, "GET", `${path}?watch=1`);
  assert.equal(watched.headers.get("warning"), warning);
  assert.deepEqual([watched.status, watched.body.message], [405, 'watch is not supported on resources of kind "componentstatuses"']);
  for (const each of ["/api/v1/watch/componentstatuses", "/api/v1/namespaces/default/componentstatuses", `${path}/etcd-0/status`]) {
    assert.equal((await ask(server, "GET", each)).status, 404, each);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    for (const each of [path, `${path}/etcd-0`]) {
      const refused = await ask(server, method, each, {});
      assert.deepEqual([refused.status, refused.headers.get("warning")], [405, null], `${method} ${each}`);
    }
  }
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const { rows, metadata } = (await ask(server, "GET", path, undefined, { accept })).body;
  assert.deepEqual([metadata, rows[1].cells], [{}, ["etcd-0", "Healthy", "ok", ""]]);
  assert.equal((await ask(server, "GET", `${path}/etcd-0`, undefined, { accept: "application/vnd.kubernetes.protobuf" })).status, 200);
});
