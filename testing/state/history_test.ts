import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../server.ts";

const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };

test("at() and history() show what an object was before each write, and who wrote it", async () => {
  await using server = await openTestServer();
  await server.load(namespace);
  const { api } = server,
    put = (manager: string, data: object) => api.apply("v1", "configmaps", "a", "c", { data }, { fieldManager: manager });
  const first = await put("ann", { k: "1" }), second = await put("bob", { l: "2" });
  await api.delete("v1", "configmaps", "a", "c");
  const last = await put("ann", { k: "3" });
  const versions = await server.history("v1", "configmaps", "a", "c");
  assert.deepEqual(versions.map(({ object, managers }) => [object?.metadata.resourceVersion, managers]), [
    [first.metadata.resourceVersion, ["ann"]],
    [second.metadata.resourceVersion, ["bob"]],
    [undefined, []],
    [last.metadata.resourceVersion, ["ann"]],
  ]);
  assert.deepEqual(versions[1]!.changes, ['data.l: (none) -> "2"']);
  assert.ok(versions[3]!.changes.includes('data.k: (none) -> "3"'));
  const then = server.at(first.metadata.resourceVersion!);
  assert.deepEqual((await then.get("v1", "configmaps", "a", "c")).metadata, first.metadata);
  assert.ok((await then.list("v1", "configmaps", "a")).some(({ metadata }) => metadata.name === "c"));
  await assert.rejects(server.at(versions[2]!.revision).get("v1", "configmaps", "a", "c"), { reason: "NotFound" });
  assert.deepEqual(await server.history("v1", "configmaps", "a", "none"), []);
  await assert.rejects(server.history("v1", "nothing", "a", "c"), /does not serve nothing in v1/);
});

test("history() and at() of a fork have what its parent had", async () => {
  await using server = await openTestServer();
  const [made] = await server.load(namespace);
  await server.api.patch("v1", "namespaces", "", "a", { merge: { metadata: { labels: { l: "m" } } } });
  await using fork = await server.fork();
  const changes = (await fork.history("v1", "namespaces", "", "a")).map((each) => each.changes);
  assert.ok(changes.some((lines) => lines.includes('metadata.labels.l: (none) -> "m"')));
  assert.deepEqual(
    (await fork.at(made!.metadata.resourceVersion!).get("v1", "namespaces", "", "a")).metadata.labels,
    made!.metadata.labels,
  );
});
