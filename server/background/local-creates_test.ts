import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ApiObject } from "../../plugin.ts";
import { openTestServer } from "../../testing.ts";

const nothing = { uid: "", creationTimestamp: "", resourceVersion: "", managedFields: [] };

/** An object without what differs between two creates; its owners keep all but their times. */
function comparable({ metadata, ...rest }: ApiObject) {
  const managedFields = (metadata.managedFields ?? []).map((each) => ({ ...each, time: "" }));
  return { ...rest, metadata: { ...metadata, ...nothing, managedFields } };
}

test("createEach() stores what single creates store, and each object has an outcome of its own", async () => {
  await using server = await openTestServer();
  const { api } = server, rbac = "rbac.authorization.{domain}/v1";
  const role = { metadata: { name: "a", labels: { app: "b" } }, rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] };
  const single = await api.create(rbac, "clusterroles", "", role);
  await api.delete(rbac, "clusterroles", "", "a");
  const before = Number((await api.list(rbac, "clusterroles", "")).metadata.resourceVersion);
  const ends = await api.createEach(rbac, "clusterroles", "", [
    role,
    { metadata: { name: "admin" } },
    { metadata: { name: "b" }, rules: [{ verbs: [] }] },
    { metadata: { name: "c" }, rules: "x" },
    { kind: "ClusterRole", metadata: { generateName: "d-" } },
    { kind: "Role", apiVersion: "v1", metadata: { name: "e" } },
  ]);
  assert.deepEqual(ends.map((end) => end.status === "fulfilled" ? "created" : `${end.reason.code} ${end.reason.reason}`), [
    "created",
    "409 AlreadyExists",
    "422 Invalid",
    "400 BadRequest",
    "created",
    "400 BadRequest",
  ]);
  const made = await api.get(rbac, "clusterroles", "", "a");
  assert.deepEqual(comparable(made), comparable(single));
  assert.ok(Number(made.metadata.resourceVersion) > before, "it has a revision");
  assert.notEqual(made.metadata.uid, single.metadata.uid);
});

test("createEach() tells watches of each object, and a missing namespace is the outcome of each object", async () => {
  await using server = await openTestServer();
  const { api } = server, ending = new AbortController(), seen: string[] = [];
  const synced = Promise.withResolvers<void>(), both = Promise.withResolvers<void>();
  const watching = (async () => {
    for await (const { type, object } of api.watch("v1", "configmaps", "default", {}, ending.signal, "everything", synced.resolve)) {
      const { name = "" } = object.metadata ?? {};
      if (name.startsWith("new-")) seen.push(`${type} ${name}`);
      if (seen.length === 2) both.resolve();
    }
  })();
  await synced.promise;
  await api.createEach("v1", "configmaps", "default", [{ metadata: { name: "new-1" } }, { metadata: { name: "new-2" }, data: { a: "b" } }]);
  await both.promise;
  assert.deepEqual(seen.toSorted(), ["ADDED new-1", "ADDED new-2"]);
  ending.abort();
  await watching;
  const ends = await api.createEach("v1", "configmaps", "absent", [{ metadata: { name: "a" } }]);
  assert.equal(ends[0]!.status === "rejected" && ends[0]!.reason.reason, "NotFound");
});

test("createEach() has an event of the audit for each object", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-creates-")), policy = join(folder, "policy.yaml"), log = join(folder, "log");
  try {
    const rule = { level: "Metadata", resources: [{ group: "", resources: ["configmaps"] }] };
    await writeFile(
      policy,
      JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules: [rule] }),
    );
    await using server = await openTestServer({ settings: { "audit-policy-file": policy, "audit-log-path": log } });
    const ends = await server.api.createEach("v1", "configmaps", "default", [{ metadata: { name: "one" } }, { metadata: { name: "two" } }]);
    assert.deepEqual(ends.map(({ status }) => status), ["fulfilled", "fulfilled"]);
    await server.close();
    const events = (await readFile(log, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
    const names = events.filter(({ verb, user }) => verb === "create" && user.username === "admin").map(({ objectRef }) => objectRef.name);
    assert.deepEqual(names.toSorted(), ["one", "two"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
